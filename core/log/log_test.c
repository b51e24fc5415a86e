/* SPDX-License-Identifier: MIT */
/* What both logs must do alike: every test runs over each of them. */
#include "log/log.h"

#include "base/memory.h"
#include "log/both_logs_fixture.h"

/* ---- URLs ------------------------------------------------------------------------------------------ */

static const struct url_case {
    const char *url;
    const char *fault; /* NULL: understood */
} url_cases[] = {
    { "memory", NULL },
    { "local:weir-data", NULL },
    { "local:/var/lib/weir", NULL },
    { "local:", "folder" },
    { "kafka://localhost:9092", NULL },
    { "kafka://localhost:x", "'kafka://localhost:x': 'x' is no port" },
    { "kafka://a:x,:1", "'x' is no port" },
    { "kafka://someone:hunter22@localhost", "'kafka://...': the log's address names a user" },
    { "memory:x", "local:DIR, memory or kafka://HOST:PORT" },
    { "weir-data", "local:DIR, memory or kafka://HOST:PORT" },
    { "", "local:DIR, memory or kafka://HOST:PORT" },
};

START_TEST(understands_urls)
{
    const struct url_case *c = &url_cases[_i];
    weir_status wanted = c->fault == NULL ? WEIR_OK : WEIR_E_UNSUPPORTED;
    ck_assert_int_eq(log_url_check(c->url, &error), wanted);
    if (c->fault != NULL) {
        ck_assert_msg(strstr(error.message, c->fault) != NULL, "%s", error.message);
        ck_assert_msg(strstr(error.message, "hunter22") == NULL, "%s", error.message);
        struct log *log = NULL;
        ck_assert_int_eq(log_open(c->url, folder, LOG_WRITE, &log, &error), WEIR_E_UNSUPPORTED);
        ck_assert_msg(strstr(error.message, c->fault) != NULL, "%s", error.message);
    }
}
END_TEST

/* ---- topics ---------------------------------------------------------------------------------------- */

