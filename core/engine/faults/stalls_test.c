/* SPDX-License-Identifier: MIT */
/* What is said, and how often, of partitions that a log names. */
#include "engine/faults/stalls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/logger.h"
#include "log/log_ops.h"
#include "unit.h"

static const int64_t second_ns = 1000000000;

static struct arena arena;
static struct stalls stalls;
static int64_t now_s;
static int file;
static int saved_error;
static char text[8192];

/* A log that names what the test has put there. */
static struct log_stall named[2];
static size_t named_count;

static weir_status name_stalls(struct log *log, const struct log_look *look, struct arena *passing,
                               struct log_stall **ret_stalls, size_t *ret_count,
                               struct error *error)
{
    (void)log, (void)look, (void)error;
    *ret_stalls = arena_zeroed(passing, sizeof named);
    memcpy(*ret_stalls, named, sizeof named);
    *ret_count = named_count;
    return WEIR_OK;
}

static const struct log_ops ops = { .stalls = name_stalls };
static struct log naming = { .ops = &ops };
static const struct log_topic topic = { .name = "in", .partitions = 2, .log = &naming };

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
        stalls_look(&stalls, &naming, ++now_s * second_ns, 5000, &arena);
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
    tcase_add_test(tests, all_that_has_come_may_stand_still_too);
    tcase_add_test(tests, a_log_that_goes_on_without_having_stood_is_not_told);
    Suite *made = suite_create("stalls");
    suite_add_tcase(made, tests);
    return made;
}
