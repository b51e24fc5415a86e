/* SPDX-License-Identifier: MIT */
/* Retention, trimming and compaction, over both logs. */
#include <stdatomic.h>

#include "base/clock.h"
#include "log/both_logs_fixture.h"
#include "log/embedded/store.h"

static struct log_topic *create_with(struct log *log, const char *name, uint32_t partitions,
                                     struct log_topic_options options)
{
    struct log_topic *topic = create_topic(log, name, partitions);
    ck_assert_int_eq(log_topic_configure(topic, &options, &error), WEIR_OK);
    return topic;
}

static void tidy(struct log *log, int64_t now_ms)
{
    bool is_done = false;
    weir_status st = log_tidy(log, now_ms, 60000, &is_done, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
    ck_assert(is_done);
}

/* Commits in pieces, so that there are many chunks. */
static void append_pieces(struct log_topic *topic, uint32_t partition, int64_t first, int64_t end,
                          int64_t step)
{
    for (int64_t n = first; n < end; n += step) {
        append_samples(topic, partition, n, end - n < step ? end - n : step);
        commit(topic->log, NULL, NULL);
    }
}

static void set_position(struct log *log, const char *group, const char *topic, uint32_t partition,
                         int64_t position)
{
    struct log_position done = { log_topic_find(log, topic), partition, position };
    struct log_epoch epoch = { .positions = &done, .position_count = 1 };
    ck_assert_int_eq(log_commit(log, group, &epoch, &error), WEIR_OK);
}

static int64_t position_of(struct log_topic *topic, const char *group, uint32_t partition)
{
    struct arena arena;
    struct log_reader *readers = NULL;
    size_t count = 0;
    int64_t position = -1;
    arena_init(&arena, 0);
    ck_assert_int_eq(log_readers(topic, NULL, &arena, &readers, &count, &error), WEIR_OK);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(readers[i].group, group) == 0 && readers[i].partition == partition) {
            position = readers[i].position;
        }
    }
    arena_deinit(&arena);
    return position;
}

static struct log_topic *reopen(int i, const char *name)
{
    if (strcmp(urls[i], "memory") != 0) {
        log_close(the_log);
        the_log = open_log(urls[i], folder, LOG_WRITE);
    }
    struct log_topic *topic = log_topic_find(the_log, name);
    ck_assert_ptr_nonnull(topic);
    return topic;
}

/* ---- options --------------------------------------------------------------------------------------- */

START_TEST(options_last)
{
    const struct log_topic_options options = {
        .retention_ms = 1, .retention_bytes = INT64_MAX, .tombstone_ms = 3, .is_compacted = true
    };
    struct log_topic_options found;
    struct log_topic *topic = create_topic(open_each(_i), "t", 2);
    ck_assert_int_eq(log_topic_options(topic, &found, &error), WEIR_OK);
    ck_assert_int_eq(found.retention_ms, 0);
    ck_assert(!found.is_compacted);
    ck_assert_int_eq(log_topic_configure(topic, &options, &error), WEIR_OK);
    create_topic(the_log, "u", 1); /* its id is a new one nevertheless */
    topic = reopen(_i, "t");
    ck_assert_int_eq(log_topic_options(topic, &found, &error), WEIR_OK);
    ck_assert_int_eq(found.retention_ms, 1);
    ck_assert_int_eq(found.retention_bytes, INT64_MAX);
    ck_assert_int_eq(found.tombstone_ms, 3);
    ck_assert(found.is_compacted);
    append_pieces(log_topic_find(the_log, "u"), 0, 0, 10, 5);
    check_samples(topic, 0, 0, 0, 0, 10);
}
END_TEST

/* ---- retention ------------------------------------------------------------------------------------- */

START_TEST(what_is_old_goes_and_offsets_stay)
{
    struct log *log = open_each(_i);
    struct log_topic *topic =
        create_with(log, "t", 2, (struct log_topic_options){ .retention_ms = 60000 });
    append_pieces(topic, 1, 0, 5000, 900);
    append_samples(topic, 1, 5000, 100); /* not committed: it stays */
    tidy(log, clock_wall_ms() + 30000);
    ck_assert_int_eq(info_of(topic, 1).begin, 0);
    tidy(log, clock_wall_ms() + 61000);
    struct log_partition_info info = info_of(topic, 1);
    ck_assert_int_gt(info.begin, 4000); /* the memory's chunk that still grows stays whole */
    ck_assert_int_le(info.begin, 5000);
    ck_assert_int_eq(info.count, info.committed_end - info.begin);
    check_samples(topic, 1, info.begin, 5100, 0, 333);
    commit(log, NULL, NULL);
    topic = reopen(_i, "t");
    ck_assert_int_eq(info_of(topic, 1).begin, info.begin);
    ck_assert_int_eq(info_of(topic, 1).count, 5100 - info.begin);
    check_samples(topic, 1, info.begin, 5100, 0, 1000);
}
END_TEST

