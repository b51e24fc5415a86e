/* SPDX-License-Identifier: MIT */
/* Seats of one lane that come, go, are lost and begin again. The sink writes a journal of its instances. */
#include <stdlib.h>

#include <weir/sink.h>

#include "engine/sinks/lane_fixture.h"

enum { SHORT_MS = 50, PARTITIONS = 8 };

/* An instance: the partition that it was told. */
struct sink {
    int partition;
};

/*
 * What the journal tells: "3:open(t) 3:write(100)": the instance of partition 3 is opened, writes the record
 * of offset 100.
 *
 * held    "3:write": where an instance does not come back
 * away    where it fails for now, every time
 * gone    where it finds that what the token names is not there; a publish takes that for passing
 * tokens  given so far: t1, t2, ...
 */
static struct script {
    _Atomic(const char *) held;
    _Atomic(const char *) away;
    _Atomic(const char *) gone;
    int tokens;
} script;

static bool is_named(const char *wanted, int partition, const char *slot)
{
    char name[40];
    snprintf(name, sizeof name, "%d:%s", partition, slot);
    return wanted != NULL && strcmp(wanted, name) == 0;
}

static weir_status act(const struct sink *sink, weir_context *ctx, const char *slot,
                       const char *detail)
{
    char text[100];
    snprintf(text, sizeof text, "%d:%s%s", sink->partition, slot, detail);
    journal_tell(&journal, text);
    while (is_named(atomic_load(&script.held), sink->partition, slot)) {
        pause_briefly();
    }
    if (is_named(atomic_load(&script.away), sink->partition, slot)) {
        weir_fail_for_now(ctx, -1, WEIR_E_IO, WEIR_CLASS_NETWORK, 1, "away", NULL);
        return WEIR_E_IO;
    }
    if (is_named(atomic_load(&script.gone), sink->partition, slot)) {
        bool is_final = strcmp(slot, "publish") != 0;
        weir_error_info info = { .struct_size = sizeof info,
                                 .status = WEIR_E_NOT_FOUND,
                                 .error_class = WEIR_CLASS_NOT_FOUND,
                                 .flags = is_final ? 0 : WEIR_ERROR_RETRIABLE,
                                 .record_index = -1,
                                 .message = "it is gone",
                                 .hint = "bring it back" };
        ctx->api->fail(ctx, &info);
        return WEIR_E_NOT_FOUND;
    }
    return WEIR_OK;
}

static weir_status sink_create(const weir_host *host, const void *config, void **ret_self)
{
    (void)host;
    (void)config;
    struct sink *sink = malloc(sizeof *sink);
    ck_assert_ptr_nonnull(sink);
    sink->partition = -1;
    *ret_self = sink;
    return WEIR_OK;
}

static void sink_destroy(void *self)
{
    act(self, NULL, "destroy", "");
    free(self);
}

static weir_status sink_assign(void *self, const weir_origin *origin)
{
    struct sink *sink = self;
    sink->partition = origin->partition;
    return WEIR_OK;
}

static weir_status with_token(void *self, weir_context *ctx, const char *slot, weir_slice token)
{
    char detail[40];
    snprintf(detail, sizeof detail, "(%.*s)", (int)token.size, (const char *)token.data);
    return act(self, ctx, slot, detail);
}

static weir_status sink_open(void *self, weir_context *ctx, weir_slice token)
{
    return with_token(self, ctx, "open", token);
}

static weir_status sink_write(void *self, weir_context *ctx, const weir_batch *in)
{
    char detail[100];
    snprintf(detail, sizeof detail, "(%.*s[%d] %d)", (int)in->origins->topic_len,
             in->origins->topic, (int)in->origins->partition, (int)in->entries[0].record->offset);
    return act(self, ctx, "write", detail);
}

static weir_status sink_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                              weir_buffer *ret_token)
{
    char token[16];
    (void)deadline_ns;
    int size = snprintf(token, sizeof token, "t%d", ++script.tokens);
    (void)weir_buffer_append(ret_token, token, (uint64_t)size);
    return act(self, ctx, "flush", flags == WEIR_FLUSH_FINAL ? "(final)" : "");
}

