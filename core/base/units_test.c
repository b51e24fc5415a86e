/* SPDX-License-Identifier: MIT */
/* Durations, sizes, numbers as people write them. */
#include "base/units.h"

#include <string.h>

#include "unit.h"

struct amount {
    const char *text;
    int64_t expected; /* -1: must fail */
};

static const struct amount durations[] = {
    { "0", 0 },
    { "0s", 0 },
    { "5s", 5000 },
    { "250ms", 250 },
    { "1h30m", 5400000 },
    { "1.5s", 1500 },
    { "2d", 172800000 },
    { "1w2d3h4m5s6ms", 788645006 },
    { "1w1d1h1m1s1ms1us1ns", 694861001 },
    { "500us", 1 }, /* halves go away from zero */
    { "499us", 0 },
    { "1500us", 2 },
    { "499us999ns", 0 },
    { "499us1000ns", 1 }, /* parts are summed before rounding */
    { "0.0005s", 1 },
    { "0.00049999999999999999999s", 0 },
    { "0.00050000000000000000001s", 1 },
    { "0.333333333333333333333333h", 1200000 },
    { "106751991167d", 9223372036828800000 },
    { "9223372036854775807ms", INT64_MAX },
    { "9223372036854775807.4ms", INT64_MAX },
    { "9223372036854775807.5ms", -1 },
    { "9223372036854775808ms", -1 },
    { "99999999999999999999999999999999999999999999999999w", -1 },
    { "1h1h", -1 },
    { "30m1h", -1 },
    { "1ms1s", -1 },
    { "5", -1 },
    { "1h30", -1 },
    { "00", -1 },
    { "", -1 },
    { "s", -1 },
    { "-5s", -1 },
    { "5 s", -1 },
    { "5s ", -1 },
    { ".5s", -1 },
    { "5.s", -1 },
    { "5S", -1 },
    { "5min", -1 },
    { "1_000ms", -1 },
};

START_TEST(durations_become_milliseconds)
{
    const struct amount *amount = &durations[_i];
    int64_t ms = 77;
    const char *cure = NULL;
    bool is_read = units_duration_ms(amount->text, strlen(amount->text), &ms, &cure);
    ck_assert_msg(is_read == (amount->expected >= 0), "%s", amount->text);
    if (is_read) {
        ck_assert_int_eq(ms, amount->expected);
        ck_assert_ptr_null(cure);
    } else {
        ck_assert_int_eq(ms, 77);
        ck_assert_ptr_nonnull(cure);
        ck_assert(!units_duration_ms(amount->text, strlen(amount->text), &ms, NULL));
    }
}
END_TEST

static const struct {
    const char *text;
    size_t prefix;
} prefixes[] = {
    { "1h30m + 500ms", 5 },
    { "1.5s", 4 },
    { "1.5s)", 4 },
    { "5", 0 },
    { "5e3", 0 },
    { "5mx", 2 },
    { "5msx", 3 },
    { "1h30", 2 },
    { "x5s", 0 },
    { "30m1h", 5 },
    { "1.", 0 },
    { "1.s", 0 },
    { "", 0 },
    { "1.5.5s", 0 },
    { "2d[1:3]", 2 },
};

START_TEST(the_prefix_is_what_has_the_form)
{
    ck_assert_uint_eq(units_duration_prefix(prefixes[_i].text, strlen(prefixes[_i].text)),
                      prefixes[_i].prefix);
}
END_TEST

static const struct amount sizes[] = {
    { "0", 0 },
    { "512", 512 },
    { "7B", 7 },
    { "64KiB", 65536 },
    { "1.5MiB", 1572864 },
    { "10MB", 10000000 },
    { "1kB", 1000 },
    { "2GiB", 2147483648 },
    { "3GB", 3000000000 },
    { "1TiB", 1099511627776 },
    { "1TB", 1000000000000 },
    { "0.5KiB", 512 },
    { "1.1KiB", 1126 },
    { "0.5B", 1 },
    { "8388607TiB", INT64_C(8388607) << 40 },
    { "8388608TiB", -1 },
    { "9223372036854775807", INT64_MAX },
    { "9223372036854775808", -1 },
    { "", -1 },
    { "KiB", -1 },
    { "-1", -1 },
    { "64 KiB", -1 },
    { "64KB", -1 },
    { "64kib", -1 },
    { "64KiBs", -1 },
    { "1.MiB", -1 },
    { "1e3", -1 },
};

START_TEST(sizes_become_bytes)
{
    const struct amount *amount = &sizes[_i];
    int64_t bytes = 77;
    const char *cure = NULL;
    bool is_read = units_size_bytes(amount->text, strlen(amount->text), &bytes, &cure);
    ck_assert_msg(is_read == (amount->expected >= 0), "%s", amount->text);
    ck_assert_int_eq(bytes, is_read ? amount->expected : 77);
    ck_assert(is_read == (cure == NULL));
}
END_TEST