START_TEST(creates_finds_and_lists_topics)
{
    struct log *log = open_each(_i);
    struct arena arena;
    struct log_topic **topics = NULL;
    size_t count = 0;
    arena_init(&arena, 0);
    ck_assert_ptr_null(log_topic_find(log, "b"));
    struct log_topic *b = create_topic(log, "b", 3);
    struct log_topic *a = create_topic(log, "a", 1);
    struct log_topic *c = create_topic(log, "ab", 2);
    ck_assert_ptr_eq(log_topic_find(log, "b"), b);
    ck_assert_str_eq(b->name, "b");
    ck_assert_uint_eq(b->partitions, 3);
    ck_assert_ptr_eq(b->log, log);
    ck_assert_int_eq(log_topics(log, &arena, &topics, &count, &error), WEIR_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_ptr_eq(topics[0], a);
    ck_assert_ptr_eq(topics[1], c);
    ck_assert_ptr_eq(topics[2], b);
    arena_deinit(&arena);
}
END_TEST

START_TEST(refuses_impossible_topics)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    struct log_message message = message_of("k", "v", 0);
    struct log_partition_info info;
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    ck_assert_int_eq(log_topic_create(log, "t", 2, NULL, &error), WEIR_E_INVALID);
    ck_assert_str_eq(error.message, "the topic 't' exists already");
    ck_assert_int_eq(log_topic_create(log, "u", 0, NULL, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_create(log, "u", UINT32_MAX, NULL, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_create(log, "", 1, NULL, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_create(log, long_name, 1, NULL, NULL), WEIR_E_INVALID);
    ck_assert_int_eq(log_append(topic, 2, &message, 1, &error), WEIR_E_INVALID);
    ck_assert_str_eq(error.message, "the topic 't' has no partition 2; it has 2, counted from 0");
    ck_assert_int_eq(log_partition_info(topic, 2, &info, &error), WEIR_E_INVALID);
}
END_TEST

/* ---- appending and reading ------------------------------------------------------------------------- */

START_TEST(reads_what_was_appended_before_and_after_the_commit)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    append_samples(topic, 1, 0, 100);
    check_samples(topic, 1, 0, 100, 0, 7);
    check_samples(topic, 0, 0, 0, 0, 7);
    commit(log, NULL, NULL);
    check_samples(topic, 1, 0, 100, 0, 7);
    append_samples(topic, 1, 100, 50); /* half in the store, half in memory */
    check_samples(topic, 1, 0, 150, 0, 1000);
    check_samples(topic, 1, 99, 150, 0, 3);
    struct log_partition_info info = info_of(topic, 1);
    ck_assert_int_eq(info.begin, 0);
    ck_assert_int_eq(info.end, 150);
    ck_assert_int_eq(info.committed_end, 100);
    ck_assert_uint_gt(info.bytes, 100 * 24);
}
END_TEST

START_TEST(starts_at_the_begin_and_stops_at_the_end)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    struct arena arena;
    struct log_message *messages = NULL;
    uint32_t count = 9;
    arena_init(&arena, 0);
    append_samples(topic, 0, 0, 10);
    ck_assert_int_eq(read_messages(topic, 0, -5, 2, UINT64_MAX, &arena, &messages, &count, &error),
                     WEIR_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(messages[0].offset, 0);
    const int64_t ends[] = { 10, 11, INT64_MAX };
    for (size_t i = 0; i < 3; i++) {
        count = 9;
        ck_assert_int_eq(read_messages(topic, 0, ends[i], 2, 10, &arena, &messages, &count, &error),
                         WEIR_OK);
        ck_assert_uint_eq(count, 0);
    }
    ck_assert_int_eq(read_messages(topic, 0, 0, 0, 10, &arena, &messages, &count, &error), WEIR_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(read_messages(topic, 0, 0, 10, 0, &arena, &messages, &count, &error), WEIR_OK);
    ck_assert_uint_eq(count, 1);
    arena_deinit(&arena);
}
END_TEST

/* Many small messages over three partitions, commits at odd moments, reads of many sizes. */
START_TEST(keeps_100000_messages_of_three_partitions_apart)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 3);
    enum { EACH = 33334, STEP = 997 };
    for (int64_t n = 0; n < EACH; n += STEP) {
        int64_t count = EACH - n < STEP ? EACH - n : STEP;
        for (uint32_t p = 0; p < 3; p++) {
            append_samples(topic, p, n, count);
        }
        if (n % 3 == 0) {
            commit(log, NULL, NULL);
        }
    }
    const uint32_t sizes[] = { 1, 2, 999, 1000, 1001, 1024, 50000 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_samples(topic, (uint32_t)(i % 3), 0, EACH, 0, sizes[i]);
    }
    for (int64_t from = 0; from < EACH; from += 1237) {
        check_samples(topic, 2, EACH - from - 1, EACH, 0, 20000);
    }
}
END_TEST

START_TEST(a_read_spans_chunks_and_the_border_of_the_store)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    struct arena arena;
    struct log_message *messages = NULL;
    uint32_t count = 0;
    arena_init(&arena, 0);
    append_samples(topic, 0, 0, 2500);
    commit(log, NULL, NULL);
    append_samples(topic, 0, 2500, 1500);
    ck_assert_int_eq(
        read_messages(topic, 0, 10, 3980, UINT64_MAX, &arena, &messages, &count, &error), WEIR_OK);
    ck_assert_uint_eq(count, 3980);
    for (uint32_t i = 0; i < count; i++) {
        require(is_sample(&messages[i], messages[i].offset), "message %u", i);
    }
    ck_assert_int_eq(read_messages(topic, 0, 10, 3980, 40000, &arena, &messages, &count, &error),
                     WEIR_OK);
    ck_assert_uint_gt(count, 200);
    ck_assert_uint_lt(count, 2000);
    arena_deinit(&arena);
}
END_TEST

