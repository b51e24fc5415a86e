/* SPDX-License-Identifier: MIT */
/*
 * Partitions that come and go: which sinks have an instance for them, and under which names the log has what
 * belongs to each. Two topics are read; the records of "in" come to the sink, those of "other" do not.
 */
#include "engine/sinks/seating.h"

#include <stdlib.h>

#include <weir/sink.h>

#include "base/logger.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/facts.h"
#include "engine/sinks/journal_fixture.h"

enum { WAIT_MS = 20000, TOPICS = 2, SINK = 0, LETTERS = 1, LANES = 2 };

/* An instance: its partition as it was told, "in[1]"; "all" where it was told none. */
struct sink {
    char name[40];
};

/* A token of which the sinks find nothing; "": none. held: an open or a flush of the sink does
 * not come back. */
static const char *gone;
static atomic_bool held;

/* Of the sink and of that of dead letters, whose lanes work side by side. */
static struct journal journals[LANES];

static struct engine engine;
static struct engine_options options;
static struct end letters_end;
static struct topic topics[TOPICS] = { { .name = "in", .log_name = "in" },
                                       { .name = "other", .log_name = "other" } };
static struct topic *topic_list[TOPICS] = { &topics[0], &topics[1] };
static struct pipeline pipeline = {
    .name = "p", .shutdown_timeout_ms = 60000, .topics = topic_list, .topic_count = TOPICS
};
static struct log_topic *topics_in_log[TOPICS];
static struct sink_lane lanes[LANES];
static struct sink_lane *lanes_by_end[1] = { &lanes[SINK] };
static struct meter meters[LANES];
static struct error error;

static void act(const struct sink *sink, const char *what)
{
    char text[100];
    snprintf(text, sizeof text, "%s:%s", sink->name, what);
    journal_tell(&journals[sink->name[0] == 'd' ? LETTERS : SINK], text);
}

static void hold(const struct sink *sink)
{
    while (sink->name[0] != 'd' && atomic_load(&held)) {
        pause_briefly();
    }
}

static weir_status sink_create(const weir_host *host, const void *config, void **ret_self)
{
    (void)host;
    (void)config;
    struct sink *sink = malloc(sizeof *sink);
    ck_assert_ptr_nonnull(sink);
    snprintf(sink->name, sizeof sink->name, "all");
    *ret_self = sink;
    return WEIR_OK;
}

static weir_status sink_assign(void *self, const weir_origin *origin)
{
    struct sink *sink = self;
    snprintf(sink->name, sizeof sink->name, "%.*s[%d]", (int)origin->topic_len, origin->topic,
             (int)origin->partition);
    return WEIR_OK;
}

static weir_status sink_open(void *self, weir_context *ctx, weir_slice token)
{
    char text[40];
    snprintf(text, sizeof text, "open(%.*s)", (int)token.size, (const char *)token.data);
    act(self, text);
    hold(self);
    if (token.size == 0 || !weir_same_bytes((const char *)token.data, (uint32_t)token.size, gone,
                                            (uint32_t)strlen(gone))) {
        return WEIR_OK;
    }
    weir_fail_class(ctx, -1, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, "it is gone", NULL);
    return WEIR_E_NOT_FOUND;
}

static weir_status sink_write(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    (void)ctx;
    (void)in;
    return WEIR_OK;
}

static weir_status sink_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                              weir_buffer *ret_token)
{
    const struct sink *sink = self;
    (void)ctx;
    (void)deadline_ns;
    act(sink, flags == WEIR_FLUSH_FINAL ? "flush(final)" : "flush");
    hold(sink);
    return weir_buffer_append(ret_token, sink->name, strlen(sink->name));
}

static weir_status sink_publish(void *self, weir_context *ctx, weir_slice token)
{
    (void)self;
    (void)ctx;
    (void)token;
    return WEIR_OK;
}

static weir_status sink_close(void *self, weir_context *ctx)
{
    (void)ctx;
    act(self, "close");
    return WEIR_OK;
}

static const weir_sink_vtable vtable = { .struct_size = sizeof vtable,
                                         .create = sink_create,
                                         .destroy = free,
                                         .open = sink_open,
                                         .write = sink_write,
                                         .flush = sink_flush,
                                         .publish = sink_publish,
                                         .close = sink_close,
                                         .assign = sink_assign };
static weir_factory spec;
static const struct factory factory = { .spec = &spec };
static struct end end = { .kind = END_SINK,
                          .plugin = { .factory = &factory, .label = "the sink" } };

/* Routes of "in", through the sink's end, and of "other", to nowhere. */
static struct plan_node nodes[] = { { .kind = PLAN_INPUT, .topic = &topics[0] },
                                    { .kind = PLAN_END, .end = &end },
                                    { .kind = PLAN_INPUT, .topic = &topics[1] } };
