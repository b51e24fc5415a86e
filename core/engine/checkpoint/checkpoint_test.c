/* SPDX-License-Identifier: MIT */
/* The steps of a checkpoint over two sinks that keep a common journal, and what the log has by then. */
#include <weir/sink.h>

#include "base/logger.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/setup.h"
#include "engine/sinks/journal_fixture.h"
#include "engine/state.h"

enum { SINKS = 2, WAIT_MS = 60000, EARLY_TURNS = 200 };

/*
 * Of the second sink:
 *
 * fails  the slot that fails for good
 * hangs  the one that does not come back
 * away   the one that fails for now, `times` in a row; the journal does not tell it
 *
 * sends_letter  the first sink writes to the second one, as dead letters do, before its own write is done
 */
static struct script {
    const char *fails;
    const char *hangs;
    const char *away;
    atomic_int times;
    atomic_bool is_free;
    bool sends_letter;
} script;

static struct journal journal; /* "flush publish+": with a plus what came after the commit */

struct sink {
    char name;
};

static struct sink selves[SINKS] = { { 'a' }, { 'b' } };
static int made;
static struct engine engine;
static struct engine_options options;
static atomic_int stop_signals;
static struct pipeline pipeline = { .name = "p", .shutdown_timeout_ms = WAIT_MS };
static struct plan plan;
static struct log *the_log;
static struct sink_lane lanes[SINKS];
static struct meter meters[SINKS];
static struct root_pool letters;
static struct root_pool records;
static struct error error;

static const char *const keys[SINKS] = { "sink/s.a", "sink/s.b" };

/* What the log knows: true where the token of this sink is committed. */
static bool is_committed(int sink)
{
    struct arena arena;
    weir_slice token = { NULL, LOG_ABSENT };
    arena_init(&arena, 0);
    weir_status st = log_fact_get(the_log, "p", keys[sink], &arena, &token, NULL);
    arena_deinit(&arena);
    return st == WEIR_OK && token.size != LOG_ABSENT;
}

static bool is_away(const struct sink *sink, const char *what)
{
    return sink->name == 'b' && script.away != NULL && strcmp(script.away, what) == 0 &&
           atomic_load(&script.times) > 0;
}

static weir_status act(const struct sink *sink, weir_context *ctx, const char *what)
{
    char text[40];
    if (is_away(sink, what)) {
        atomic_fetch_sub(&script.times, 1);
        weir_fail_for_now(ctx, -1, WEIR_E_IO, WEIR_CLASS_NETWORK, 0, "away", NULL);
        return WEIR_E_IO;
    }
    snprintf(text, sizeof text, "%s%s", what, is_committed(0) ? "+" : "");
    journal_tell(&journal, text);
    while (sink->name == 'b' && script.hangs != NULL && strcmp(script.hangs, what) == 0 &&
           !atomic_load(&script.is_free)) {
        pause_briefly();
    }
    if (sink->name == 'b' && script.fails != NULL && strcmp(script.fails, what) == 0) {
        weir_fail_class(ctx, -1, WEIR_E_IO, WEIR_CLASS_RESOURCE, "broken", NULL);
        return WEIR_E_IO;
    }
    return WEIR_OK;
}

static weir_status sink_create(const weir_host *host, const void *config, void **ret_self)
{
    (void)host;
    (void)config;
    *ret_self = &selves[made++];
    return WEIR_OK;
}

/* Before it, a flush that does not wait for the letter has time to come. */
static void send_letter(void)
{
    struct root *root = root_acquire(&letters);
    weir_entry *entries = arena_zeroed(&root->arena, sizeof *entries);
    for (int turns = 0; turns < EARLY_TURNS && !journal_has(&journal, "flush"); turns++) {
        pause_briefly();
    }
    ck_assert(sink_lane_write_waiting(&lanes[1], root, (struct run){ entries, 1 }));
    root_release(root);
}

static weir_status sink_write(void *self, weir_context *ctx, const weir_batch *in)
{
    const struct sink *sink = self;
    (void)in;
    weir_status st = act(sink, ctx, "write");
    if (sink->name == 'a' && script.sends_letter) {
        send_letter();
    }
    return st;
}

static weir_status sink_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                              weir_buffer *ret_token)
{
    (void)deadline_ns;
    (void)flags;
    weir_status st = act(self, ctx, "flush");
    return st == WEIR_OK ? weir_buffer_append(ret_token, "t", 1) : st;
}

static weir_status sink_publish(void *self, weir_context *ctx, weir_slice token)
{
    (void)token;
    return act(self, ctx, "publish");
}

static weir_status sink_discard(void *self, weir_context *ctx)
{
    return act(self, ctx, "discard");
}