static const struct {
    const char *text;
    bool is_valid;
    int64_t expected;
} ints[] = {
    { "0", true, 0 },
    { "42", true, 42 },
    { "+7", true, 7 },
    { "-7", true, -7 },
    { "1_000_000", true, 1000000 },
    { "007", true, 7 },
    { "9223372036854775807", true, INT64_MAX },
    { "-9223372036854775808", true, INT64_MIN },
    { "9223372036854775808", false, 0 },
    { "-9223372036854775809", false, 0 },
    { "99999999999999999999", false, 0 },
    { "", false, 0 },
    { "-", false, 0 },
    { "_1", false, 0 },
    { "1_", false, 0 },
    { "1__0", false, 0 },
    { "-_1", false, 0 },
    { "1.0", false, 0 },
    { " 1", false, 0 },
    { "0x10", false, 0 },
};

START_TEST(ints_are_decimal_and_exact)
{
    int64_t number = 77;
    const char *cure = NULL;
    bool is_read = units_int(ints[_i].text, strlen(ints[_i].text), &number, &cure);
    ck_assert_msg(is_read == ints[_i].is_valid, "%s", ints[_i].text);
    ck_assert_int_eq(number, is_read ? ints[_i].expected : 77);
    bool is_out_of_range = !is_read && strlen(ints[_i].text) >= 19;
    ck_assert_ptr_eq(cure, is_out_of_range ? units_too_large : NULL);
}
END_TEST

static const struct {
    const char *text;
    bool is_valid;
    double expected;
} floats[] = {
    { "1.5", true, 1.5 },        { "-2", true, -2 },         { "+1e3", true, 1000 },
    { "1_000.5", true, 1000.5 }, { "2.5E-3", true, 0.0025 }, { "0.1", true, 0.1 },
    { "1e-400", true, 0 },       { "1e400", false, 0 },      { "", false, 0 },
    { ".5", false, 0 },          { "5.", false, 0 },         { "1e", false, 0 },
    { "inf", false, 0 },         { "nan", false, 0 },        { "0x1p3", false, 0 },
    { "1,5", false, 0 },         { "1.5 ", false, 0 },       { "1._5", false, 0 },
    { "1_.5", false, 0 },        { "1e+-5", false, 0 },
};

START_TEST(floats_are_plain_decimals)
{
    double number = 77;
    const char *cure = NULL;
    bool is_read = units_float(floats[_i].text, strlen(floats[_i].text), &number, &cure);
    ck_assert_msg(is_read == floats[_i].is_valid, "%s", floats[_i].text);
    ck_assert_double_eq(number, is_read ? floats[_i].expected : 77);
}
END_TEST

START_TEST(floats_too_long_are_refused)
{
    char text[2000];
    memset(text, '1', sizeof text);
    double number;
    const char *cure = NULL;
    ck_assert(!units_float(text, sizeof text, &number, &cure));
    ck_assert_ptr_nonnull(strstr(cure, "511"));
}
END_TEST

START_TEST(bools_are_two_words)
{
    bool truth = false;
    const char *cure = NULL;
    ck_assert(units_bool("true", 4, &truth, &cure) && truth);
    ck_assert(units_bool("false", 5, &truth, &cure) && !truth);
    ck_assert(!units_bool("True", 4, &truth, NULL));
    ck_assert(!units_bool("yes", 3, &truth, NULL));
    ck_assert(!units_bool("", 0, &truth, NULL));
}
END_TEST

typedef bool read_whole_fn(const char *text, size_t len, int64_t *ret, const char **ret_cure);