static const uint32_t first_route[] = { 0, 1 };
static const uint32_t second_route[] = { 2 };
static struct plan_route routes[] = { { &topics[0], first_route, 2 },
                                      { &topics[1], second_route, 1 } };
static struct plan plan = {
    .nodes = nodes, .node_count = 3, .routes = routes, .route_count = 2, .end_count = 1
};

static struct meter node_meters[sizeof nodes / sizeof nodes[0]];

static void start_lane(int number, const struct end *of, const char *kind, const char *name)
{
    static struct services services;
    struct sink_lane *lane = &lanes[number];
    ck_assert(sink_lane_start(lane, &services, of, &meters[number], &engine.faults, &error));
    lane->fact_kind = kind;
    lane->fact_name = name;
    engine.lane_count++;
    lane->takes_letters = number == LETTERS;
    ck_assert(seating_begin(&engine, lane, &error));
}

static void start(uint32_t flags, bool has_seats_by_partition)
{
    spec = (weir_factory){ .struct_size = sizeof spec,
                           .kind = WEIR_KIND_SINK,
                           .name = "scripted",
                           .flags = flags,
                           .vtable = &vtable };
    engine.has_seats_by_partition = has_seats_by_partition;
    start_lane(SINK, &end, "sink", "s.scripted");
    engine.letters.lane = &lanes[LETTERS];
    start_lane(LETTERS, &letters_end, fact_of_letters, "scripted");
}

static void setup(void)
{
    logger_configure(LOGGER_ERROR, false, false);
    for (int i = 0; i < LANES; i++) {
        journal_init(&journals[i]);
    }
    gone = "";
    atomic_store(&held, false);
    letters_end = end;
    letters_end.plugin.label = "dead letters";
    options = (struct engine_options){ .stop = NULL };
    engine = (struct engine){ .pipeline = &pipeline,
                              .options = &options,
                              .plan = &plan,
                              .meters = node_meters,
                              .log_topics = topics_in_log,
                              .lanes = lanes,
                              .lanes_by_end = lanes_by_end };
    arena_init(&engine.arena, 0);
    gate_init(&engine.gate);
    run_faults_init(&engine.faults, &engine.gate);
    ck_assert(watch_init(&engine.watch, &engine.arena, LANES));
    ck_assert_int_eq(log_open("memory", NULL, LOG_WRITE, &engine.log, &error), WEIR_OK);
    for (int i = 0; i < TOPICS; i++) {
        ck_assert_int_eq(
            log_topic_create(engine.log, topics[i].log_name, 4, &topics_in_log[i], &error),
            WEIR_OK);
    }
}

static void teardown(void)
{
    for (uint32_t i = 0; i < engine.lane_count; i++) {
        ck_assert(sink_lane_stop(&lanes[i], false, WAIT_MS));
        sink_lane_deinit(&lanes[i]);
    }
    log_close(engine.log);
    run_faults_deinit(&engine.faults);
    gate_deinit(&engine.gate);
    arena_deinit(&engine.arena);
    for (int i = 0; i < LANES; i++) {
        journal_deinit(&journals[i]);
    }
}

static void settle(void)
{
    for (uint32_t i = 0; i < engine.lane_count; i++) {
        ck_assert(sink_lane_wait(&lanes[i], WAIT_MS));
    }
}

static void forget_journal(void)
{
    settle();
    journal_forget(&journals[SINK]);
    journal_forget(&journals[LETTERS]);
}

static void expect(const char *of_sink, const char *of_letters)
{
    settle();
    journal_expect(&journals[SINK], of_sink);
    journal_expect(&journals[LETTERS], of_letters);
}

static struct log_change change_of(enum log_change_kind kind, struct log_share *share, int topic,
                                   uint32_t partition, bool leads)
{
    *share = (struct log_share){ .topic = topics_in_log[topic], .partition = partition };
    return (struct log_change){ .kind = kind, .shares = share, .share_count = 1, .leads = leads };
}

static void come(int topic, uint32_t partition, bool leads)
{
    struct log_share share;
    struct log_change change = change_of(LOG_CAME, &share, topic, partition, leads);
    ck_assert_int_eq(seating_come(&engine, &change, WAIT_MS, &error), WEIR_OK);
    settle();
}

static void go(enum log_change_kind kind, int topic, uint32_t partition, bool leads)
{
    struct log_share share;
    struct log_change change = change_of(kind, &share, topic, partition, leads);
    seating_go(&engine, &change);
}

/* What the log knows under this key; "-": nothing. */
static const char *fact(const char *key)
{
    weir_slice value;
    ck_assert_int_eq(log_fact_get(engine.log, "p", key, &engine.arena, &value, &error), WEIR_OK);
    return value.size == LOG_ABSENT ? "-"
                                    : arena_copy(&engine.arena, value.data, (size_t)value.size);
}

