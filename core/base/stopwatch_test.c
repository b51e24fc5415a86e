/* SPDX-License-Identifier: MIT */
#include "base/stopwatch.h"
#include "unit.h"

START_TEST(counts_calls_and_keeps_the_longest)
{
    struct stopwatch watch = { .calls = 0 };
    stopwatch_add(&watch, 5);
    stopwatch_add(&watch, 30);
    stopwatch_add(&watch, 7);
    stopwatch_add(&watch, -1); /* a clock that went back adds no time */
    struct lap lap = stopwatch_read(&watch);
    ck_assert_uint_eq(lap.calls, 4);
    ck_assert_uint_eq(lap.ns, 42);
    ck_assert_uint_eq(lap.longest_ns, 30);
}
END_TEST

START_TEST(measures_from_start_to_stop)
{
    struct stopwatch watch = { .calls = 0 };
    int64_t start_ns = stopwatch_start(&watch);
    ck_assert_int_gt(start_ns, 0);
    stopwatch_stop(&watch, start_ns - 1000);
    ck_assert_uint_ge(stopwatch_read(&watch).ns, 1000);
}
END_TEST

START_TEST(does_nothing_where_nobody_measures)
{
    ck_assert_int_eq(stopwatch_start(NULL), 0);
    stopwatch_stop(NULL, 0);
    ck_assert_uint_eq(stopwatch_read(NULL).calls, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("stopwatch");
    TCase *tc = tcase_create("stopwatch");
    tcase_add_test(tc, counts_calls_and_keeps_the_longest);
    tcase_add_test(tc, measures_from_start_to_stop);
    tcase_add_test(tc, does_nothing_where_nobody_measures);
    suite_add_tcase(s, tc);
    return s;
}