static const struct {
    read_whole_fn *read;
    const char *text;
    const char *cure;
} cures[] = {
    { units_duration_ms, "5", "write its unit too, as in 5s or 5ms" },
    { units_duration_ms, "1.5", "write its unit too, as in 5s or 5ms" },
    { units_duration_ms, "1h30", "write the unit of each number, as in 1h30m" },
    { units_duration_ms, "1m1h", "write each unit once, from large to small" },
    { units_duration_ms, "1m1m", "write each unit once, from large to small" },
    { units_duration_ms, "-1m", "it cannot be negative" },
    { units_duration_ms, "5 s", "write it without blanks, as in 5s or 1h30m" },
    { units_duration_ms, "1h 30m ", "write it without blanks, as in 5s or 1h30m" },
    { units_duration_ms, "5 minutes",
      "write it like 5s, 250ms or 1h30m (units: w d h m s ms us ns)" },
    { units_duration_ms, "", "write it like 5s, 250ms or 1h30m (units: w d h m s ms us ns)" },
    { units_duration_ms, "   ", "write it like 5s, 250ms or 1h30m (units: w d h m s ms us ns)" },
    { units_duration_ms, "99999999999w", units_too_large },
    { units_size_bytes, "", "write it like 512, 64KiB or 10MB" },
    { units_size_bytes, "   ", "write it like 512, 64KiB or 10MB" },
    { units_size_bytes, "large", "write it like 512, 64KiB or 10MB" },
    { units_size_bytes, "-1MB", "it cannot be negative" },
    { units_size_bytes, "5 MB", "write it without blanks, as in 64KiB or 10MB" },
    { units_size_bytes, "5 mb", "its unit is one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB" },
    { units_size_bytes, "64KB", "its unit is one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB" },
    { units_size_bytes, "9999999TiB", units_too_large },
    { units_time_ms, "yesterday", "write it like 2026-01-01 or 2026-01-01T06:00:00+02:00" },
    { units_time_ms, "2026-01-01x", "write it like 2026-01-01 or 2026-01-01T06:00:00+02:00" },
    { units_time_ms, "2026-02-29", "there is no such day" },
    { units_time_ms, "2026-01-01T06:00", "write its time of day as in 2026-01-01T06:00:00" },
    { units_time_ms, "2026-01-01T24:00:00", "there is no such time of day" },
    { units_time_ms, "2026-01-01T06:00:00 CET",
      "write its offset from UTC at the end, as Z or like +02:00" },
    { units_time_ms, "2026-01-01T06:00:00+99:00",
      "write its offset from UTC at the end, as Z or like +02:00" },
    { units_int, "two", NULL },
    { units_int, "1.5", NULL },
    { units_int, "-99999999999999999999", units_too_large },
};

START_TEST(a_cure_goes_on_behind_what_was_found)
{
    int64_t number = 0;
    const char *cure = NULL;
    const char *text = cures[_i].text;
    ck_assert(!cures[_i].read(text, strlen(text), &number, &cure));
    ck_assert_pstr_eq(cure, cures[_i].cure);
}
END_TEST

START_TEST(a_bool_of_another_language_is_cured)
{
    static const char *const pairs[][2] = {
        { "yes", "write true" }, { "True", "write true" },
        { "ON", "write true" },  { "1", "write true" },
        { "No", "write false" }, { "FALSE", "write false" },
        { "0", "write false" },  { "off", "write false" },
        { "maybe", NULL },       { "", NULL },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        bool truth = false;
        const char *cure = NULL;
        ck_assert(!units_bool(pairs[i][0], strlen(pairs[i][0]), &truth, &cure));
        ck_assert_pstr_eq(cure, pairs[i][1]);
    }
}
END_TEST

START_TEST(a_decimal_comma_is_cured)
{
    double number = 0;
    const char *cure = NULL;
    ck_assert(!units_float("1,5", 3, &number, &cure));
    ck_assert_ptr_nonnull(strstr(cure, "1.5"));
    ck_assert(!units_float("half", 4, &number, &cure));
    ck_assert_ptr_null(cure);
    ck_assert(!units_float("1e400", 5, &number, &cure));
    ck_assert_ptr_eq(cure, units_too_large);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

START_TEST(formats_what_it_reads)
{
    static const char *const spans[] = { "7d", "36h", "90m", "45s", "1500ms", "1ms" };
    static const char *const bytes[] = { "1TiB", "3GiB", "64MiB", "1536KiB", "100B" };
    char room[UNITS_ROOM];
    int64_t number = 0;
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        ck_assert(units_duration_ms(spans[i], strlen(spans[i]), &number, NULL));
        units_format_duration(number, room);
        ck_assert_str_eq(room, spans[i]);
    }
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        ck_assert(units_size_bytes(bytes[i], strlen(bytes[i]), &number, NULL));
        units_format_size(number, room);
        ck_assert_str_eq(room, bytes[i]);
    }
    units_format_duration(0, room);
    ck_assert_str_eq(room, "0");
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("units");
    TCase *tests = tcase_create("units");
    tcase_add_loop_test(tests, durations_become_milliseconds, 0, COUNT(durations));
    tcase_add_loop_test(tests, the_prefix_is_what_has_the_form, 0, COUNT(prefixes));
    tcase_add_loop_test(tests, sizes_become_bytes, 0, COUNT(sizes));
    tcase_add_loop_test(tests, ints_are_decimal_and_exact, 0, COUNT(ints));
    tcase_add_loop_test(tests, floats_are_plain_decimals, 0, COUNT(floats));
    tcase_add_test(tests, floats_too_long_are_refused);
    tcase_add_test(tests, bools_are_two_words);
    tcase_add_loop_test(tests, a_cure_goes_on_behind_what_was_found, 0, COUNT(cures));
    tcase_add_test(tests, a_bool_of_another_language_is_cured);
    tcase_add_test(tests, a_decimal_comma_is_cured);
    tcase_add_test(tests, formats_what_it_reads);
    suite_add_tcase(suite, tests);
    return suite;
}
