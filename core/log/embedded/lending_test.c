/* SPDX-License-Identifier: MIT */
/* What a batch looks into stays as it was read, whatever becomes of the log meanwhile. */
#include "base/clock.h"
#include "log/both_logs_fixture.h"
#include "log/embedded/store.h"

enum { FEW = 10, MANY = 1000 };

/* A batch that still holds what was lent for it. */
struct held {
    struct arena arena;
    struct log_batch batch;
};

static void hold(struct held *held, struct log_topic *topic, int64_t from, uint32_t max_count)
{
    arena_init(&held->arena, 0);
    weir_status st =
        log_read(topic, 0, from, max_count, UINT64_MAX, &held->arena, &held->batch, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
}

static void let_go(struct held *held)
{
    log_lease_end(&held->batch.lease);
    arena_deinit(&held->arena);
}

/* It is samples number from to end - 1. */
static void check_held(const struct held *held, int64_t from, int64_t end)
{
    ck_assert_int_eq(held->batch.count, end - from);
    for (int64_t n = from; n < end; n++) {
        ck_assert_msg(is_sample(&held->batch.messages[n - from], n), "message %" PRId64, n);
    }
}

static uint64_t lent_bytes(void)
{
    return atomic_load(&embedded_of(the_log)->lent_bytes);
}

/* `count` messages more, other ones than samples of these offsets. */
static void append_others(struct log_topic *topic, int64_t count)
{
    append_samples(topic, 0, 100000, count);
}

/* ---- what stays ---------------------------------------------------------------------------------- */

START_TEST(stays_over_a_commit)
{
    struct held held;
    struct log_topic *topic = create_topic(open_each(_i), "t", 1);
    append_samples(topic, 0, 0, MANY);
    hold(&held, topic, 0, MANY);
    ck_assert_ptr_nonnull(held.batch.lease.release);
    ck_assert_uint_gt(lent_bytes(), 0);
    for (int i = 0; i < 5; i++) {
        commit(the_log, NULL, NULL);
        append_others(topic, MANY); /* into whatever memory is free now */
    }
    check_held(&held, 0, MANY);
    let_go(&held);
    ck_assert_uint_eq(lent_bytes(), 0);
}
END_TEST

/* The offsets are given again, their memory is not. */
START_TEST(stays_over_a_rollback)
{
    struct held held;
    struct log_topic *topic = create_topic(open_each(_i), "t", 1);
    append_samples(topic, 0, 0, FEW);
    commit(the_log, NULL, NULL);
    append_samples(topic, 0, FEW, MANY);
    hold(&held, topic, 0, FEW + MANY);
    roll_back(the_log);
    append_others(topic, MANY);
    check_held(&held, 0, FEW + MANY);
    check_samples(topic, 0, FEW, FEW + MANY, 100000 - FEW, MANY);
    let_go(&held);
    ck_assert_uint_eq(lent_bytes(), 0);
}
END_TEST

START_TEST(stays_over_compaction)
{
    struct held held;
    struct log_topic *topic = create_topic(open_each(_i), "t", 1);
    struct log_topic_options options = { .is_compacted = true };
    bool is_done = false;
    for (int i = 0; i < 3; i++) {
        append_samples(topic, 0, 0, 2 * MANY);
        commit(the_log, NULL, NULL);
    }
    ck_assert_int_eq(log_topic_configure(topic, &options, &error), WEIR_OK);
    hold(&held, topic, 0, 2 * MANY);
    ck_assert_ptr_nonnull(held.batch.lease.release);
    ck_assert_int_eq(log_tidy(the_log, clock_wall_ms(), 60000, &is_done, &error), WEIR_OK);
    ck_assert(is_done);
    ck_assert_int_lt(info_of(topic, 0).count, 5 * MANY);
    append_others(create_topic(the_log, "u", 1), 2 * MANY);
    check_held(&held, 0, 2 * MANY);
    let_go(&held);
}
END_TEST

START_TEST(stays_after_its_topic_is_dropped)
{
    struct held held;
    struct log_topic *topic = create_topic(open_each(_i), "t", 1);
    append_samples(topic, 0, 0, MANY);
    commit(the_log, NULL, NULL);
    hold(&held, topic, 0, MANY);
    ck_assert_int_eq(log_topic_drop(topic, &error), WEIR_OK);
    append_others(create_topic(the_log, "u", 1), MANY);
    check_held(&held, 0, MANY);
    let_go(&held);
    ck_assert_uint_eq(lent_bytes(), 0);
}
END_TEST

/* Two batches look into one chunk; the second goes on doing so. */
START_TEST(is_held_by_each_batch)
{
    struct held first;
    struct held second;
    struct log_topic *topic = create_topic(open_each(_i), "t", 1);
    append_samples(topic, 0, 0, MANY);
    commit(the_log, NULL, NULL);
    hold(&first, topic, 0, MANY / 2);
    hold(&second, topic, MANY / 2, MANY);
    let_go(&first);
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_OK);
    append_others(topic, MANY);
    check_held(&second, MANY / 2, MANY);
    let_go(&second);
    ck_assert_uint_eq(lent_bytes(), 0);
}
END_TEST

/* ---- what is lent -------------------------------------------------------------------------------- */

START_TEST(a_little_of_a_chunk_is_copied)
{
    struct held held;
    struct log_topic *topic = create_topic(open_each(_i), "t", 1);
    append_samples(topic, 0, 0, MANY);
    commit(the_log, NULL, NULL);
    hold(&held, topic, 0, MANY / 8);
    ck_assert_ptr_null(held.batch.lease.release);
    check_held(&held, 0, MANY / 8);
    let_go(&held);
}
END_TEST

START_TEST(a_budget_bounds_what_is_lent)
{
    struct held held[4];
    struct log_memory memory = { 1 << 20, 3 << 20, 2 * CHUNK_BYTES };
    struct log_open_options options = { .folder = folder, .memory = &memory };
    ck_assert_int_eq(log_open_with("local:data", &options, &the_log, &error), WEIR_OK);
    struct log_topic *topic = create_topic(the_log, "t", 1);
    append_samples(topic, 0, 0, 4 * CHUNK_MESSAGES);
    for (int64_t i = 0; i < 4; i++) {
        hold(&held[i], topic, i * CHUNK_MESSAGES, CHUNK_MESSAGES);
        ck_assert_uint_le(lent_bytes(), memory.chunks);
    }
    ck_assert_ptr_nonnull(held[0].batch.lease.release);
    ck_assert_ptr_null(held[3].batch.lease.release);
    for (int64_t i = 0; i < 4; i++) {
        check_held(&held[i], i * CHUNK_MESSAGES, (i + 1) * CHUNK_MESSAGES);
        let_go(&held[i]);
    }
    ck_assert_uint_eq(lent_bytes(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("lending");
    TCase *tc = tcase_create("lending");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, stays_over_a_commit, 0, LOGS);
    tcase_add_loop_test(tc, stays_over_a_rollback, 0, LOGS);
    tcase_add_loop_test(tc, stays_over_compaction, 0, LOGS);
    tcase_add_loop_test(tc, stays_after_its_topic_is_dropped, 0, LOGS);
    tcase_add_loop_test(tc, is_held_by_each_batch, 0, LOGS);
    tcase_add_loop_test(tc, a_little_of_a_chunk_is_copied, 0, LOGS);
    tcase_add_test(tc, a_budget_bounds_what_is_lent);
    suite_add_tcase(s, tc);
    return s;
}
