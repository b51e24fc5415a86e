/* SPDX-License-Identifier: MIT */
/* What others see of a log in a folder while its writer is at work, and that they leave no trace. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "log/embedded/local/local_fixture.h"

START_TEST(a_reader_sees_the_committed_and_leaves_no_trace)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "t", 1), 0, 0, 1500);
    commit(log, "position/x", "1");
    append_samples(find_topic(log, "t"), 0, 1500, 100);
    log_close(log);
    char *before = describe_folder();
    struct log *reader = open_log(url, folder, LOG_READ);
    struct log_topic *topic = find_topic(reader, "t");
    check_samples(topic, 0, 0, 1500, 0, 1000);
    check_fact(reader, "group", "position/x", "1");
    ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
    struct log_message message = message_of("k", "v", 0);
    ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_create(reader, "u", 1, NULL, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_drop(topic, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_E_INVALID);
    ck_assert_int_eq(commit_facts(reader, "g", NULL, 0, &error), WEIR_E_INVALID);
    log_close(reader);
    char *after = describe_folder();
    ck_assert_str_eq(after, before);
    free(before);
    free(after);
    DIR *rest = opendir(folder); /* nor any in the folder for temporary files */
    for (struct dirent *entry = readdir(rest); entry != NULL; entry = readdir(rest)) {
        ck_assert_msg(entry->d_name[0] == '.' || strcmp(entry->d_name, "data") == 0, "%s",
                      entry->d_name);
    }
    closedir(rest);
}
END_TEST

START_TEST(a_reader_of_nothing_is_told_so)
{
    struct log *log = NULL;
    struct stat file;
    ck_assert_int_eq(log_open(url, folder, LOG_READ, &log, &error), WEIR_E_NOT_FOUND);
    ck_assert_str_eq(error.message, "there is no log in 'data'");
    ck_assert_int_ne(stat(path, &file), 0);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(log_open(url, folder, LOG_READ, &log, &error), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(log_open("memory", folder, LOG_READ, &log, &error), WEIR_E_NOT_FOUND);
}
END_TEST

START_TEST(a_reader_follows_topics_that_come_and_go)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "old", 1), 0, 0, 10);
    create_topic(log, "same", 1);
    commit(log, NULL, NULL);
    struct log *reader = open_log(url, folder, LOG_READ);
    struct log_topic *old = find_topic(reader, "old");
    struct log_topic *same = find_topic(reader, "same");
    check_samples(old, 0, 0, 10, 0, 100);
    ck_assert_int_eq(log_topic_drop(find_topic(log, "old"), &error), WEIR_OK);
    append_samples(create_topic(log, "new", 2), 1, 0, 5);
    append_samples(find_topic(log, "same"), 0, 0, 5);
    check_samples(same, 0, 0, 0, 0, 100); /* not committed */
    commit(log, NULL, NULL);
    ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
    ck_assert_ptr_null(log_topic_find(reader, "old"));
    ck_assert_ptr_eq(log_topic_find(reader, "same"), same);
    check_samples(same, 0, 0, 5, 0, 100);
    check_samples(find_topic(reader, "new"), 1, 0, 5, 0, 100);
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(old, 0, &info, &error), WEIR_E_NOT_FOUND);

    ck_assert_int_eq(log_topic_drop(find_topic(log, "same"), &error), WEIR_OK);
    append_samples(create_topic(log, "same", 7), 6, 100, 5);
    ck_assert_int_eq(log_topic_empty(find_topic(log, "new"), &error), WEIR_OK);
    commit(log, NULL, NULL);
    ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
    ck_assert_ptr_ne(log_topic_find(reader, "same"), same);
    check_samples(find_topic(reader, "same"), 6, 0, 5, 100, 100);
    check_samples(find_topic(reader, "new"), 1, 5, 5, 0, 100);
    log_close(reader);
    log_close(log);
}
END_TEST

enum { BUSY_EPOCHS = 300, MEETING = 60 };

