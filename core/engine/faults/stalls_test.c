/* SPDX-License-Identifier: MIT */
/* What is said, and how often, of partitions that a log names. */
#include "engine/faults/stalls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/logger.h"
#include "unit.h"

static const int64_t second_ns = 1000000000;

static struct arena arena;
static struct stalls stalls;
static int64_t now_s;
static int file;
static int saved_error;
static char text[8192];

/* What a look finds. */
static struct log_stall named[8];
static size_t named_count;

static const struct log_topic topic = { .name = "in", .partitions = 8 };

static void start(void)
{
    arena_init(&arena, 0);
    stalls_init(&stalls);
    now_s = 100;
    named_count = 0;
    char path[] = "/tmp/stalls_testXXXXXX";
    file = mkstemp(path);
    unlink(path);
    saved_error = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    logger_configure(LOGGER_INFO, false, false);
}

static void finish(void)
{
    dup2(saved_error, STDERR_FILENO);
    close(saved_error);
    close(file);
    arena_deinit(&arena);
}

static void name(uint32_t partition, int64_t since_s, const char *why)
{
    named[named_count++] = (struct log_stall){ .topic = &topic,
                                               .partition = partition,
                                               .offset = 7,
                                               .since_ns = since_s * second_ns,
                                               .why = why };
}

static void look_for(int64_t seconds)
{
    for (int64_t i = 0; i < seconds; i++) {
        stalls_take(&stalls, STALL_OF_LOG, named, named_count, ++now_s * second_ns, &arena);
    }
}

/* What was said since the last call, without times. Returns how many lines. */
static int said(void)
{
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    ck_assert_int_eq(ftruncate(file, 0), 0);
    (void)lseek(file, 0, SEEK_SET);
    int lines = 0;
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    return lines;
}

START_TEST(it_is_told_once_then_at_growing_distances_and_when_it_goes_on)
{
    name(0, 100, "nobody knows");
    now_s = 129;
    look_for(1);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(
        strstr(text, "in: partition 0 has stood still at offset 7 for 30 s: nobody knows\n"));
    look_for(29);
    ck_assert_int_eq(said(), 0);
    look_for(1);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, " for 60 s: "));
    look_for(59);
    ck_assert_int_eq(said(), 0);
    look_for(1);
    ck_assert_int_eq(said(), 1);
    named_count = 0;
    name(0, 100, NULL);
    look_for(5);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "in: partition 0 goes on, after 121 s\n"));
    ck_assert_int_eq(stall_time(stalls.list, now_s * second_ns) / second_ns, 121);
}
END_TEST

START_TEST(each_partition_has_its_own_story)
{
    name(0, 100, "this");
    name(1, 101, "that");
    now_s = 150;
    look_for(1);
    ck_assert_int_eq(said(), 2);
    named_count = 1;
    look_for(1); /* the other one has another process by now */
    ck_assert_int_eq(said(), 0);
    size_t under_way = 0;
    for (const struct stall *stall = stalls.list; stall != NULL; stall = stall->next) {
        under_way += stall->told_ns > 0;
    }
    ck_assert_uint_eq(under_way, 1);
    name(1, 130, "that again");
    look_for(1);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "that again"));
}
END_TEST

START_TEST(those_of_one_topic_with_one_reason_share_a_line)
{
    for (uint32_t partition = 0; partition < 3; partition++) {
        name(partition, 101 - partition, "this");
    }
    name(3, 100, "that");
    name(5, 100, "this");
    now_s = 130;
    look_for(1);
    ck_assert_int_eq(said(), 2);
    ck_assert_ptr_nonnull(strstr(text, "in: partitions 0-2, 5 have stood still for 32 s: this\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "in: partition 3 has stood still at offset 7 for 31 s: that\n"));
    named_count = 0;
    name(0, 0, NULL);
    name(1, 0, NULL);
    name(3, 0, NULL);
    name(5, 100, "this");
    look_for(1);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "in: partitions 0-1, 3 go on, after 32 s\n"));
}
END_TEST

START_TEST(more_than_a_line_holds_are_counted)
{
    static struct log_stall many[400];
    for (uint32_t i = 0; i < 400; i++) {
        many[i] = (struct log_stall){
            .topic = &topic, .partition = i * 2, .since_ns = 100 * second_ns, .why = "this"
        };
    }
    stalls_take(&stalls, STALL_OF_LOG, many, 400, 130 * second_ns, &arena);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "in: partitions 0, 2, 4, "));
    ck_assert_ptr_nonnull(strstr(text, " more have stood still for 30 s: this\n"));
}
END_TEST

START_TEST(what_the_log_says_and_what_holds_a_reader_back_are_two_stories)
{
    name(0, 100, "the broker is slow");
    now_s = 130;
    look_for(1);
    ck_assert_int_eq(said(), 1);
    struct log_stall paused = { .topic = &topic, .since_ns = 100 * second_ns, .why = "no room" };
    stalls_take(&stalls, STALL_OF_PAUSE, &paused, 1, now_s * second_ns, &arena);
    ck_assert_int_eq(said(), 1);
    paused.why = NULL;
    stalls_take(&stalls, STALL_OF_PAUSE, &paused, 1, now_s * second_ns, &arena);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "partition 0 goes on, after 31 s"));
    look_for(1);
    ck_assert_int_eq(said(), 0);
    named[0].why = NULL;
    look_for(1);
    ck_assert_int_eq(said(), 1);
}
END_TEST

START_TEST(all_that_has_come_may_stand_still_too)
{
    named[named_count++] = (struct log_stall){ .since_ns = 100 * second_ns, .why = "nobody knows" };
    now_s = 130;
    look_for(1);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "reads nothing of the partitions that the group has given "
                                       "to it, for 31 s: nobody knows\n"));
    named[0].why = NULL;
    look_for(1);
    ck_assert_int_eq(said(), 1);
    ck_assert_ptr_nonnull(strstr(text, "goes on, after 32 s\n"));
}
END_TEST

START_TEST(a_log_that_goes_on_without_having_stood_is_not_told)
{
    name(0, 100, NULL);
    look_for(3);
    ck_assert_int_eq(said(), 0);
    ck_assert_ptr_null(stalls.list);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("stalls");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, it_is_told_once_then_at_growing_distances_and_when_it_goes_on);
    tcase_add_test(tests, each_partition_has_its_own_story);
    tcase_add_test(tests, those_of_one_topic_with_one_reason_share_a_line);
    tcase_add_test(tests, more_than_a_line_holds_are_counted);
    tcase_add_test(tests, what_the_log_says_and_what_holds_a_reader_back_are_two_stories);
    tcase_add_test(tests, all_that_has_come_may_stand_still_too);
    tcase_add_test(tests, a_log_that_goes_on_without_having_stood_is_not_told);
    Suite *made = suite_create("stalls");
    suite_add_tcase(made, tests);
    return made;
}
