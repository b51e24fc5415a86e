/* SPDX-License-Identifier: MIT */
/* A lane with a sink that does what a script says, and tells what it was asked. */
#include <stdlib.h>

#include <weir/sink.h>

#include "engine/sinks/lane_fixture.h"
#include "engine/sinks/lane_seats.h"

enum { RECORDS = 5 };

/*
 * What the journal tells: "open() write(0 1) flush".
 *
 * away       calls of the slot `away_in` that fail for now, before one succeeds
 * delivered  records that such a write has delivered all the same
 * rejected, later  number of a record that fails for good, or for now where it comes first
 * tick       what tick returns
 */
static struct script {
    const char *away_in;
    int away;
    uint32_t delivered;
    int64_t rejected;
    int64_t later;
    _Atomic weir_status tick;
    atomic_bool is_held; /* write does not come back */
    atomic_int writes;   /* that have begun */
    atomic_int ticks;
} script;

static atomic_int room_calls;

static weir_status fail_now(weir_context *ctx, const char *slot)
{
    if (script.away_in == NULL || strcmp(script.away_in, slot) != 0 || script.away == 0) {
        return WEIR_OK;
    }
    script.away--;
    weir_fail_for_now(ctx, -1, WEIR_E_IO, WEIR_CLASS_NETWORK, 1, "away", NULL);
    return WEIR_E_IO;
}

static weir_status sink_open(void *self, weir_context *ctx, weir_slice token)
{
    (void)self;
    journal_tell_token(&journal, "open", token);
    return fail_now(ctx, "open");
}

static weir_status sink_write(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    char text[100] = "write(";
    atomic_fetch_add(&script.writes, 1);
    while (atomic_load(&script.is_held)) {
        pause_briefly();
    }
    WEIR_EACH(ctx, in, entry) {
        int64_t number = entry->record->value.as.i64;
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%d", size > 6 ? " " : "", (int)number);
        if (number == script.rejected) {
            weir_fail(ctx, "never");
        } else if (number == script.later) {
            script.later = -1;
            weir_fail_for_now(ctx, ctx->cursor, WEIR_E_IO, WEIR_CLASS_NETWORK, 0, "later", NULL);
        }
    }
    size_t end = strlen(text);
    snprintf(text + end, sizeof text - end, ")");
    journal_tell(&journal, text);
    weir_status st = fail_now(ctx, "write");
    if (st != WEIR_OK) {
        weir_delivered(ctx, 0, script.delivered);
    }
    return st;
}

static weir_status sink_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                              weir_buffer *ret_token)
{
    (void)self;
    (void)deadline_ns;
    journal_tell(&journal, flags == WEIR_FLUSH_FINAL ? "flush(final)" : "flush");
    (void)weir_buffer_append(ret_token, "t",
                             1); /* twice where it failed and that was not dropped */
    return fail_now(ctx, "flush");
}

static weir_status sink_publish(void *self, weir_context *ctx, weir_slice token)
{
    (void)self;
    journal_tell_token(&journal, "publish", token);
    return fail_now(ctx, "publish");
}

static weir_status sink_discard(void *self, weir_context *ctx)
{
    (void)self;
    (void)ctx;
    journal_tell(&journal, "discard");
    return WEIR_OK;
}

static weir_status sink_close(void *self, weir_context *ctx)
{
    (void)self;
    (void)ctx;
    journal_tell(&journal, "close");
    return WEIR_OK;
}

static weir_status sink_tick(void *self, weir_context *ctx, int64_t now_ms, int64_t *ret_next_ms)
{
    (void)self;
    (void)ctx;
    atomic_fetch_add(&script.ticks, 1);
    *ret_next_ms = now_ms + 20;
    return script.tick;
}

static const weir_sink_vtable with_tick = { .struct_size = sizeof with_tick,
                                            .open = sink_open,
                                            .write = sink_write,
                                            .flush = sink_flush,
                                            .publish = sink_publish,
                                            .discard = sink_discard,
                                            .close = sink_close,
                                            .tick = sink_tick };