START_TEST(a_sink_gets_an_instance_for_each_partition_that_can_reach_it)
{
    start(WEIR_SINK_TRANSACTIONAL, true);
    come(0, 1, false);
    expect("in[1]:open()", "dead_letters.in[1]:open()");
    forget_journal();
    come(1, 2, true); /* that one reaches no sink, but there may be letters about it */
    expect("", "dead_letters.other[2]:open() dead_letters[0]:open()");
    forget_journal();
    come(0, 1, true); /* again */
    expect("", "");
}
END_TEST

START_TEST(one_for_all_is_not_touched)
{
    start(WEIR_SINK_AT_LEAST_ONCE | (_i == 1 ? WEIR_SINK_SHARED : 0u), _i == 1);
    settle();
    expect("all:open() all:open()", "");
    forget_journal();
    come(0, 1, true);
    go(LOG_LOST, 0, 1, false);
    ck_assert(seating_end(&engine, WAIT_MS, &error));
    expect("", "");
    ck_assert_ptr_null(lanes[SINK].seats->next);
    /* Every process has one: what it does is no fact of the group. */
    ck_assert_int_eq(lanes[SINK].seats->token_key == NULL, _i == 1);
}
END_TEST

START_TEST(what_goes_is_committed_under_its_own_name)
{
    start(WEIR_SINK_TRANSACTIONAL, true);
    come(0, 1, true);
    come(0, 3, true);
    forget_journal();
    go(LOG_GOING, 0, 3, false);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_HANDOVER, &error));
    ck_assert(seating_end(&engine, WAIT_MS, &error));
    expect("in[1]:flush in[3]:flush(final) in[3]:close",
           "dead_letters.in[1]:flush dead_letters[0]:flush(final) dead_letters.in[3]:flush(final) "
           "dead_letters[0]:close dead_letters.in[3]:close");
    ck_assert_str_eq(fact("sink/s.scripted/in/1"), "in[1]");
    ck_assert_str_eq(fact("sink/s.scripted/in/3"), "in[3]");
    ck_assert_str_eq(fact("dead_letters/scripted/in/3"), "dead_letters.in[3]");
    ck_assert_str_eq(fact("dead_letters/scripted"), "dead_letters[0]");
    forget_journal();
    come(0, 3, false); /* it comes back */
    expect("in[3]:open(in[3])", "dead_letters.in[3]:open(dead_letters.in[3])");
}
END_TEST

START_TEST(what_was_lost_is_not_flushed)
{
    start(WEIR_SINK_TRANSACTIONAL, true);
    come(0, 1, false);
    come(0, 3, false);
    forget_journal();
    go(LOG_LOST, 0, 3, false);
    ck_assert(seating_end(&engine, WAIT_MS, &error));
    atomic_store(&engine.pool.since_checkpoint, 1);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_HANDOVER, &error));
    expect("in[3]:close in[1]:flush", "dead_letters.in[3]:close dead_letters.in[1]:flush");
    ck_assert_str_eq(fact("sink/s.scripted/in/3"), "-");
}
END_TEST

/* Of what came and is not begun after all. */
static void put_off(const struct log_change *change)
{
    struct log_change back = *change;
    back.kind = LOG_LOST;
    back.leads = false;
    seating_go(&engine, &back);
    ck_assert(seating_end(&engine, WAIT_MS, &error));
}

static void commit_token(const char *token)
{
    struct log_fact fact = { .key = "sink/s.scripted/in/1",
                             .value = { (const uint8_t *)token, strlen(token) } };
    struct log_epoch epoch = { .facts = &fact, .fact_count = 1 };
    ck_assert_int_eq(log_commit(engine.log, "p", &epoch, &error), WEIR_OK);
}

START_TEST(what_an_outdated_token_names_is_asked_for_again)
{
    struct log_share share;
    struct log_change change = change_of(LOG_CAME, &share, 0, 1, true);
    start(WEIR_SINK_TRANSACTIONAL, true);
    commit_token("old");
    gone = "old";
    error = (struct error){ .status = WEIR_OK };
    ck_assert_int_eq(seating_come(&engine, &change, WAIT_MS, &error), WEIR_AGAIN);
    ck_assert_str_eq(error.message, "the sink in[1]: it is gone");
    ck_assert(!run_faults_error(&engine.faults, NULL));
    put_off(&change);
    expect("in[1]:open(old)", "dead_letters.in[1]:open() dead_letters[0]:open() "
                              "dead_letters.in[1]:close dead_letters[0]:close");
    forget_journal();
    commit_token("new");
    ck_assert_int_eq(seating_come(&engine, &change, WAIT_MS, &error), WEIR_OK);
    expect("in[1]:open(new)", "dead_letters.in[1]:open() dead_letters[0]:open()");
}
END_TEST