START_TEST(a_partition_keeps_its_size_at_least)
{
    struct log *log = open_each(_i);
    struct log_topic *topic =
        create_with(log, "t", 2, (struct log_topic_options){ .retention_bytes = 100000 });
    append_pieces(topic, 0, 0, 9000, 1000);
    append_pieces(topic, 1, 0, 500, 100); /* less than the size */
    uint64_t before = info_of(topic, 0).bytes;
    tidy(log, clock_wall_ms());
    struct log_partition_info info = info_of(topic, 0);
    ck_assert_uint_ge(info.bytes, 100000);
    ck_assert_uint_lt(info.bytes, 300000);
    ck_assert_uint_lt(info.bytes, before / 2);
    ck_assert_int_gt(info.begin, 1000);
    check_samples(topic, 0, info.begin, 9000, 0, 1000);
    ck_assert_int_eq(info_of(topic, 1).begin, 0);
}
END_TEST

START_TEST(what_a_group_has_not_read_stays)
{
    struct log *log = open_each(_i);
    struct log_topic *topic =
        create_with(log, "t", 1, (struct log_topic_options){ .retention_ms = 1000 });
    append_pieces(topic, 0, 0, 10000, 1024);
    create_topic(log, "t2", 1);
    set_position(log, "fast", "t", 0, 10000);
    set_position(log, "slow", "t", 0, 2500);
    set_position(log, "other", "t2", 0, 0);
    tidy(log, clock_wall_ms() + 5000);
    ck_assert_int_eq(info_of(topic, 0).begin, 2048);
    set_position(log, "slow", "t", 0, 9000);
    tidy(log, clock_wall_ms() + 5000);
    ck_assert_int_gt(info_of(topic, 0).begin, 8000);
    ck_assert_int_le(info_of(topic, 0).begin, 9000);
}
END_TEST

START_TEST(works_in_small_pieces)
{
    struct log *log = open_each(_i);
    struct log_topic *topic =
        create_with(log, "t", 1, (struct log_topic_options){ .retention_ms = 1000 });
    append_pieces(topic, 0, 0, 200 * 1024, 1024);
    bool is_done = true;
    ck_assert_int_eq(log_tidy(log, clock_wall_ms() + 5000, 0, &is_done, &error), WEIR_OK);
    ck_assert(!is_done);
    ck_assert_int_eq(info_of(topic, 0).begin, 64 * 1024);
    tidy(log, clock_wall_ms() + 5000);
    ck_assert_int_ge(info_of(topic, 0).begin, 199 * 1024);
}
END_TEST

/* ---- trimming -------------------------------------------------------------------------------------- */

START_TEST(trims_to_the_offset_and_moves_positions)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 2);
    append_pieces(topic, 0, 0, 4000, 700);
    append_pieces(topic, 1, 0, 100, 100);
    set_position(log, "behind", "t", 0, 10);
    set_position(log, "ahead", "t", 0, 3000);
    set_position(log, "behind", "t", 1, 10);
    ck_assert_int_eq(log_trim(topic, 0, 2500, &error), WEIR_OK);
    struct log_partition_info info = info_of(topic, 0);
    ck_assert_int_eq(info.begin, 2500);
    ck_assert_int_eq(info.count, 1500);
    ck_assert_int_eq(position_of(topic, "behind", 0), 2500);
    ck_assert_int_eq(position_of(topic, "ahead", 0), 3000);
    ck_assert_int_eq(position_of(topic, "behind", 1), 10);
    ck_assert_int_eq(info_of(topic, 1).begin, 0);
    check_samples(topic, 0, 2500, 4000, 0, 100);
    ck_assert_int_eq(log_trim(topic, 0, 100, &error), WEIR_OK); /* nothing is there any more */
    ck_assert_int_eq(info_of(topic, 0).begin, 2500);
    topic = reopen(_i, "t");
    check_samples(topic, 0, 2500, 4000, 0, 1000);
    ck_assert_int_eq(log_trim(topic, 0, 2600, &error), WEIR_OK); /* in the same chunk */
    ck_assert_int_eq(info_of(topic, 0).count, 1400);
    ck_assert_int_eq(log_trim(topic, 0, INT64_MAX, &error), WEIR_OK);
    info = info_of(topic, 0);
    ck_assert_int_eq(info.begin, 4000);
    ck_assert_int_eq(info.count, 0);
    ck_assert_uint_eq(info.bytes, 0);
    append_pieces(topic, 0, 4000, 4010, 10);
    check_samples(topic, 0, 4000, 4010, 0, 100);
    ck_assert_int_eq(log_trim(topic, 2, 0, &error), WEIR_E_INVALID);
}
END_TEST