static weir_status sink_publish(void *self, weir_context *ctx, weir_slice token)
{
    return with_token(self, ctx, "publish", token);
}

static weir_status sink_discard(void *self, weir_context *ctx)
{
    return act(self, ctx, "discard", "");
}

static weir_status sink_close(void *self, weir_context *ctx)
{
    return act(self, ctx, "close", "");
}

static const weir_sink_vtable vtable = { .struct_size = sizeof vtable,
                                         .create = sink_create,
                                         .destroy = sink_destroy,
                                         .open = sink_open,
                                         .write = sink_write,
                                         .flush = sink_flush,
                                         .publish = sink_publish,
                                         .discard = sink_discard,
                                         .close = sink_close,
                                         .assign = sink_assign };
static void setup(void)
{
    script = (struct script){ .tokens = 0 };
    lane_setup(&vtable);
}

static void teardown(void)
{
    atomic_store(&script.held, NULL);
    ck_assert(sink_lane_stop(&lane, true, WAIT_MS));
    lane_teardown();
}

static weir_origin origin_of(int partition)
{
    return (weir_origin){ "in", 2, partition };
}

static void come(int partition, const char *token)
{
    add_seat(origin_of(partition), token);
}

/* A record of this offset. */
static void queue_record(int partition, int64_t offset)
{
    queue_batch(origin_of(partition), offset, 1);
}

static void give(enum lane_order order, bool is_for_leaving)
{
    struct lane_item item = { .order = order, .is_for_leaving = is_for_leaving };
    ck_assert(sink_lane_put(&lane, &item));
}

/* After the commit of what was flushed. */
static void publish(void)
{
    settle();
    for (struct seat *seat = lane.seats; seat != NULL; seat = seat->next) {
        if (seat->instance != NULL) {
            seat_commit(seat);
        }
    }
    give(LANE_PUBLISH, false);
}

static void leave(int partition, bool is_lost)
{
    weir_origin origin = origin_of(partition);
    sink_lane_mark(&lane, &origin, is_lost);
}

static void end_leaving(void)
{
    give(LANE_CLOSE, true);
    settle();
    sink_lane_vacate(&lane);
}

static void restart(void)
{
    struct error error;
    sink_lane_drop(&lane);
    give(LANE_DISCARD, false);
    give(LANE_CLOSE, false);
    settle();
    ck_assert(sink_lane_renew(&lane, &error));
    ck_assert(sink_lane_open(&lane));
    settle();
}

static void forget_journal(void)
{
    settle();
    journal_forget(&journal);
}

static void expect(const char *text)
{
    settle();
    journal_expect(&journal, text);
}

START_TEST(a_seat_is_added_while_others_write)
{
    come(0, "old");
    atomic_store(&script.held, "0:write");
    queue_record(0, 10);
    while (!journal_has(&journal, "write")) {
        pause_briefly();
    }
    come(1, "");
    queue_record(1, 20);
    queue_record(0, 11);
    atomic_store(&script.held, NULL);
    expect("0:open(old) 0:publish(old) 0:write(in[0] 10) 1:open() 1:write(in[1] 20) "
           "0:write(in[0] 11)");
}
END_TEST

START_TEST(a_partition_that_goes_is_finished_with_the_commit)
{
    come(0, "");
    come(1, "");
    queue_record(0, 1);
    queue_record(1, 1);
    forget_journal();
    leave(1, false);
    ck_assert(atomic_load(&lane.wants_flush)); /* a checkpoint has something to do */
    give(LANE_FLUSH, false);
    publish();
    end_leaving();
    queue_record(0, 2);
    expect("0:flush 1:flush(final) 0:publish(t1) 1:publish(t2) 1:close 1:destroy 0:write(in[0] 2)");
}
END_TEST

START_TEST(of_a_lost_partition_nothing_is_written_or_published)
{
    come(0, "");
    come(1, "");
    queue_record(1, 1);
    forget_journal();
    atomic_store(&script.held, "0:write");
    queue_record(0, 1);
    queue_record(1, 2);
    leave(1, true);
    give(LANE_CLOSE, true);
    atomic_store(&script.held, NULL);
    end_leaving();
    give(LANE_FLUSH, false);
    publish();
    expect("0:write(in[0] 1) 1:close 1:destroy 0:flush 0:publish(t1)");
}
END_TEST