static weir_sink_vtable vtable;
static void count_room(void *self)
{
    (void)self;
    atomic_fetch_add(&room_calls, 1);
}

static void setup(void)
{
    script = (struct script){ .rejected = -1, .later = -1 };
    vtable = with_tick;
    vtable.tick = NULL;
    room_calls = 0;
    lane_setup(&vtable);
    lane.retry_ms = 1000000;
    lane.room = (struct lane_room){ count_room, NULL };
}

static void order(enum lane_order one)
{
    ck_assert(sink_lane_order(&lane, one));
    settle();
}

/* A seat for all partitions, with this token. */
static void begin_with(const char *token)
{
    add_seat((weir_origin){ 0 }, token);
    settle();
}

static void begin(void)
{
    begin_with(""); /* no token: there is nothing to publish */
}

static const weir_origin origin = { "in", 2, 0 };

static void write_batch(void)
{
    queue_batch(origin, 0, RECORDS);
}

/* What the sink was asked since it was opened. */
static void expect(const char *text)
{
    settle();
    journal_expect(&journal, text);
}

static void stop(bool is_given_up)
{
    ck_assert(sink_lane_stop(&lane, is_given_up, WAIT_MS));
}

START_TEST(a_checkpoint_runs_in_the_order_of_the_contract)
{
    begin();
    write_batch();
    write_batch();
    order(LANE_FLUSH);
    order(LANE_PUBLISH);
    order(LANE_FLUSH_FINAL);
    order(LANE_PUBLISH);
    stop(false);
    journal_expect(&journal, "open() write(0 1 2 3 4) write(0 1 2 3 4) flush publish(t) "
                             "flush(final) publish(t) close");
}
END_TEST

START_TEST(the_queue_is_bounded_and_room_is_told_at_half)
{
    begin();
    atomic_store(&script.is_held, true);
    write_batch();
    while (atomic_load(&script.writes) == 0) { /* the first one leaves the queue */
        pause_briefly();
    }
    for (int i = 0; i < LANE_QUEUE; i++) {
        write_batch();
    }
    ck_assert(!sink_lane_promise(&lane));
    ck_assert_int_eq(room_calls, 0);
    atomic_store(&script.is_held, false);
    settle();
    ck_assert_int_eq(room_calls, 1);
    ck_assert(sink_lane_promise(&lane));
    sink_lane_release(&lane);
    stop(false);
}
END_TEST

static void *write_waiting(void *self)
{
    struct run run;
    struct root *root = make_batch(origin, 0, RECORDS, &run);
    *(bool *)self = sink_lane_write_waiting(&lane, root, run);
    root_release(root);
    return NULL;
}

/* One batch is in the call and one in the queue, which has no room for further bytes. */
static pthread_t wait_for_bytes(bool *is_written)
{
    pthread_t thread;
    lane.byte_limit = 1;
    begin();
    atomic_store(&script.is_held, true);
    write_batch();
    while (atomic_load(&script.writes) == 0) {
        pause_briefly();
    }
    write_batch();
    ck_assert(!sink_lane_is_awaited(&lane));
    ck_assert_int_eq(pthread_create(&thread, NULL, write_waiting, is_written), 0);
    while (!sink_lane_is_awaited(&lane)) {
        pause_briefly();
    }
    return thread;
}

START_TEST(who_waits_for_room_is_seen_and_gets_it)
{
    bool is_written = false;
    pthread_t thread = wait_for_bytes(&is_written);
    atomic_store(&script.is_held, false);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(is_written);
    settle();
    ck_assert_int_eq(script.writes, 3);
    ck_assert(!sink_lane_is_awaited(&lane));
    stop(false);
}
END_TEST

START_TEST(a_stop_ends_the_wait_for_room)
{
    bool is_written = true;
    pthread_t thread = wait_for_bytes(&is_written);
    gate_stop(&gate);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(!is_written);
    atomic_store(&script.is_held, false);
    stop(false);
    ck_assert_int_eq(script.writes, 2);
}
END_TEST

