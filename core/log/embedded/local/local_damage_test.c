/* SPDX-License-Identifier: MIT */
/* A write-ahead log whose last length is damaged looks as if a crash had cut it off. */
#include <dirent.h>

#include "log/embedded/local/damage.h"
#include "log/embedded/local/journal.h"
#include "log/embedded/local/local_fixture.h"

enum { EACH = 100, HEAD = 7, BYTES = 64 * 1024 };

/* A session: two commits, which fit into one block. */
static void write_session(int64_t from)
{
    struct log *log = open_writer();
    struct log_topic *topic = log_topic_find(log, "t");
    topic = topic != NULL ? topic : create_topic(log, "t", 1);
    for (int64_t n = from; n < from + 2 * EACH; n += EACH) {
        append_samples(topic, 0, n, EACH);
        commit(log, NULL, NULL);
    }
    log_close(log);
}

static void first_session(void)
{
    write_session(0);
}

static void second_session(void)
{
    write_session(2 * EACH);
}

/* ---- the oldest write-ahead log ---------------------------------------------------------------------- */

static struct {
    char name[256];
    char path[700];
    uint8_t bytes[BYTES];
    size_t size;
    size_t last; /* place of the last record */
} journal;

static void read_oldest(void)
{
    DIR *dir = opendir(database);
    ck_assert_ptr_nonnull(dir);
    journal.name[0] = '\0';
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        bool is_log = strstr(entry->d_name, ".log") != NULL;
        if (is_log && (journal.name[0] == '\0' || strcmp(entry->d_name, journal.name) < 0)) {
            snprintf(journal.name, sizeof journal.name, "%s", entry->d_name);
        }
    }
    closedir(dir);
    snprintf(journal.path, sizeof journal.path, "%s/%s", database, journal.name);
    FILE *file = fopen(journal.path, "r");
    ck_assert_ptr_nonnull(file);
    journal.size = fread(journal.bytes, 1, BYTES, file);
    fclose(file);
    for (size_t at = 0; at < journal.size;) {
        journal.last = at;
        at += HEAD + (journal.bytes[at + 4] | (size_t)journal.bytes[at + 5] << 8);
    }
}

static void write_oldest(size_t size)
{
    FILE *file = fopen(journal.path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(journal.bytes, 1, size, file), size);
    fclose(file);
}

/* ---- tests ------------------------------------------------------------------------------------------- */

START_TEST(the_file_and_place_of_a_damaged_length_are_told)
{
    const enum log_mode modes[] = { LOG_READ, LOG_WRITE };
    char expected[400];
    run_child(first_session);
    run_child(second_session);
    read_oldest();
    journal.bytes[journal.last + 5] ^= 0x40; /* of the length */
    write_oldest(journal.size);
    snprintf(expected, sizeof expected,
             "the log is damaged: file 'log/%s' at offset %zu: what was written there is not "
             "whole; topic 't' partition 0 has no message at offset %d",
             journal.name, journal.last, EACH);
    for (size_t i = 0; i < 2; i++) {
        struct arena arena;
        struct log_message *messages = NULL;
        uint32_t count = 0;
        struct log *log = open_log(url, folder, modes[i]);
        arena_init(&arena, 0);
        ck_assert_int_eq(read_messages(find_topic(log, "t"), 0, EACH, 10, UINT64_MAX, &arena,
                                       &messages, &count, &error),
                         WEIR_E_IO);
        ck_assert_str_eq(error.message, expected);
        arena_deinit(&arena);
        log_close(log);
    }
}
END_TEST

/* Nothing follows that would show it, but more was committed. */
START_TEST(the_file_is_told_where_the_newest_one_has_a_damaged_length)
{
    const enum log_mode modes[] = { LOG_READ, LOG_WRITE };
    char expected[400];
    run_child(first_session);
    read_oldest();
    journal.bytes[journal.last + 5] ^= 0x40; /* of the length */
    write_oldest(journal.size);
    snprintf(expected, sizeof expected,
             "is damaged: file 'log/%s' at offset %zu: what was written there is not whole; its "
             "file 'committed' tells of ",
             journal.name, journal.last);
    for (size_t i = 0; i < 2; i++) {
        struct log *log = NULL;
        ck_assert_int_eq(log_open(url, folder, modes[i], &log, &error), WEIR_E_IO);
        ck_assert_msg(strstr(error.message, expected) != NULL, "%s", error.message);
    }
}
END_TEST

/* What a crash leaves: the second commit is not whole, and the next session has written it again. */
START_TEST(a_write_that_a_crash_has_cut_off_is_no_damage)
{
    struct damage_cuts cuts;
    char witness[400];
    run_child(first_session);
    read_oldest();
    write_oldest(journal.last + 50);
    snprintf(witness, sizeof witness, "%s/committed", path); /* it would tell */
    ck_assert_int_eq(unlink(witness), 0);
    struct log *log = open_writer();
    struct log_topic *topic = find_topic(log, "t");
    append_samples(topic, 0, EACH, EACH);
    commit(log, NULL, NULL);
    check_samples(topic, 0, 0, 2 * EACH, 0, 1000);
    log_close(log);
    damage_find_cuts(database, &cuts);
    ck_assert_str_eq(cuts.missing.file, "");
    log = open_writer();
    check_samples(find_topic(log, "t"), 0, 0, 2 * EACH, 0, 1000);
    log_close(log);
}
END_TEST

START_TEST(numbers_of_changes_go_on_from_log_to_log)
{
    run_child(first_session);
    read_oldest();
    struct journal_span first = journal_span(journal.bytes, journal.size);
    ck_assert_uint_eq(first.first, 1);
    ck_assert_int_eq(first.cut_place, -1);
    ck_assert_int_eq(journal_damaged_place(journal.bytes, journal.size), -1);
    struct journal_span less = journal_span(journal.bytes, journal.size - 1);
    ck_assert_int_eq(less.cut_place, (int64_t)journal.last);
    ck_assert_uint_lt(less.next, first.next);
    run_child(second_session);
    ck_assert_int_eq(unlink(journal.path), 0);
    read_oldest();
    ck_assert_uint_eq(journal_span(journal.bytes, journal.size).first, first.next);
}
END_TEST

/* Lengths of all kinds: nothing is read beyond the end. */
START_TEST(any_bytes_can_be_looked_at)
{
    run_child(first_session);
    read_oldest();
    for (size_t size = 0; size <= journal.size; size += 97) {
        uint8_t *bytes = malloc(size + 1);
        memcpy(bytes, journal.bytes, size);
        for (size_t at = 4; at + 3 < size; at += 211) {
            bytes[at] ^= 0x5a;
            ck_assert_int_lt(journal_span(bytes, size).cut_place, (int64_t)size + 1);
        }
        free(bytes);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("local_damage");
    TCase *tc = tcase_create("local_damage");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, the_file_is_told_where_the_newest_one_has_a_damaged_length);
    tcase_add_test(tc, the_file_and_place_of_a_damaged_length_are_told);
    tcase_add_test(tc, a_write_that_a_crash_has_cut_off_is_no_damage);
    tcase_add_test(tc, numbers_of_changes_go_on_from_log_to_log);
    tcase_add_test(tc, any_bytes_can_be_looked_at);
    suite_add_tcase(s, tc);
    return s;
}