START_TEST(takes_messages_of_a_mebibyte_and_more)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    const size_t sizes[] = { 1 << 20, 1, 5 << 20, 200 * 1024, 256 * 1024, 0, 255 * 1024 };
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    char *value = malloc(5 << 20);
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT; i++) {
        memset(value, (int)('a' + i), sizes[i]);
        struct log_message message = { .timestamp = 5,
                                       .key = slice_of("big"),
                                       .value = { (const uint8_t *)value, sizes[i] } };
        ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_OK);
    }
    for (int round = 0; round < 2; round++) {
        struct log_message *messages = NULL;
        uint32_t count = 0;
        ck_assert_int_eq(
            read_messages(topic, 0, 0, 100, UINT64_MAX, &arena, &messages, &count, &error),
            WEIR_OK);
        ck_assert_uint_eq(count, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            memset(value, (int)('a' + i), sizes[i]);
            ck_assert_uint_eq(messages[i].value.size, sizes[i]);
            ck_assert_int_eq(memcmp(messages[i].value.data, value, sizes[i]), 0);
        }
        commit(log, NULL, NULL);
    }
    free(value);
    arena_deinit(&arena);
}
END_TEST

START_TEST(appends_all_messages_of_a_call_or_none)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    struct log_message messages[1500];
    append_samples(topic, 0, 0, 900);
    for (size_t i = 0; i < 1500; i++) {
        messages[i] = message_of("k", "v", 1 << 30);
    }
    messages[1499].value.size = UINT64_MAX / 2;
    uint64_t pending = log_pending_bytes(log);
    ck_assert_int_eq(log_append(topic, 0, messages, 1500, &error), WEIR_E_LIMIT);
    ck_assert_uint_eq(log_pending_bytes(log), pending);
    append_samples(topic, 0, 900, 300);
    commit(log, NULL, NULL);
    check_samples(topic, 0, 0, 1200, 0, 1000);
    int64_t offset = 0;
    ck_assert_int_eq(log_offset_at(topic, 0, 1 << 29, &offset, &error), WEIR_OK);
    ck_assert_int_eq(offset, 1200); /* the refused messages' time is forgotten as well */
}
END_TEST

/* Calls, and where the last one was from. */
struct wakes {
    int calls;
    const struct log_topic *topic;
    uint32_t partition;
};

static void count_call(void *self, const struct log_topic *topic, uint32_t partition)
{
    struct wakes *wakes = self;
    *wakes = (struct wakes){ wakes->calls + 1, topic, partition };
}

START_TEST(wakes_after_every_append)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    struct wakes wakes = { .calls = 0 };
    append_samples(topic, 1, 0, 1);
    log_on_append(log, count_call, &wakes);
    append_samples(topic, 1, 1, 3);
    ck_assert_int_eq(log_append(topic, 1, NULL, 0, &error), WEIR_OK);
    ck_assert_int_eq(wakes.calls, 3);
    ck_assert_ptr_eq(wakes.topic, topic);
    ck_assert_uint_eq(wakes.partition, 1);
    log_on_append(log, NULL, NULL);
    append_samples(topic, 1, 4, 1);
    ck_assert_int_eq(wakes.calls, 3);
}
END_TEST

/* ---- committing and rolling back ------------------------------------------------------------------- */

START_TEST(rollback_drops_what_was_not_committed)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    append_samples(topic, 0, 0, 1500);
    commit(log, "position/t/0", "1500");
    append_samples(topic, 0, 5000, 2200);
    append_samples(topic, 1, 7000, 1);
    roll_back(log);
    ck_assert_uint_eq(log_pending_bytes(log), 0);
    check_samples(topic, 0, 0, 1500, 0, 1000);
    check_samples(topic, 1, 0, 0, 0, 1000);
    append_samples(topic, 0, 1500, 700); /* the offsets are given again */
    check_samples(topic, 0, 0, 2200, 0, 1000);
    roll_back(log);
    roll_back(log);
    check_samples(topic, 0, 0, 1500, 0, 1000);
    check_fact(log, "group", "position/t/0", "1500");
}
END_TEST

START_TEST(counts_pending_bytes)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    ck_assert_uint_eq(log_pending_bytes(log), 0);
    append_samples(topic, 0, 0, 10);
    uint64_t after_ten = log_pending_bytes(log);
    ck_assert_uint_gt(after_ten, 10 * 24);
    append_samples(topic, 1, 0, 10);
    ck_assert_uint_eq(log_pending_bytes(log), 2 * after_ten);
    commit(log, NULL, NULL);
    ck_assert_uint_eq(log_pending_bytes(log), 0);
    ck_assert_uint_eq(info_of(topic, 0).bytes, after_ten);
}
END_TEST

/* ---- facts ----------------------------------------------------------------------------------------- */