/* The reader's word that it has seen an epoch for whose like the writer waits. */
static int meeting[2];

/* The writer's files change all the time: memtables are written, files merged and removed. */
static void write_much(void)
{
    close(meeting[1]); /* so that a reader that has failed is not waited for */
    struct log *log = open_writer();
    struct log_topic *bulk = create_topic(log, "bulk", 1);
    char *value = malloc(64 * 1024);
    for (size_t i = 0; i < 64 * 1024; i++) {
        value[i] = (char)(i * 2654435761u >> 13);
    }
    struct log_message message = { .value = { (const uint8_t *)value, 64 * 1024 } };
    for (int64_t epoch = 0; epoch < BUSY_EPOCHS; epoch++) {
        for (int i = 0; i < 8; i++) {
            ck_assert_int_eq(log_append(bulk, 0, &message, 1, &error), WEIR_OK);
        }
        if (epoch == BUSY_EPOCHS / 2) {
            ck_assert_int_eq(log_topic_empty(bulk, &error), WEIR_OK);
        }
        write_epochs(log, epoch + 1);
        char word;
        ck_assert((epoch + 1) % MEETING != 0 || read(meeting[0], &word, 1) >= 0);
    }
    free(value);
    log_close(log);
}

START_TEST(a_reader_beside_a_busy_writer_sees_whole_epochs)
{
    run_child(create_epochs);
    ck_assert_int_eq(pipe(meeting), 0);
    pid_t child = start_child(write_much);
    struct log *reader = open_log(url, folder, LOG_READ);
    int64_t epoch = 0;
    int64_t seen = 0;
    int64_t met = 0;
    for (int rounds = 0; epoch < BUSY_EPOCHS && rounds < 200000; rounds++) {
        weir_status st = log_refresh(reader, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        int64_t now = check_epochs(reader, 5);
        ck_assert_int_ge(now, epoch);
        seen += now > epoch;
        epoch = now;
        for (; met < epoch / MEETING; met++) {
            ck_assert_int_eq(write(meeting[1], "", 1), 1);
        }
        if (rounds % 10 == 0) { /* opening anew meets other files */
            log_close(reader);
            reader = open_log(url, folder, LOG_READ);
        }
    }
    ck_assert_int_eq(wait_for(child), 0);
    ck_assert_int_eq(epoch, BUSY_EPOCHS);
    ck_assert_int_ge(seen, BUSY_EPOCHS / MEETING);
    close(meeting[0]);
    close(meeting[1]);
    check_epochs(reader, INT64_MAX);
    log_close(reader);
}
END_TEST

static void write_in_many_sessions(void)
{
    for (int64_t session = 1; session <= 60; session++) {
        struct log *log = open_writer();
        write_epochs(log, session * 3);
        log_close(log);
    }
}

/* Each session of the writer turns the logs of the one before into tables and removes them. */
START_TEST(a_reader_beside_a_writer_that_comes_and_goes_sees_no_hole)
{
    run_child(create_epochs);
    pid_t child = start_child(write_in_many_sessions);
    int64_t epoch = 0;
    for (int rounds = 0; epoch < 180 && rounds < 20000; rounds++) {
        struct log *reader = open_log(url, folder, LOG_READ);
        int64_t opened = check_epochs(reader, INT64_MAX);
        ck_assert_int_ge(opened, epoch);
        ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
        epoch = check_epochs(reader, INT64_MAX);
        ck_assert_int_ge(epoch, opened);
        log_close(reader);
    }
    ck_assert_int_eq(wait_for(child), 0);
    ck_assert_int_eq(epoch, 180);
}
END_TEST

enum { TIDY_ROUNDS = 60, TIDY_MESSAGES = 2000, TIDY_KEYS = 300 };

/* Message n has the key n modulo TIDY_KEYS. */
static void write_and_tidy(void)
{
    struct log *log = open_writer();
    struct log_topic *topic = find_topic(log, "t");
    for (int64_t n = 0; n < (int64_t)TIDY_ROUNDS * TIDY_MESSAGES; n++) {
        char key[16];
        bool is_done = false;
        snprintf(key, sizeof key, "%d", (int)(n % TIDY_KEYS));
        struct log_message message = message_of(key, key, n);
        ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_OK);
        if (n % TIDY_MESSAGES == TIDY_MESSAGES - 1) {
            commit(log, NULL, NULL);
            ck_assert_int_eq(log_tidy(log, clock_wall_ms(), 1000, &is_done, &error), WEIR_OK);
        }
        if (n % (20 * TIDY_MESSAGES) == 0) {
            ck_assert_int_eq(log_trim(topic, 0, n - 100, &error), WEIR_OK);
        }
    }
    log_close(log);
}

