/* SPDX-License-Identifier: MIT */
/* The clocks: units and direction. */
#include "base/clock.h"

#include <time.h>

#include "unit.h"

START_TEST(wall_time_is_in_milliseconds_since_1970)
{
    int64_t before = (int64_t)time(NULL) - 1;
    int64_t now = clock_wall_ms() / 1000;
    int64_t after = (int64_t)time(NULL) + 1;
    ck_assert_int_ge(now, before);
    ck_assert_int_le(now, after);
}
END_TEST

START_TEST(monotonic_time_is_in_nanoseconds_and_never_goes_back)
{
    int64_t start = clock_monotonic_ns();
    int64_t last = start;
    for (int i = 0; i < 1000; i++) {
        int64_t now = clock_monotonic_ns();
        ck_assert_int_ge(now, last);
        last = now;
    }
    struct timespec pause = { 0, 20000000 };
    nanosleep(&pause, NULL);
    ck_assert_int_ge(clock_monotonic_ns() - start, 20000000);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, wall_time_is_in_milliseconds_since_1970);
    tcase_add_test(tests, monotonic_time_is_in_nanoseconds_and_never_goes_back);
    suite_add_tcase(suite, tests);
    return suite;
}