START_TEST(removing_messages_takes_positions_along)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    append_pieces(topic, 0, 0, 100, 100);
    set_position(log, "g", "t", 0, 10);
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_OK);
    ck_assert_int_eq(position_of(topic, "g", 0), 100);
    ck_assert_int_eq(log_topic_drop(topic, &error), WEIR_OK);
    topic = create_topic(log, "t", 1);
    ck_assert_int_eq(position_of(topic, "g", 0), -1);
}
END_TEST

/* ---- compaction ------------------------------------------------------------------------------------ */

enum { KEYS = 500 };

/* Update number n of a key; every seventh is a tombstone. */
static void append_update(struct log_topic *topic, int64_t n)
{
    char key[16];
    char value[32];
    snprintf(key, sizeof key, "k%d", (int)(n * 7919 % KEYS));
    snprintf(value, sizeof value, "v%" PRId64, n);
    struct log_message message = message_of(key, n % 7 == 0 ? NULL : value, n);
    require(log_append(topic, 0, &message, 1, &error) == WEIR_OK, "%s", error.message);
}

static void append_updates(struct log_topic *topic, int64_t first, int64_t end, int64_t step)
{
    for (int64_t n = first; n < end; n++) {
        append_update(topic, n);
        if ((n + 1) % step == 0) {
            commit(topic->log, NULL, NULL);
        }
    }
    commit(topic->log, NULL, NULL);
}

static bool is_update(const struct log_message *message, int64_t n)
{
    char key[16];
    size_t len = (size_t)snprintf(key, sizeof key, "k%d", (int)(n * 7919 % KEYS));
    return message->timestamp == n && message->key.size == len &&
           memcmp(message->key.data, key, len) == 0;
}

/* Reads all; every message is that of its offset. Returns how many. */
static int64_t read_updates(struct log_topic *topic, bool *is_there, int64_t from,
                            uint32_t max_count)
{
    struct arena arena;
    int64_t total = 0;
    int64_t offset = from;
    uint32_t count = 1;
    arena_init(&arena, 0);
    while (count > 0) {
        struct log_message *messages = NULL;
        weir_status st = read_messages(topic, 0, offset, max_count, UINT64_MAX, &arena, &messages,
                                       &count, &error);
        require(st == WEIR_OK, "%s", error.message);
        for (uint32_t i = 0; i < count; i++) {
            int64_t n = messages[i].offset;
            require(n >= offset && is_update(&messages[i], n), "at %" PRId64 " behind %" PRId64, n,
                    offset);
            if (is_there != NULL) {
                is_there[n] = true;
            }
            offset = n + 1;
        }
        total += count;
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    return total;
}

/* The newest of each key is there, in spite of everything. */
static void check_newest(const bool *is_there, int64_t end, bool with_tombstones)
{
    bool is_seen[KEYS] = { false };
    for (int64_t n = end - 1; n >= 0; n--) {
        int key = (int)(n * 7919 % KEYS);
        if (!is_seen[key] && (with_tombstones || n % 7 != 0) && !is_there[n]) {
            ck_abort_msg("the newest of key %d, at %" PRId64, key, n);
        }
        is_seen[key] = true;
    }
}

enum { UPDATES = 40000 };
static bool is_there[UPDATES * 2];

START_TEST(the_newest_of_each_key_stays)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_with(
        log, "t", 1, (struct log_topic_options){ .is_compacted = true, .tombstone_ms = 60000 });
    append_updates(topic, 0, UPDATES, 777);
    uint64_t before = info_of(topic, 0).bytes;
    tidy(log, clock_wall_ms());
    struct log_partition_info info = info_of(topic, 0);
    ck_assert_uint_lt(info.bytes, before / 10);
    ck_assert_int_eq(info.begin, 0);
    ck_assert_int_eq(info.end, UPDATES);
    memset(is_there, 0, sizeof is_there);
    ck_assert_int_eq(read_updates(topic, is_there, 0, 100), info.count);
    ck_assert_int_lt(info.count, KEYS + 1024 + 1);
    check_newest(is_there, UPDATES, true);
    ck_assert_int_eq(read_updates(topic, NULL, 0, 7), info.count);
    ck_assert_int_eq(read_updates(topic, NULL, UPDATES - 1, 7), 1);
    int64_t offset = 0;
    ck_assert_int_eq(log_offset_at(topic, 0, UPDATES - 10, &offset, &error), WEIR_OK);
    ck_assert_int_eq(offset, UPDATES - 10);
    ck_assert_int_eq(log_offset_at(topic, 0, 5, &offset, &error), WEIR_OK);
    ck_assert_int_ge(offset, 5);
    ck_assert(is_there[offset]);

    topic = reopen(_i, "t");
    ck_assert_int_eq(read_updates(topic, NULL, 0, 1000), info.count);
    append_updates(topic, UPDATES, 2 * UPDATES, 300);
    tidy(the_log, clock_wall_ms());
    memset(is_there, 0, sizeof is_there);
    info = info_of(topic, 0);
    ck_assert_int_eq(read_updates(topic, is_there, 0, 1000), info.count);
    ck_assert_int_lt(info.count, KEYS + 1024 + 1);
    check_newest(is_there, 2 * UPDATES, true);
}
END_TEST

