/* SPDX-License-Identifier: MIT */
#include "engine/faults/drops.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/logger.h"
#include "unit.h"

static const int64_t second_ns = 1000000000;

static struct drops drops;
static char path[64];
static int saved = -1;
static char told[65536];

static void setup(void)
{
    drops_init(&drops);
    logger_configure(LOGGER_INFO, true, false);
    snprintf(path, sizeof path, "/tmp/weir-drops-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    saved = dup(STDERR_FILENO);
    dup2(fd, STDERR_FILENO);
    close(fd);
}

static void teardown(void)
{
    dup2(saved, STDERR_FILENO);
    close(saved);
    unlink(path);
    drops_deinit(&drops);
}

/* All lines so far. */
static const char *log_text(void)
{
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, told, sizeof told - 1);
    ck_assert_int_ge(size, 0);
    told[size] = '\0';
    close(fd);
    return told;
}

static unsigned count_lines(void)
{
    unsigned count = 0;
    for (const char *at = log_text(); *at != '\0'; at++) {
        count += *at == '\n';
    }
    return count;
}

static void add(const char *label, const char *message, int64_t now_ns)
{
    struct drop drop = { label, ON_ERROR_SKIP, "flights[0]@1", message };
    drops_add(&drops, &drop, now_ns);
}

START_TEST(first_is_told_at_once_and_more_when_the_window_is_over)
{
    add("steps[0] (filter)", "field 'delay' is missing", 0);
    ck_assert_ptr_nonnull(strstr(log_text(), "flights[0]@1 steps[0] (filter)"));
    for (int i = 0; i < 1234; i++) {
        add("steps[0] (filter)", "field 'delay' is missing", second_ns);
    }
    drops_tell(&drops, 9 * second_ns);
    ck_assert_uint_eq(count_lines(), 1);
    drops_tell(&drops, 10 * second_ns);
    ck_assert_uint_eq(count_lines(), 2);
    ck_assert_ptr_nonnull(
        strstr(log_text(), "... and 1,234 more in the last 10 s: field 'delay' is missing"));
    drops_tell(&drops, 60 * second_ns);
    ck_assert_uint_eq(count_lines(), 2);
}
END_TEST

START_TEST(a_late_one_tells_those_before_it)
{
    add("a", "one", 0);
    add("a", "one", second_ns);
    add("a", "one", 25 * second_ns);
    ck_assert_uint_eq(count_lines(), 2);
    ck_assert_ptr_nonnull(strstr(log_text(), "... and 2 more in the last 25 s: one"));
}
END_TEST

START_TEST(causes_are_apart_and_digits_make_none)
{
    add("a", "line 7: bad", 0);
    add("a", "line 81: bad", 0);
    ck_assert_uint_eq(count_lines(), 1);
    add("a", "line 7: worse", 0);
    add("b", "line 7: bad", 0);
    add("b1", "line 7: bad", 0);
    add("b2", "line 7: bad", 0);
    ck_assert_uint_eq(count_lines(), 5);
}
END_TEST

START_TEST(places_count_all_and_keep_the_first)
{
    add("a", "one", 0);
    add("b", "two", 0);
    add("a", "three", 0);
    ck_assert_uint_eq(drops.place_count, 2);
    ck_assert_str_eq(drops.places->label, "a");
    ck_assert_uint_eq(drops.places->count, 2);
    ck_assert_str_eq(drops.places->first, "flights[0]@1: one");
    ck_assert_str_eq(drops.places->next->label, "b");
    ck_assert_uint_eq(drops.places->next->count, 1);
}
END_TEST

START_TEST(what_an_epoch_that_is_dropped_has_had_counts_once)
{
    add("a", "one", 0);
    drops_keep(&drops);
    for (int pass = 0; pass < 3; pass++) {
        add("a", "one", 0);
        add("a", "one", 0);
        add("b", "two", 0);
        ck_assert_uint_eq(drops.places->count, 3);
        ck_assert_uint_eq(drops.places->next->count, 1);
        if (pass < 2) {
            drops_take_back(&drops);
            ck_assert_uint_eq(drops.places->count, 1);
            ck_assert_uint_eq(drops.places->next->count, 0);
        }
    }
    drops_keep(&drops);
    add("a", "one", 0);
    ck_assert_uint_eq(count_lines(), 2);
    drops_tell(&drops, 10 * second_ns);
    ck_assert_uint_eq(count_lines(), 3);
    ck_assert_ptr_nonnull(strstr(log_text(), "... and 3 more in the last 10 s: one"));
}
END_TEST

START_TEST(too_many_causes_are_told_together)
{
    char message[8] = "a";
    for (int i = 0; i < 80; i++) {
        message[0] = (char)('A' + i % 26);
        message[1] = (char)('A' + i / 26);
        message[2] = '\0';
        add("a", message, 0);
    }
    ck_assert_uint_eq(count_lines(), DROP_CAUSES - 1);
    drops_tell(&drops, 10 * second_ns);
    ck_assert_ptr_nonnull(
        strstr(log_text(), "... and 17 more in the last 10 s: for other reasons"));
    ck_assert_uint_eq(drops.places->count, 80);
}
END_TEST

Suite *suite(void)
{
    TCase *tcase = tcase_create("drops");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, first_is_told_at_once_and_more_when_the_window_is_over);
    tcase_add_test(tcase, a_late_one_tells_those_before_it);
    tcase_add_test(tcase, causes_are_apart_and_digits_make_none);
    tcase_add_test(tcase, places_count_all_and_keep_the_first);
    tcase_add_test(tcase, what_an_epoch_that_is_dropped_has_had_counts_once);
    tcase_add_test(tcase, too_many_causes_are_told_together);
    Suite *s = suite_create("drops");
    suite_add_tcase(s, tcase);
    return s;
}
