/* SPDX-License-Identifier: MIT */
/*
 * Whatever the log lends to a run comes back, once: after a good end, after records that cannot be
 * decoded, after a failed one. Over each log, with the plugins of this build.
 */
#include <stdatomic.h>

#include "base/logger.h"
#include "engine/engine.h"
#include "log/both_logs_fixture.h"
#include "log/log_ops.h"
#include "pipeline/pipeline.h"

enum { MESSAGES = 5000, MOST_LEASES = 1000, BATCH = 100 };

/* ---- a log that counts ----------------------------------------------------------------------------- */

/* Stands in for the lease of one batch, which may have been none. */
struct counted {
    struct log_lease lease;
    atomic_uint ends;
};

static struct counted counted[MOST_LEASES];
static atomic_uint lease_count;
static atomic_uint real_count;
static struct log_ops counting_ops;
static const struct log_ops *real_ops;

static void end_counted(void *self)
{
    struct counted *one = self;
    atomic_fetch_add(&one->ends, 1);
    log_lease_end(&one->lease);
}

static weir_status read_counted(struct log_topic *topic, uint32_t partition, int64_t offset,
                                uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                                struct log_batch *ret_batch, struct error *ret_error)
{
    weir_status st =
        real_ops->read(topic, partition, offset, max_count, max_bytes, arena, ret_batch, ret_error);
    if (st == WEIR_OK && ret_batch->count > 0) {
        struct counted *one = &counted[atomic_fetch_add(&lease_count, 1) % MOST_LEASES];
        real_count += ret_batch->lease.release != NULL;
        one->lease = ret_batch->lease;
        ret_batch->lease = (struct log_lease){ end_counted, one };
    }
    return st;
}

static void open_counting(int i)
{
    open_each(i);
    real_ops = the_log->ops;
    counting_ops = *real_ops;
    counting_ops.read = read_counted;
    the_log->ops = &counting_ops;
}

static void check_leases(void)
{
    ck_assert_uint_gt(real_count, 0);
    ck_assert_uint_le(lease_count, MOST_LEASES);
    for (unsigned i = 0; i < lease_count; i++) {
        ck_assert_msg(counted[i].ends == 1, "lease %u ended %u times", i, counted[i].ends);
    }
}

/* ---- a run ------------------------------------------------------------------------------------------- */

/* bad: number of a message that is no JSON; < 0: none is. */
static void fill(int64_t bad)
{
    struct log_topic *topic = create_topic(the_log, "in", 2);
    for (int64_t n = 0; n < MESSAGES; n++) {
        char text[64];
        snprintf(text, sizeof text, n == bad ? "{" : "{\"n\": %" PRId64 ", \"text\": \"abc\"}", n);
        struct log_message message = message_of(NULL, text, 1000 + n);
        ck_assert_int_eq(log_append(topic, (uint32_t)(n % 2), &message, 1, &error), WEIR_OK);
    }
    commit(the_log, NULL, NULL);
}

static struct pipeline *load(const char *text, struct registry *registry, struct arena *arena)
{
    struct diagnostics diagnostics;
    const char *path = arena_printf(arena, "%s/pipeline.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    diagnostics_init(&diagnostics, arena);
    struct pipeline *pipeline = pipeline_load(path, registry, &diagnostics);
    ck_assert_msg(pipeline != NULL, "%s",
                  diagnostics.count > 0 ? diagnostics.list[0].message : "not loaded");
    diagnostics_deinit(&diagnostics);
    return pipeline;
}

static weir_status run(const char *text)
{
    struct arena arena;
    struct registry registry;
    struct engine_report report;
    arena_init(&arena, 0);
    setenv("WEIR_PLUGIN_PATH", arena_printf(&arena, "%s/lib/weir/plugins", getenv("WEIR_BUILD")),
           1);
    logger_configure(LOGGER_ERROR, false, false);
    registry_init(&registry);
    registry_load_default(&registry);
    struct pipeline *pipeline = load(text, &registry, &arena);
    struct engine_options options = { .log = the_log,
                                      .folder = folder,
                                      .checkpoint_interval_ms = -1,
                                      .threads = 2,
                                      .batch_size = BATCH,
                                      .is_until_end = true };
    weir_status st = engine_run(pipeline, &options, &report, &error);
    report_deinit(&report);
    pipeline_destroy(pipeline);
    registry_deinit(&registry);
    arena_deinit(&arena);
    return st;
}

#define PIPELINE(first_line)                                                                       \
 first_line "pipeline: leases\n"                                                                   \
            "checkpoint: {records: 700}\n"                                                         \
            "topics: {in: {partitions: 2}, out: {partitions: 2}}\n"                                \
            "streams:\n"                                                                           \
            "  all: {from: {topic: in}, steps: [filter: n >= 0], to: {topic: out}}\n"              \
            "  written: {from: {topic: out}, to: {file: out.jsonl}}\n"

START_TEST(a_good_run_gives_all_back)
{
    open_counting(_i);
    fill(-1);
    ck_assert_msg(run(PIPELINE("")) == WEIR_OK, "%s", error.message);
    ck_assert_uint_ge(lease_count, 2 * MESSAGES / BATCH); /* both topics */
    struct log_topic *out = log_topic_find(the_log, "out");
    ck_assert_int_eq(info_of(out, 0).end + info_of(out, 1).end, MESSAGES);
    check_leases();
}
END_TEST

START_TEST(so_does_one_that_skips_what_it_cannot_decode)
{
    open_counting(_i);
    fill(MESSAGES / 2);
    ck_assert_msg(run(PIPELINE("on_error: skip\n")) == WEIR_OK, "%s", error.message);
    check_leases();
}
END_TEST

START_TEST(so_does_one_that_fails_when_decoding)
{
    open_counting(_i);
    fill(MESSAGES / 2);
    ck_assert_int_ne(run(PIPELINE("")), WEIR_OK);
    check_leases();
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("leases");
    TCase *tc = tcase_create("leases");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, a_good_run_gives_all_back, 0, LOGS);
    tcase_add_loop_test(tc, so_does_one_that_skips_what_it_cannot_decode, 0, LOGS);
    tcase_add_loop_test(tc, so_does_one_that_fails_when_decoding, 0, LOGS);
    suite_add_tcase(s, tc);
    return s;
}