START_TEST(keeps_facts_of_groups_apart)
{
    struct log *log = open_each(_i);
    const struct log_fact first[] = { fact_of("b", "1"), fact_of("a/x", "two"), fact_of("c", "") };
    const struct log_fact second[] = { fact_of("b", "a longer value"), fact_of("c", NULL),
                                       fact_of("never", NULL) };
    ck_assert_int_eq(commit_facts(log, "g", first, 3, &error), WEIR_OK);
    ck_assert_int_eq(commit_facts(log, "g2", first, 1, &error), WEIR_OK);
    check_fact(log, "g", "c", "");
    ck_assert_int_eq(commit_facts(log, "g", second, 3, &error), WEIR_OK);
    check_fact(log, "g", "b", "a longer value");
    check_fact(log, "g", "c", NULL);
    check_fact(log, "g2", "b", "1");
    check_fact(log, "g3", "b", NULL);
    check_fact(log, "g", "", NULL);

    struct arena arena;
    struct log_fact *facts = NULL;
    size_t count = 0;
    arena_init(&arena, 0);
    ck_assert_int_eq(log_facts(log, "g", &arena, &facts, &count, &error), WEIR_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(facts[0].key, "a/x");
    ck_assert(slice_equal(facts[0].value, slice_of("two")));
    ck_assert_str_eq(facts[1].key, "b");
    ck_assert(slice_equal(facts[1].value, slice_of("a longer value")));
    ck_assert_int_eq(log_facts(log, "", &arena, &facts, &count, &error), WEIR_OK);
    ck_assert_uint_eq(count, 0);
    arena_deinit(&arena);
}
END_TEST

START_TEST(facts_come_with_the_commit_only)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    append_samples(topic, 0, 0, 3);
    check_fact(log, "group", "position/t/0", NULL);
    commit(log, "position/t/0", "3");
    roll_back(log);
    check_fact(log, "group", "position/t/0", "3");
    check_samples(topic, 0, 0, 3, 0, 10);
}
END_TEST

/* ---- emptying and dropping ------------------------------------------------------------------------- */

/* What this process has not committed nobody has. */
START_TEST(what_it_tells_of_a_group_is_never_outdated)
{
    static const struct error gone = { .status = WEIR_E_NOT_FOUND, .message = "a file is gone" };
    struct arena arena;
    struct log_change change;
    arena_init(&arena, 0);
    the_log = open_log(urls[_i], folder, LOG_WRITE);
    struct log_topic *topic = NULL;
    ck_assert_int_eq(log_topic_create(the_log, "t", 2, &topic, &error), WEIR_OK);
    struct log_membership membership = { .group = "g", .topics = &topic, .topic_count = 1 };
    ck_assert_int_eq(log_join(the_log, &membership, &error), WEIR_OK);
    ck_assert_int_eq(log_change_put_off(the_log, &gone), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(log_change_put_off(the_log, NULL), WEIR_OK);
    ck_assert_int_eq(log_next_change(the_log, &arena, &change, &error), WEIR_OK);
    ck_assert_int_eq(change.kind, LOG_CAME);
    ck_assert_uint_eq(change.share_count, 2);
    arena_deinit(&arena);
}
END_TEST

START_TEST(an_emptied_topic_goes_on_counting)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    struct log_topic *other = create_topic(log, "u", 1);
    append_samples(topic, 0, 0, 2100);
    append_samples(other, 0, 0, 10);
    commit(log, NULL, NULL);
    append_samples(topic, 0, 2100, 100); /* pending ones go too */
    append_samples(topic, 1, 0, 5);
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_OK);
    ck_assert_uint_eq(log_pending_bytes(log), 0);
    struct log_partition_info info = info_of(topic, 0);
    ck_assert_int_eq(info.begin, 2200);
    ck_assert_int_eq(info.end, 2200);
    ck_assert_int_eq(info.committed_end, 2200);
    ck_assert_uint_eq(info.bytes, 0);
    check_samples(topic, 0, 2200, 2200, 0, 100);
    append_samples(topic, 0, 2200, 30);
    commit(log, NULL, NULL);
    append_samples(topic, 0, 2230, 30);
    check_samples(topic, 0, 2200, 2260, 0, 7);
    check_samples(other, 0, 0, 10, 0, 100);
    struct arena arena;
    struct log_message *messages = NULL;
    uint32_t count = 0;
    arena_init(&arena, 0);
    ck_assert_int_eq(read_messages(topic, 0, 0, 5, UINT64_MAX, &arena, &messages, &count, &error),
                     WEIR_OK);
    ck_assert_uint_eq(count, 5);
    ck_assert_int_eq(messages[0].offset, 2200);
    arena_deinit(&arena);
}
END_TEST