static const weir_sink_vtable vtable = { .struct_size = sizeof vtable,
                                         .create = sink_create,
                                         .write = sink_write,
                                         .flush = sink_flush,
                                         .publish = sink_publish,
                                         .discard = sink_discard };
static const weir_factory spec = {
    .struct_size = sizeof spec, .kind = WEIR_KIND_SINK, .name = "scripted", .vtable = &vtable
};
static const struct factory factory = { .spec = &spec };
static const struct end ends[SINKS] = {
    { .kind = END_SINK, .plugin = { .factory = &factory, .label = "sink a" } },
    { .kind = END_SINK, .plugin = { .factory = &factory, .label = "sink b" } },
};

static void setup(void)
{
    static struct services services;
    logger_configure(LOGGER_ERROR, false, false);
    script = (struct script){ .fails = NULL };
    journal_init(&journal);
    root_pool_init(&letters);
    root_pool_init(&records);
    made = 0;
    stop_signals = 0;
    options = (struct engine_options){ .stop = &stop_signals };
    engine = (struct engine){
        .pipeline = &pipeline, .options = &options, .plan = &plan, .lanes = lanes
    };
    arena_init(&engine.arena, 0);
    gate_init(&engine.gate);
    run_faults_init(&engine.faults, &engine.gate);
    ck_assert(watch_init(&engine.watch, &engine.arena, SINKS));
    ck_assert_int_eq(log_open("memory", NULL, LOG_WRITE, &the_log, &error), WEIR_OK);
    engine.log = the_log;
    for (int i = 0; i < SINKS; i++) {
        struct seat_start start = { .token_key = keys[i] };
        ck_assert(
            sink_lane_start(&lanes[i], &services, &ends[i], &meters[i], &engine.faults, &error));
        ck_assert(sink_lane_add(&lanes[i], &start, &error));
        ck_assert(sink_lane_open(&lanes[i]));
        ck_assert(sink_lane_wait(&lanes[i], WAIT_MS));
        engine.lane_count++;
    }
    atomic_store(&engine.pool.since_checkpoint, 1);
}

/* Without waiting until it is written. */
static void queue_for(struct sink_lane *lane)
{
    struct root *root = root_acquire(&records);
    weir_entry *entries = arena_zeroed(&root->arena, sizeof *entries);
    ck_assert(sink_lane_promise(lane));
    sink_lane_write(lane, root, (struct run){ entries, 1 });
    sink_lane_release(lane);
    root_release(root);
}

static void write_to(struct sink_lane *lane)
{
    queue_for(lane);
    ck_assert(sink_lane_wait(lane, WAIT_MS));
}

static void write_to_all(void)
{
    for (int i = 0; i < SINKS; i++) {
        write_to(&lanes[i]);
    }
    journal_forget(&journal);
}

static void finish(bool is_given_up)
{
    script.is_free = true;
    (void)stop_engine(&engine, is_given_up, WAIT_MS, &error);
    ck_assert(!engine.is_abandoned);
    for (int i = 0; i < SINKS; i++) {
        sink_lane_deinit(&lanes[i]);
    }
    root_pool_deinit(&letters);
    root_pool_deinit(&records);
    log_close(the_log);
    run_faults_deinit(&engine.faults);
    gate_deinit(&engine.gate);
    arena_deinit(&engine.arena);
}

START_TEST(all_flush_then_one_commit_then_all_publish)
{
    setup();
    write_to_all();
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    journal_expect(&journal, "flush flush publish+ publish+");
    ck_assert(is_committed(1));
    ck_assert_uint_eq(engine.checkpoints, 1);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error)); /* nothing has happened since */
    journal_expect(&journal, "flush flush publish+ publish+");
    finish(false);
}
END_TEST

/* Else the letter would be lost: its record counts as done with this checkpoint. */
START_TEST(a_letter_that_is_on_its_way_is_flushed_too)
{
    setup();
    engine.letters.lane = &lanes[1];
    script.sends_letter = true;
    queue_for(&lanes[0]);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    journal_expect(&journal, "write write flush flush publish+ publish+");
    finish(false);
}
END_TEST

START_TEST(what_does_not_flush_is_not_committed_and_discarded)
{
    setup();
    write_to_all();
    script.fails = "flush";
    ck_assert(!checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "sink b: broken"));
    ck_assert(!is_committed(0));
    finish(true);
    /* The other sink may have flushed before, or not been asked any more. */
    ck_assert(journal_has(&journal, "flush discard discard"));
    ck_assert(!journal_has(&journal, "publish"));
}
END_TEST