START_TEST(compacts_while_messages_are_uncommitted)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_with(
        log, "t", 1, (struct log_topic_options){ .is_compacted = true, .tombstone_ms = 60000 });
    append_updates(topic, 0, UPDATES, 777);
    append_update(topic, UPDATES);
    int64_t before = info_of(topic, 0).count;
    tidy(log, clock_wall_ms());
    ck_assert_int_lt(info_of(topic, 0).count, before / 10);
    memset(is_there, 0, sizeof is_there);
    read_updates(topic, is_there, 0, 1000);
    check_newest(is_there, UPDATES + 1, true);
}
END_TEST

START_TEST(tombstones_go_after_their_time)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_with(
        log, "t", 1, (struct log_topic_options){ .is_compacted = true, .tombstone_ms = 60000 });
    append_updates(topic, 0, UPDATES, 777);
    int64_t now = clock_wall_ms();
    tidy(log, now);
    int64_t before = info_of(topic, 0).count;
    tidy(log, now + 59000);
    ck_assert_int_eq(info_of(topic, 0).count, before);
    set_position(log, "g", "t", 0, 0); /* somebody has not read them */
    tidy(log, now + 61000);
    ck_assert_int_eq(info_of(topic, 0).count, before);
    set_position(log, "g", "t", 0, UPDATES);
    tidy(log, now + 130000);
    ck_assert_int_lt(info_of(topic, 0).count, before);
    memset(is_there, 0, sizeof is_there);
    ck_assert_int_eq(read_updates(topic, is_there, 0, 1000), info_of(topic, 0).count);
    check_newest(is_there, UPDATES, false);
    int64_t left = 0;
    for (int64_t n = 0; n < UPDATES - 2000; n += 7) { /* none but those in the newest chunk */
        left += is_there[n];
    }
    ck_assert_int_eq(left, 0);
}
END_TEST

/*
 * A pass takes one step a call. It first notes the keys, in 8 steps; a log in a folder is closed after 9, so
 * that each pass rewrites some chunks, is cut off, and leaves less to the next.
 */
START_TEST(a_pass_that_is_cut_off_loses_nothing)
{
    enum { FEW = 12000, STEPS = 150 };
    struct log *log = open_each(_i);
    struct log_topic *topic = create_with(
        log, "t", 1, (struct log_topic_options){ .is_compacted = true, .tombstone_ms = 60000 });
    append_updates(topic, 0, FEW, 100);
    bool is_done = false;
    for (int steps = 0; steps < STEPS; steps++) {
        ck_assert_int_eq(log_tidy(the_log, clock_wall_ms(), 0, &is_done, &error), WEIR_OK);
        memset(is_there, 0, sizeof is_there);
        struct log_partition_info info = info_of(topic, 0);
        ck_assert_int_eq(read_updates(topic, is_there, 0, 1000), info.count);
        check_newest(is_there, FEW, true);
        if (steps % 9 == 8) {
            topic = reopen(_i, "t");
        }
        if (steps == 40) {
            ck_assert_int_eq(log_trim(topic, 0, 1234, &error), WEIR_OK);
        }
    }
    ck_assert_int_eq(info_of(topic, 0).begin, 1234);
    ck_assert_int_lt(info_of(topic, 0).count, KEYS + 1024 + 1);
    tidy(the_log, clock_wall_ms());
    ck_assert_int_lt(info_of(topic, 0).count, KEYS + 1024 + 1);
}
END_TEST