START_TEST(a_dropped_topic_is_gone_and_can_be_made_anew)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    struct log_message message = message_of("k", "v", 0);
    struct log_partition_info info;
    append_samples(topic, 0, 0, 1200);
    commit(log, NULL, NULL);
    append_samples(topic, 1, 0, 10);
    ck_assert_int_eq(log_topic_drop(topic, &error), WEIR_OK);
    ck_assert_uint_eq(log_pending_bytes(log), 0);
    ck_assert_ptr_null(log_topic_find(log, "t"));
    ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_E_NOT_FOUND);
    ck_assert_str_eq(error.message, "the topic 't' was dropped");
    ck_assert_int_eq(log_partition_info(topic, 0, &info, &error), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(log_topic_drop(topic, &error), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_E_NOT_FOUND);
    struct log_topic *again = create_topic(log, "t", 1);
    check_samples(again, 0, 0, 0, 0, 100);
    append_samples(again, 0, 500, 10);
    commit(log, NULL, NULL);
    check_samples(again, 0, 0, 10, 500, 100);
}
END_TEST

/* ---- by time --------------------------------------------------------------------------------------- */

static void check_time(struct log_topic *topic, int64_t timestamp, int64_t expected)
{
    int64_t offset = -1;
    ck_assert_int_eq(log_offset_at(topic, 0, timestamp, &offset, &error), WEIR_OK);
    ck_assert_msg(offset == expected, "time %" PRId64 ": offset %" PRId64 ", not %" PRId64,
                  timestamp, offset, expected);
}

/* Times that go up and down, compared with a search from the front. */
START_TEST(finds_the_first_offset_that_is_not_older)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    enum { COUNT = 9000 };
    static int64_t times[COUNT];
    uint64_t random = 42;
    check_time(topic, 0, 0);
    for (int64_t n = 0; n < COUNT; n++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        times[n] = n * 10 + (int64_t)(random >> 50) - 8000;
        struct log_message message = message_of("k", "v", times[n]);
        ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_OK);
        if (n % 1700 == 1699) {
            commit(log, NULL, NULL);
        }
    }
    for (int64_t time = -9000; time < COUNT * 10 + 9000; time += 331) {
        int64_t expected = 0;
        while (expected < COUNT && times[expected] < time) {
            expected++;
        }
        check_time(topic, time, expected);
    }
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_OK);
    check_time(topic, 0, COUNT);
    append_samples(topic, 0, 0, 10); /* older than what was there */
    check_time(topic, 0, COUNT);
    check_time(topic, 1004, COUNT + 4);
    check_time(topic, 5000, COUNT + 10);
}
END_TEST

/* ---- many at once ---------------------------------------------------------------------------------- */

START_TEST(commits_many_topics_and_partitions_at_once)
{
    struct log *log = open_each(_i);
    struct log_topic *topics[30];
    for (int t = 0; t < 30; t++) {
        char name[20];
        snprintf(name, sizeof name, "t%d", t);
        topics[t] = create_topic(log, name, 20);
        for (uint32_t p = 0; p < 20; p++) {
            append_samples(topics[t], p, t * 1000 + (int64_t)p, 2);
        }
    }
    commit(log, NULL, NULL);
    roll_back(log);
    for (int t = 0; t < 30; t++) {
        for (uint32_t p = 0; p < 20; p++) {
            check_samples(topics[t], p, 0, 2, t * 1000 + (int64_t)p, 9);
        }
    }
}
END_TEST

/* ---- without memory -------------------------------------------------------------------------------- */