/* One that is stuck, and one that has refused what does not come any more. */
START_TEST(what_comes_waits_only_for_sinks_that_it_reaches)
{
    struct log_share share;
    struct log_change change = change_of(LOG_CAME, &share, 0, 1, false);
    start(WEIR_SINK_TRANSACTIONAL, true);
    come(0, 0, false);
    commit_token("old");
    gone = "old";
    ck_assert_int_eq(seating_come(&engine, &change, WAIT_MS, &error), WEIR_AGAIN);
    put_off(&change);
    atomic_store(&held, true);
    ck_assert(sink_lane_order(&lanes[SINK], LANE_FLUSH));
    change = change_of(LOG_CAME, &share, 1, 2, false);
    while (!journal_has(&journals[SINK], "in[0]:flush")) {
        pause_briefly();
    }
    ck_assert_int_eq(seating_come(&engine, &change, WAIT_MS, &error), WEIR_OK);
    atomic_store(&held, false);
}
END_TEST

static void *stop_soon(void *stop)
{
    while (!journal_has(&journals[SINK], "in[1]:open") &&
           !journal_has(&journals[SINK], "in[0]:flush")) {
        pause_briefly();
    }
    atomic_store((atomic_int *)stop, 1);
    return NULL;
}

/* Comes while the sink is stuck, and is put off since the run is to stop. */
static void come_in_vain(const struct log_change *change)
{
    pthread_t thread;
    atomic_int stop = 0;
    options.stop = &stop;
    ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    error = (struct error){ .status = WEIR_OK };
    ck_assert_int_eq(seating_come(&engine, change, WAIT_MS, &error), WEIR_AGAIN);
    ck_assert_int_eq(error.status, WEIR_OK);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    options.stop = NULL;
    atomic_store(&held, false);
    put_off(change);
}

START_TEST(nobody_waits_for_an_opening_when_the_run_is_to_stop)
{
    struct log_share share;
    struct log_change change = change_of(LOG_CAME, &share, 0, 1, false);
    start(WEIR_SINK_TRANSACTIONAL, true);
    atomic_store(&held, true);
    come_in_vain(&change);
    expect("in[1]:open() in[1]:close", "dead_letters.in[1]:open() dead_letters.in[1]:close");
}
END_TEST

START_TEST(what_was_not_opened_in_time_can_come_again)
{
    struct log_share share;
    struct log_change change = change_of(LOG_CAME, &share, 0, 1, false);
    start(WEIR_SINK_TRANSACTIONAL, true);
    come(0, 0, false);
    forget_journal();
    atomic_store(&held, true);
    ck_assert(sink_lane_order(&lanes[SINK], LANE_FLUSH));
    come_in_vain(&change);
    expect("in[0]:flush", "");
    come(0, 1, false);
    expect("in[0]:flush in[1]:open()", "dead_letters.in[1]:open()");
}
END_TEST

START_TEST(a_void_epoch_begins_again_everywhere)
{
    start(WEIR_SINK_TRANSACTIONAL, true);
    come(0, 0, false);
    come(0, 1, false);
    atomic_store(&engine.pool.since_checkpoint, 1);
    ck_assert(checkpoint_make(&engine, CHECKPOINT_HANDOVER, &error));
    forget_journal();
    ck_assert(seating_restart(&engine, WAIT_MS, &error));
    expect("in[0]:close in[1]:close in[0]:open(in[0]) in[1]:open(in[1])",
           "dead_letters.in[0]:close dead_letters.in[1]:close "
           "dead_letters.in[0]:open(dead_letters.in[0]) "
           "dead_letters.in[1]:open(dead_letters.in[1])");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("seating");
    TCase *tc = tcase_create("seating");
    tcase_set_timeout(tc, 30);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_sink_gets_an_instance_for_each_partition_that_can_reach_it);
    tcase_add_loop_test(tc, one_for_all_is_not_touched, 0, 2);
    tcase_add_test(tc, what_goes_is_committed_under_its_own_name);
    tcase_add_test(tc, what_was_lost_is_not_flushed);
    tcase_add_test(tc, what_an_outdated_token_names_is_asked_for_again);
    tcase_add_test(tc, what_comes_waits_only_for_sinks_that_it_reaches);
    tcase_add_test(tc, nobody_waits_for_an_opening_when_the_run_is_to_stop);
    tcase_add_test(tc, what_was_not_opened_in_time_can_come_again);
    tcase_add_test(tc, a_void_epoch_begins_again_everywhere);
    suite_add_tcase(s, tc);
    return s;
}