START_TEST(a_compacted_topic_takes_no_message_without_a_key)
{
    struct log *log = open_each(_i);
    struct log_topic *topic = create_topic(log, "t", 1);
    append_samples(topic, 0, 0, 5000); /* some have none; compaction leaves those */
    commit(log, NULL, NULL);
    struct log_topic_options options = { .is_compacted = true };
    ck_assert_int_eq(log_topic_configure(topic, &options, &error), WEIR_OK);
    struct log_message messages[] = { message_of("k", "v", 0), message_of(NULL, "v", 0) };
    ck_assert_int_eq(log_append(topic, 0, messages, 2, &error), WEIR_E_DATA);
    ck_assert_str_eq(error.message,
                     "the topic 't' is compacted and takes no message without a key");
    ck_assert_int_eq(info_of(topic, 0).end, 5000);
    tidy(log, clock_wall_ms());
    ck_assert_int_gt(info_of(topic, 0).count, 1000);
}
END_TEST

/* ---- beside readers and writers -------------------------------------------------------------------- */

static atomic_bool is_over;
static struct log_topic *the_topic;

/* From the beginning again and again: whatever is removed meanwhile, what comes is right. */
static void *read_on(void *arg)
{
    (void)arg;
    while (!atomic_load(&is_over)) {
        read_updates(the_topic, NULL, 0, 1500);
    }
    return NULL;
}

static void *tidy_on(void *arg)
{
    (void)arg;
    struct error fault = { .status = WEIR_OK };
    while (!atomic_load(&is_over)) {
        bool is_done = false;
        weir_status st = log_tidy(the_log, clock_wall_ms(), 5, &is_done, &fault);
        ck_assert_msg(st == WEIR_OK, "%s", fault.message);
    }
    return NULL;
}

START_TEST(readers_and_writers_go_on_meanwhile)
{
    pthread_t threads[2];
    struct log *log = open_each(_i);
    the_topic =
        create_with(log, "t", 1,
                    (struct log_topic_options){
                        .is_compacted = true, .tombstone_ms = 1, .retention_bytes = 200000 });
    ck_assert_int_eq(pthread_create(&threads[0], NULL, read_on, NULL), 0);
    ck_assert_int_eq(pthread_create(&threads[1], NULL, tidy_on, NULL), 0);
    append_updates(the_topic, 0, UPDATES, 500);
    atomic_store(&is_over, true);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    tidy(log, clock_wall_ms());
    memset(is_there, 0, sizeof is_there);
    struct log_partition_info info = info_of(the_topic, 0);
    ck_assert_int_eq(read_updates(the_topic, is_there, 0, 1000), info.count);
    ck_assert_int_lt(info.count, UPDATES / 2);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("tidy");
    TCase *tc = tcase_create("tidy");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, options_last, 0, LOGS);
    tcase_add_loop_test(tc, what_is_old_goes_and_offsets_stay, 0, LOGS);
    tcase_add_loop_test(tc, a_partition_keeps_its_size_at_least, 0, LOGS);
    tcase_add_loop_test(tc, what_a_group_has_not_read_stays, 0, LOGS);
    tcase_add_loop_test(tc, works_in_small_pieces, 0, LOGS);
    tcase_add_loop_test(tc, trims_to_the_offset_and_moves_positions, 0, LOGS);
    tcase_add_loop_test(tc, removing_messages_takes_positions_along, 0, LOGS);
    tcase_add_loop_test(tc, the_newest_of_each_key_stays, 0, LOGS);
    tcase_add_loop_test(tc, compacts_while_messages_are_uncommitted, 0, LOGS);
    tcase_add_loop_test(tc, tombstones_go_after_their_time, 0, LOGS);
    tcase_add_loop_test(tc, a_pass_that_is_cut_off_loses_nothing, 0, LOGS);
    tcase_add_loop_test(tc, a_compacted_topic_takes_no_message_without_a_key, 0, LOGS);
    tcase_add_loop_test(tc, readers_and_writers_go_on_meanwhile, 0, LOGS);
    suite_add_tcase(s, tc);
    return s;
}