/* Everything once; the first error ends it. */
static weir_status use_log(const char *url, struct arena *arena)
{
    const struct log_fact facts[] = { fact_of("a", "1"), fact_of("b", "2") };
    struct log_message message = message_of("k", "v", 0);
    struct log_topic *topic = NULL;
    struct log_message *messages = NULL;
    struct log_fact *found = NULL;
    uint32_t count = 0;
    size_t fact_count = 0;
    weir_status st = log_open(url, folder, LOG_WRITE, &the_log, &error);
    if (st == WEIR_OK) {
        st = log_topic_create(the_log, "t", 2, &topic, &error);
    }
    if (st == WEIR_OK) {
        st = log_append(topic, 1, &message, 1, &error);
    }
    if (st == WEIR_OK) {
        st = commit_facts(the_log, "g", facts, 2, &error);
    }
    if (st == WEIR_OK) {
        st = read_messages(topic, 1, 0, 10, 100, arena, &messages, &count, &error);
    }
    if (st == WEIR_OK) {
        ck_assert_uint_eq(count, 1);
        st = log_facts(the_log, "g", arena, &found, &fact_count, &error);
    }
    if (st == WEIR_OK) {
        ck_assert_uint_eq(fact_count, 2);
        st = log_topic_drop(topic, &error);
    }
    return st;
}

START_TEST(tells_when_there_is_no_memory)
{
    weir_status st = WEIR_E_NOMEM;
    size_t k = 1;
    for (; st != WEIR_OK && k < 200; k++) {
        struct arena arena;
        arena_init(&arena, 0);
        memory_fail_from(k);
        st = use_log(urls[_i], &arena);
        memory_fail_from(0);
        ck_assert_msg(st == WEIR_OK || st == WEIR_E_NOMEM, "allocation %zu: %s", k, error.message);
        log_close(the_log);
        the_log = NULL;
        arena_deinit(&arena);
        struct log *log = open_log(urls[_i], folder, LOG_WRITE); /* what it left can be used */
        struct log_topic *topic = log_topic_find(log, "t");
        ck_assert(topic == NULL || log_topic_drop(topic, &error) == WEIR_OK);
        log_close(log);
    }
    ck_assert_uint_gt(k, 5);
    ck_assert_int_eq(st, WEIR_OK);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("log");
    TCase *tc = tcase_create("log");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, understands_urls, 0, (int)(sizeof url_cases / sizeof url_cases[0]));
    tcase_add_loop_test(tc, creates_finds_and_lists_topics, 0, LOGS);
    tcase_add_loop_test(tc, refuses_impossible_topics, 0, LOGS);
    tcase_add_loop_test(tc, reads_what_was_appended_before_and_after_the_commit, 0, LOGS);
    tcase_add_loop_test(tc, starts_at_the_begin_and_stops_at_the_end, 0, LOGS);
    tcase_add_loop_test(tc, keeps_100000_messages_of_three_partitions_apart, 0, LOGS);
    tcase_add_loop_test(tc, a_read_spans_chunks_and_the_border_of_the_store, 0, LOGS);
    tcase_add_loop_test(tc, takes_messages_of_a_mebibyte_and_more, 0, LOGS);
    tcase_add_loop_test(tc, appends_all_messages_of_a_call_or_none, 0, LOGS);
    tcase_add_loop_test(tc, wakes_after_every_append, 0, LOGS);
    tcase_add_loop_test(tc, rollback_drops_what_was_not_committed, 0, LOGS);
    tcase_add_loop_test(tc, counts_pending_bytes, 0, LOGS);
    tcase_add_loop_test(tc, keeps_facts_of_groups_apart, 0, LOGS);
    tcase_add_loop_test(tc, facts_come_with_the_commit_only, 0, LOGS);
    tcase_add_loop_test(tc, what_it_tells_of_a_group_is_never_outdated, 0, LOGS);
    tcase_add_loop_test(tc, an_emptied_topic_goes_on_counting, 0, LOGS);
    tcase_add_loop_test(tc, a_dropped_topic_is_gone_and_can_be_made_anew, 0, LOGS);
    tcase_add_loop_test(tc, finds_the_first_offset_that_is_not_older, 0, LOGS);
    tcase_add_loop_test(tc, commits_many_topics_and_partitions_at_once, 0, LOGS);
    tcase_add_loop_test(tc, tells_when_there_is_no_memory, 0, LOGS);
    suite_add_tcase(s, tc);
    return s;
}