START_TEST(a_lost_partition_is_not_waited_for)
{
    lane.retry_ms = 1000000;
    come(1, "");
    atomic_store(&script.away, "1:write");
    queue_record(1, 1);
    while (!sink_lane_trouble(&lane, NULL)) {
        pause_briefly();
    }
    leave(1, true);
    end_leaving();
    ck_assert(!sink_lane_trouble(&lane, NULL));
    ck_assert(!run_faults_error(&faults, NULL));
    ck_assert(journal_has(&journal, "1:close 1:destroy"));
}
END_TEST

START_TEST(a_partition_that_comes_again_takes_its_seat)
{
    come(3, "a");
    settle();
    const struct seat *seat = lane.seats;
    leave(3, true);
    end_leaving();
    forget_journal();
    come(3, "b");
    queue_record(3, 7);
    expect("3:open(b) 3:publish(b) 3:write(in[3] 7)");
    ck_assert_ptr_eq(lane.seats, seat);
    ck_assert_ptr_null(seat->next);
}
END_TEST

/* Several seats in one order. */
static void come_together(const char *first, const char *second)
{
    struct error error;
    const char *tokens[] = { first, second };
    for (int i = 0; i < 2; i++) {
        struct seat_start start = { .origin = origin_of(i),
                                    .token_key = "sink/s.scripted",
                                    .token = { (const uint8_t *)tokens[i], strlen(tokens[i]) } };
        ck_assert(sink_lane_add(&lane, &start, &error));
    }
    ck_assert(sink_lane_open(&lane));
    settle();
}

/* The token may be one of before, and then another one is asked for. */
START_TEST(what_a_token_names_and_is_not_there_is_a_refusal)
{
    atomic_store(&script.gone, _i == 0 ? "0:open" : "0:publish");
    come_together("a", "b");
    ck_assert(!run_faults_error(&faults, NULL));
    ck_assert_int_eq(lane.refusal.status, WEIR_E_NOT_FOUND);
    ck_assert_str_eq(lane.refusal.message, "the sink in[0]: it is gone");
    ck_assert_str_eq(lane.refusal.hint, "bring it back");
    leave(0, true);
    leave(1, true);
    end_leaving();
    expect(_i == 0 ? "0:open(a) 0:destroy 1:destroy"
                   : "0:open(a) 0:publish(a) 0:close 0:destroy 1:destroy");
    forget_journal();
    atomic_store(&script.gone, NULL);
    come_together("c", "d");
    ck_assert_int_eq(lane.refusal.status, WEIR_OK);
    expect("0:open(c) 0:publish(c) 1:open(d) 1:publish(d)");
}
END_TEST

static void expect_end_of_run(void)
{
    struct error error = { .status = WEIR_OK };
    settle();
    ck_assert(run_faults_error(&faults, &error));
    ck_assert_str_eq(error.message, "the sink in[0]: it is gone");
    ck_assert_int_eq(lane.refusal.status, WEIR_OK);
}

/* What is missing, no other token would bring. */
START_TEST(what_is_not_there_without_a_token_ends_the_run)
{
    atomic_store(&script.gone, "0:open");
    come_together("", "");
    expect_end_of_run();
}
END_TEST

/* Nobody else has given the token of this one. */
START_TEST(what_is_not_there_after_a_restart_ends_the_run)
{
    come_together("a", "");
    atomic_store(&script.gone, "0:open");
    restart();
    expect_end_of_run();
}
END_TEST

START_TEST(a_restart_begins_at_the_last_commit)
{
    come(0, "");
    come(1, "old");
    queue_record(0, 1);
    give(LANE_FLUSH, false);
    publish(); /* that was committed: t1, t2 */
    queue_record(0, 2);
    give(LANE_FLUSH, false); /* that was not: t3, t4 */
    forget_journal();
    restart();
    expect("0:discard 0:close 1:close 0:destroy 1:destroy 0:open(t1) 0:publish(t1) 1:open(t2) "
           "1:publish(t2)");
}
END_TEST