/* All that is there, from the beginning; returns the offset behind the last. */
static int64_t read_tidied(struct log_topic *topic)
{
    struct arena arena;
    int64_t offset = 0;
    uint32_t count = 1;
    arena_init(&arena, 0);
    while (count > 0) {
        struct log_message *messages = NULL;
        if (read_messages(topic, 0, offset, 700, UINT64_MAX, &arena, &messages, &count, &error) !=
            WEIR_OK) {
            ck_abort_msg("at %" PRId64 ": %s", offset, error.message);
        }
        for (uint32_t i = 0; i < count; i++) {
            int64_t n = messages[i].offset;
            char key[16];
            snprintf(key, sizeof key, "%d", (int)(n % TIDY_KEYS));
            if (n < offset || messages[i].timestamp != n ||
                !slice_equal(messages[i].key, slice_of(key))) {
                ck_abort_msg("message %" PRId64 " behind %" PRId64, n, offset);
            }
            offset = n + 1;
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    return offset;
}

static void create_tidied(void)
{
    struct log *log = open_writer();
    struct log_topic *topic = create_topic(log, "t", 1);
    const struct log_topic_options options = { .retention_bytes = 400000, .is_compacted = true };
    ck_assert_int_eq(log_topic_configure(topic, &options, &error), WEIR_OK);
    log_close(log);
}

START_TEST(a_reader_beside_retention_and_compaction_sees_no_hole)
{
    run_child(create_tidied);
    pid_t child = start_child(write_and_tidy);
    struct log *reader = open_log(url, folder, LOG_READ);
    int64_t end = 0;
    for (int rounds = 0; end < (int64_t)TIDY_ROUNDS * TIDY_MESSAGES && rounds < 20000; rounds++) {
        weir_status st = log_refresh(reader, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        int64_t now = read_tidied(find_topic(reader, "t"));
        ck_assert_int_ge(now, end);
        end = now;
        if (rounds % 10 == 0) {
            log_close(reader);
            reader = open_log(url, folder, LOG_READ);
        }
    }
    ck_assert_int_eq(wait_for(child), 0);
    ck_assert_int_eq(end, (int64_t)TIDY_ROUNDS * TIDY_MESSAGES);
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(find_topic(reader, "t"), 0, &info, &error), WEIR_OK);
    ck_assert_int_gt(info.begin, 0);
    ck_assert_int_lt(info.count, 3 * TIDY_MESSAGES + TIDY_KEYS);
    log_close(reader);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("local_reader");
    TCase *tc = tcase_create("local_reader");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_reader_sees_the_committed_and_leaves_no_trace);
    tcase_add_test(tc, a_reader_of_nothing_is_told_so);
    tcase_add_test(tc, a_reader_follows_topics_that_come_and_go);
    tcase_add_test(tc, a_reader_beside_a_busy_writer_sees_whole_epochs);
    tcase_add_test(tc, a_reader_beside_a_writer_that_comes_and_goes_sees_no_hole);
    tcase_add_test(tc, a_reader_beside_retention_and_compaction_sees_no_hole);
    suite_add_tcase(s, tc);
    return s;
}