/* As where topics alternate, and a batch is run message by message. */
START_TEST(parts_of_one_batch_count_for_its_memory_once)
{
    struct run run;
    begin();
    struct root *root = make_batch(origin, 0, RECORDS, &run);
    uint64_t whole = root_turn_bytes(root);
    root->message_count = RECORDS;
    root->turn_messages = 1;
    lane.byte_limit = whole;
    atomic_store(&script.is_held, true);
    for (uint32_t i = 0; i < RECORDS; i++) {
        ck_assert(sink_lane_promise(&lane));
        sink_lane_write(&lane, root, (struct run){ &run.entries[i], 1 });
        sink_lane_release(&lane);
    }
    ck_assert_uint_le(root_turn_bytes(root) * RECORDS, whole);
    root->turn_messages = RECORDS;
    ck_assert_uint_eq(root_turn_bytes(root), whole);
    root_release(root);
    atomic_store(&script.is_held, false);
    settle();
    stop(false);
}
END_TEST

START_TEST(promises_alone_can_fill_the_queue)
{
    begin();
    for (int i = 0; i < LANE_QUEUE; i++) {
        ck_assert(sink_lane_promise(&lane));
    }
    ck_assert(!sink_lane_promise(&lane));
    for (int i = 0; i < LANE_QUEUE; i++) {
        sink_lane_release(
            &lane); /* nothing was written: the waiting must hear of it all the same */
    }
    ck_assert_int_eq(room_calls, 1);
    stop(false);
}
END_TEST

START_TEST(a_write_that_fails_for_now_is_made_again)
{
    script.away_in = "write";
    script.away = 2;
    begin();
    write_batch();
    expect("open() write(0 1 2 3 4) write(0 1 2 3 4) write(0 1 2 3 4)");
    ck_assert(!sink_lane_trouble(&lane, NULL));
    ck_assert(!run_faults_error(&faults, NULL));
    stop(false);
}
END_TEST

START_TEST(what_was_delivered_or_rejected_is_not_written_again)
{
    script.away_in = "write";
    script.away = 1;
    script.delivered = 2;
    script.rejected = 3;
    begin();
    write_batch();
    expect("open() write(0 1 2 3 4) write(2 4)");
    ck_assert_uint_eq(meter_get(&meter.failed), 1);
    stop(false);
}
END_TEST

START_TEST(a_record_that_fails_for_now_is_written_again_alone)
{
    script.later = 1;
    script.rejected = 4;
    begin();
    write_batch();
    write_batch();
    expect("open() write(0 1 2 3 4) write(1) write(0 1 2 3 4)");
    ck_assert_uint_eq(meter_get(&meter.failed), 2);
    stop(false);
}
END_TEST

START_TEST(flush_and_publish_are_tried_again_with_the_right_token)
{
    static const char *const slots[] = { "flush", "publish" };
    static const char *const told[] = { "open() flush flush publish(t)",
                                        "open() flush publish(t) publish(t)" };
    script.away_in = slots[_i];
    script.away = 1;
    begin();
    order(LANE_FLUSH);
    order(LANE_PUBLISH);
    expect(told[_i]);
    stop(false);
}
END_TEST

START_TEST(whoever_stays_away_ends_the_run)
{
    struct error error;
    lane.retry_ms = 300;
    script.away_in = "write";
    script.away = 1000;
    begin();
    write_batch();
    settle();
    ck_assert(run_faults_error(&faults, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "the sink: write: away; given up after"));
    journal_forget(&journal);
    order(LANE_FLUSH); /* nothing more is asked of it */
    stop(true);
    journal_expect(&journal, "discard close");
}
END_TEST

START_TEST(an_open_that_fails_is_neither_tried_again_nor_closed)
{
    script.away_in = "open";
    script.away = 1;
    begin();
    stop(true);
    journal_expect(&journal, "open()");
    ck_assert(run_faults_error(&faults, NULL));
}
END_TEST