START_TEST(what_is_committed_and_not_published_is_left_to_the_next_one)
{
    lane.retry_ms = 1000000;
    come(0, "");
    queue_record(0, 1);
    give(LANE_FLUSH, false);
    atomic_store(&script.away, "0:publish");
    publish();
    while (!sink_lane_trouble(&lane, NULL)) {
        pause_briefly();
    }
    sink_lane_drop(&lane);
    settle();
    atomic_store(&script.away, NULL);
    forget_journal();
    restart();
    expect("0:close 0:destroy 0:open(t1) 0:publish(t1)");
}
END_TEST

START_TEST(a_restart_drops_what_is_queued_or_tried_again)
{
    lane.retry_ms = 1000000;
    come(0, "");
    atomic_store(&script.away, "0:write");
    queue_record(0, 1);
    queue_record(0, 2);
    while (!sink_lane_trouble(&lane, NULL)) {
        pause_briefly();
    }
    sink_lane_drop(&lane);
    settle();
    ck_assert(!journal_has(&journal, "write(in[0] 2)"));
    atomic_store(&script.away, NULL);
    forget_journal();
    restart();
    queue_record(0, 1);
    expect("0:discard 0:close 0:destroy 0:open() 0:write(in[0] 1)");
    ck_assert(!run_faults_error(&faults, NULL));
}
END_TEST

START_TEST(who_does_not_come_back_is_named_with_its_partition)
{
    come(2, "");
    come(3, "");
    atomic_store(&script.held, "3:flush");
    give(LANE_FLUSH, false);
    while (!journal_has(&journal, "3:flush")) {
        pause_briefly();
    }
    ck_assert(!sink_lane_wait(&lane, SHORT_MS));
    ck_assert_str_eq(sink_lane_busy_label(&lane), "the sink in[3]");
    atomic_store(&script.held, NULL);
    settle();
    ck_assert_str_eq(sink_lane_busy_label(&lane), "the sink");
}
END_TEST

START_TEST(records_of_a_partition_without_a_seat_end_the_run)
{
    struct error error;
    come(0, "");
    queue_record(5, 1);
    settle();
    ck_assert(run_faults_error(&faults, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "the sink: records of in[5] have come"));
}
END_TEST

START_TEST(letters_are_numbered_by_their_seat)
{
    struct error error;
    struct seat_start start = { .origin = origin_of(4),
                                .shown_as = { "letters.in", 10, 4 },
                                .letters_key = "dead_letters/in/4",
                                .letters = 100 };
    lane.takes_letters = true;
    ck_assert(sink_lane_add(&lane, &start, &error));
    ck_assert(sink_lane_open(&lane));
    queue_record(4, 0);
    queue_record(4, 0);
    give(LANE_FLUSH, false);
    publish();
    queue_record(4, 0);
    settle();
    restart();
    forget_journal();
    queue_record(4, 0); /* the third again */
    expect("4:write(letters.in[4] 102)");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("lane_roster");
    TCase *tc = tcase_create("lane_roster");
    tcase_set_timeout(tc, 20);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_seat_is_added_while_others_write);
    tcase_add_test(tc, a_partition_that_goes_is_finished_with_the_commit);
    tcase_add_test(tc, of_a_lost_partition_nothing_is_written_or_published);
    tcase_add_test(tc, a_lost_partition_is_not_waited_for);
    tcase_add_test(tc, a_partition_that_comes_again_takes_its_seat);
    tcase_add_loop_test(tc, what_a_token_names_and_is_not_there_is_a_refusal, 0, 2);
    tcase_add_test(tc, what_is_not_there_without_a_token_ends_the_run);
    tcase_add_test(tc, what_is_not_there_after_a_restart_ends_the_run);
    tcase_add_test(tc, a_restart_begins_at_the_last_commit);
    tcase_add_test(tc, what_is_committed_and_not_published_is_left_to_the_next_one);
    tcase_add_test(tc, a_restart_drops_what_is_queued_or_tried_again);
    tcase_add_test(tc, who_does_not_come_back_is_named_with_its_partition);
    tcase_add_test(tc, records_of_a_partition_without_a_seat_end_the_run);
    tcase_add_test(tc, letters_are_numbered_by_their_seat);
    suite_add_tcase(s, tc);
    return s;
}