START_TEST(what_is_committed_is_never_discarded)
{
    setup();
    write_to_all();
    script.fails = "publish";
    ck_assert(!checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    ck_assert(is_committed(0) && is_committed(1));
    finish(true);
    ck_assert(!journal_has(&journal, "discard"));
}
END_TEST

/* Nothing is waited for at the closed gate: the sink stays away until it is told otherwise. */
START_TEST(a_flush_that_fails_for_now_puts_the_checkpoint_off)
{
    setup();
    write_to_all();
    script.away = "flush";
    atomic_store(&script.times, 1000);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    ck_assert(!engine.gate.is_closed);
    ck_assert_uint_eq(engine.checkpoints, 0);
    ck_assert(!is_committed(0));
    write_to(&lanes[0]);
    journal_expect(&journal, "flush write");
    atomic_store(&script.times, 0);
    ck_assert(sink_lane_wait(&lanes[1], WAIT_MS));
    journal_forget(&journal);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    journal_expect(&journal, "flush flush publish+ publish+");
    ck_assert(is_committed(1));
    finish(false);
}
END_TEST

START_TEST(a_sink_that_fails_for_now_each_time_does_not_put_off_for_ever)
{
    setup();
    script.away = "flush";
    for (uint32_t i = 0; engine.checkpoints == 0; i++) {
        ck_assert_uint_eq(engine.put_offs, i);
        ck_assert_uint_lt(i, 3);
        write_to_all();
        atomic_store(&script.times, 1);
        ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
        ck_assert(sink_lane_wait(&lanes[1], WAIT_MS));
    }
    ck_assert_uint_eq(engine.put_offs, 0);
    finish(false);
}
END_TEST

START_TEST(a_publish_that_fails_for_now_holds_nobody_and_is_not_discarded)
{
    setup();
    write_to_all();
    script.away = "publish";
    atomic_store(&script.times, 1000);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    ck_assert(!engine.gate.is_closed);
    ck_assert_uint_eq(engine.checkpoints, 1);
    write_to(&lanes[0]);
    ck_assert(sink_lane_trouble(&lanes[1], NULL));
    finish(true); /* what came after it is given up: by the first sink alone */
    journal_expect(&journal, "flush flush publish+ write+ discard+");
}
END_TEST

START_TEST(a_publish_that_is_tried_again_comes_before_the_next_flush)
{
    setup();
    write_to_all();
    script.away = "publish";
    atomic_store(&script.times, 2);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    ck_assert(checkpoint_make(&engine, CHECKPOINT_FINAL, &error));
    journal_expect(&journal, "flush flush publish+ publish+ flush+ flush+ publish+ publish+");
    ck_assert_uint_eq(engine.checkpoints, 2);
    finish(false);
}
END_TEST

START_TEST(a_sink_that_does_not_flush_in_time_is_named_at_a_stop)
{
    setup();
    write_to_all();
    script.hangs = "flush";
    stop_signals = 1;
    pipeline.shutdown_timeout_ms = 300;
    ck_assert(!checkpoint_make(&engine, CHECKPOINT_FINAL, &error));
    pipeline.shutdown_timeout_ms = WAIT_MS;
    ck_assert_int_eq(error.status, WEIR_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(error.message, "sink b"));
    ck_assert(!is_committed(0));
    finish(true);
}
END_TEST

START_TEST(a_sink_that_wants_a_flush_makes_a_checkpoint_of_nothing_else)
{
    setup();
    atomic_store(&engine.pool.since_checkpoint, 0);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    journal_expect(&journal, "");
    atomic_store(&lanes[1].wants_flush, true);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_NORMAL, &error));
    journal_expect(&journal, "flush flush publish+ publish+");
    finish(false);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("checkpoint");
    TCase *tc = tcase_create("checkpoint");
    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, all_flush_then_one_commit_then_all_publish);
    tcase_add_test(tc, a_letter_that_is_on_its_way_is_flushed_too);
    tcase_add_test(tc, what_does_not_flush_is_not_committed_and_discarded);
    tcase_add_test(tc, what_is_committed_is_never_discarded);
    tcase_add_test(tc, a_flush_that_fails_for_now_puts_the_checkpoint_off);
    tcase_add_test(tc, a_sink_that_fails_for_now_each_time_does_not_put_off_for_ever);
    tcase_add_test(tc, a_publish_that_fails_for_now_holds_nobody_and_is_not_discarded);
    tcase_add_test(tc, a_publish_that_is_tried_again_comes_before_the_next_flush);
    tcase_add_test(tc, a_sink_that_does_not_flush_in_time_is_named_at_a_stop);
    tcase_add_test(tc, a_sink_that_wants_a_flush_makes_a_checkpoint_of_nothing_else);
    suite_add_tcase(s, tc);
    return s;
}
