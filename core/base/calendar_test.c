/* SPDX-License-Identifier: MIT */
/* Dates and times as text, against the C library's calendar. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "unit.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

START_TEST(days_and_dates_agree_with_the_c_library)
{
    for (int64_t days = -800000; days < 800000; days += 13) {
        int64_t year;
        unsigned month;
        unsigned day;
        units_date_from_days(days, &year, &month, &day);
        require(units_days_from_date(year, month, day) == days, "%" PRId64, days);
        time_t seconds = (time_t)days * 86400;
        struct tm parts;
        gmtime_r(&seconds, &parts);
        require(year == (int64_t)parts.tm_year + 1900 && (int)month == parts.tm_mon + 1 &&
                    (int)day == parts.tm_mday,
                "day %" PRId64 " is no %" PRId64 "-%u-%u", days, year, month, day);
    }
}
END_TEST

static const struct {
    const char *text;
    int64_t ms;
} times[] = {
    { "1970-01-01", 0 },
    { "2026-01-01", 1767225600000 },
    { "1969-12-31T23:59:59.999Z", -1 },
    { "2026-01-01T06:00:00+02:00", 1767240000000 },
    { "2026-01-01T06:00:00", 1767247200000 },
    { "2026-01-01T06:00:00-00:30", 1767249000000 },
    { "2026-01-01t06:00:00z", 1767247200000 },
    { "2026-01-01 06:00:00Z", 1767247200000 },
    { "2026-01-01T06:00:00.5Z", 1767247200500 },
    { "2026-01-01T06:00:00.123456789Z", 1767247200123 },
    { "2026-01-01T06:00:00.9999Z", 1767247200999 },
    { "2024-02-29", 1709164800000 },
    { "2000-02-29", 951782400000 },
    { "0000-01-01", -62167219200000 },
    { "9999-12-31T23:59:59.999Z", 253402300799999 },
};

START_TEST(times_become_milliseconds)
{
    int64_t ms = 0;
    const char *cure = NULL;
    ck_assert_msg(units_time_ms(times[_i].text, strlen(times[_i].text), &ms, &cure), "%s",
                  times[_i].text);
    ck_assert_int_eq(ms, times[_i].ms);
    ck_assert_ptr_null(cure);
}
END_TEST

static const char *const bad_times[] = {
    "",
    "2026",
    "2026-01",
    "2026-1-1",
    "2026-13-01",
    "2026-00-01",
    "2026-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-01-00",
    "26-01-01",
    "2026-01-01T",
    "2026-01-01T06",
    "2026-01-01T06:00",
    "2026-01-01T24:00:00",
    "2026-01-01T23:60:00",
    "2026-01-01T23:59:60",
    "2026-01-01T06:00:00.",
    "2026-01-01T06:00:00+2",
    "2026-01-01T06:00:00+0200",
    "2026-01-01T06:00:00+24:00",
    "2026-01-01T06:00:00+02:60",
    "2026-01-01T06:00:00Zx",
    "2026-01-01x",
    " 2026-01-01",
    "1767225600000",
};

START_TEST(what_is_no_time_is_refused)
{
    int64_t ms = 77;
    const char *cure = NULL;
    ck_assert_msg(!units_time_ms(bad_times[_i], strlen(bad_times[_i]), &ms, &cure), "%s",
                  bad_times[_i]);
    ck_assert_int_eq(ms, 77);
    ck_assert_ptr_nonnull(cure);
    ck_assert(!units_time_ms(bad_times[_i], strlen(bad_times[_i]), &ms, NULL));
}
END_TEST

static const struct {
    int64_t since;
    unsigned digits;
    const char *text;
} formatted[] = {
    { 0, 0, "1970-01-01T00:00:00Z" },
    { 0, 3, "1970-01-01T00:00:00.000Z" },
    { -1, 3, "1969-12-31T23:59:59.999Z" },
    { -1, 9, "1969-12-31T23:59:59.999999999Z" },
    { 1767225600123456, 6, "2026-01-01T00:00:00.123456Z" },
    { 253402300799, 0, "9999-12-31T23:59:59Z" },
    { 253402300800, 0, "+10000-01-01T00:00:00Z" },
    { -62167219201, 0, "-0001-12-31T23:59:59Z" },
    { INT64_MAX, 0, "+292277026596-12-04T15:30:07Z" },
    { INT64_MIN, 0, "-292277022657-01-27T08:29:52Z" },
    { INT64_MIN, 9, "1677-09-21T00:12:43.145224192Z" },
};

START_TEST(times_are_written_with_their_digits)
{
    char room[40];
    size_t len = units_format_time(formatted[_i].since, formatted[_i].digits, room);
    ck_assert_uint_lt(len, sizeof room);
    room[len] = '\0';
    ck_assert_str_eq(room, formatted[_i].text);
}
END_TEST

START_TEST(written_times_read_back)
{
    for (int64_t ms = -62167219200000; ms < 253402300800000; ms += 9876543219) {
        char room[40];
        int64_t back = 0;
        size_t len = units_format_time(ms, 3, room);
        require(units_time_ms(room, len, &back, NULL) && back == ms, "%" PRId64, ms);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("calendar");
    TCase *tests = tcase_create("calendar");
    tcase_add_test(tests, days_and_dates_agree_with_the_c_library);
    tcase_add_loop_test(tests, times_become_milliseconds, 0, COUNT(times));
    tcase_add_loop_test(tests, what_is_no_time_is_refused, 0, COUNT(bad_times));
    tcase_add_loop_test(tests, times_are_written_with_their_digits, 0, COUNT(formatted));
    tcase_add_test(tests, written_times_read_back);
    suite_add_tcase(suite, tests);
    return suite;
}