START_TEST(nothing_is_discarded_that_was_published)
{
    begin();
    write_batch();
    order(LANE_FLUSH);
    order(LANE_PUBLISH);
    stop(true);
    journal_expect(&journal, "open() write(0 1 2 3 4) flush publish(t) close");
}
END_TEST

START_TEST(a_wait_ends_when_the_run_stops)
{
    script.away_in = "write";
    script.away = 1000;
    begin();
    write_batch();
    while (!sink_lane_trouble(&lane, NULL)) {
        pause_briefly();
    }
    gate_stop(&gate);
    stop(true);
}
END_TEST

START_TEST(tick_comes_by_the_clock_and_can_ask_for_a_flush)
{
    vtable.tick = sink_tick;
    begin();
    while (atomic_load(&script.ticks) < 3) {
        pause_briefly();
    }
    ck_assert(!gate.wants_checkpoint);
    script.tick = WEIR_AGAIN;
    gate_attend(&gate, true, WAIT_MS);
    ck_assert(gate.wants_checkpoint);
    ck_assert(atomic_load(&lane.wants_flush));
    order(LANE_FLUSH);
    int ticks = atomic_load(&script.ticks);
    ck_assert(!atomic_load(&lane.wants_flush));
    ck_assert_int_eq(lane_seats_tick_due(&lane), INT64_MAX); /* between flush and publish */
    script.tick = WEIR_OK;
    order(LANE_PUBLISH);
    while (atomic_load(&script.ticks) == ticks) {
        pause_briefly();
    }
    stop(false);
}
END_TEST

START_TEST(a_seat_publishes_what_was_stored_before_anything_else)
{
    script.away_in = "publish";
    script.away = 1;
    begin_with("old");
    write_batch();
    stop(false);
    journal_expect(&journal, "open(old) publish(old) publish(old) write(0 1 2 3 4) close");
}
END_TEST

START_TEST(tick_does_not_come_after_a_fault)
{
    struct error error = { .status = WEIR_OK };
    vtable.tick = sink_tick;
    begin();
    error_set(&error, WEIR_E_IO, WEIR_CLASS_NETWORK, "elsewhere");
    run_faults_fatal(&faults, "another", &error);
    settle();
    ck_assert_int_eq(lane_seats_tick_due(&lane), INT64_MAX);
    stop(true);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("sink_lane");
    TCase *tc = tcase_create("sink_lane");
    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, setup, lane_teardown);
    tcase_add_test(tc, a_checkpoint_runs_in_the_order_of_the_contract);
    tcase_add_test(tc, the_queue_is_bounded_and_room_is_told_at_half);
    tcase_add_test(tc, who_waits_for_room_is_seen_and_gets_it);
    tcase_add_test(tc, a_stop_ends_the_wait_for_room);
    tcase_add_test(tc, parts_of_one_batch_count_for_its_memory_once);
    tcase_add_test(tc, promises_alone_can_fill_the_queue);
    tcase_add_test(tc, a_write_that_fails_for_now_is_made_again);
    tcase_add_test(tc, what_was_delivered_or_rejected_is_not_written_again);
    tcase_add_test(tc, a_record_that_fails_for_now_is_written_again_alone);
    tcase_add_loop_test(tc, flush_and_publish_are_tried_again_with_the_right_token, 0, 2);
    tcase_add_test(tc, whoever_stays_away_ends_the_run);
    tcase_add_test(tc, an_open_that_fails_is_neither_tried_again_nor_closed);
    tcase_add_test(tc, nothing_is_discarded_that_was_published);
    tcase_add_test(tc, a_wait_ends_when_the_run_stops);
    tcase_add_test(tc, tick_comes_by_the_clock_and_can_ask_for_a_flush);
    tcase_add_test(tc, a_seat_publishes_what_was_stored_before_anything_else);
    tcase_add_test(tc, tick_does_not_come_after_a_fault);
    suite_add_tcase(s, tc);
    return s;
}
