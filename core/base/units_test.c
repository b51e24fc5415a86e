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
    const char *fault = NULL;
    bool is_read = units_duration_ms(amount->text, strlen(amount->text), &ms, &fault);
    ck_assert_msg(is_read == (amount->expected >= 0), "%s", amount->text);
    if (is_read) {
        ck_assert_int_eq(ms, amount->expected);
        ck_assert_ptr_null(fault);
    } else {
        ck_assert_int_eq(ms, 77);
        ck_assert_ptr_nonnull(fault);
        ck_assert(!units_duration_ms(amount->text, strlen(amount->text), &ms, NULL));
    }
}
END_TEST

START_TEST(faults_of_durations_say_what_to_do)
{
    int64_t ms;
    const char *fault = NULL;
    ck_assert(!units_duration_ms("5", 1, &ms, &fault));
    ck_assert_ptr_nonnull(strstr(fault, "5s or 5ms"));
    ck_assert(!units_duration_ms("1m1h", 4, &ms, &fault));
    ck_assert_ptr_nonnull(strstr(fault, "large to small"));
    ck_assert(!units_duration_ms("-1m", 3, &ms, &fault));
    ck_assert_ptr_nonnull(strstr(fault, "negative"));
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
    const char *fault = NULL;
    bool is_read = units_size_bytes(amount->text, strlen(amount->text), &bytes, &fault);
    ck_assert_msg(is_read == (amount->expected >= 0), "%s", amount->text);
    ck_assert_int_eq(bytes, is_read ? amount->expected : 77);
    ck_assert(is_read == (fault == NULL));
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
    const char *fault = NULL;
    bool is_read = units_int(ints[_i].text, strlen(ints[_i].text), &number, &fault);
    ck_assert_msg(is_read == ints[_i].is_valid, "%s", ints[_i].text);
    ck_assert_int_eq(number, is_read ? ints[_i].expected : 77);
    ck_assert(is_read == (fault == NULL));
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
    const char *fault = NULL;
    bool is_read = units_float(floats[_i].text, strlen(floats[_i].text), &number, &fault);
    ck_assert_msg(is_read == floats[_i].is_valid, "%s", floats[_i].text);
    ck_assert_double_eq(number, is_read ? floats[_i].expected : 77);
    ck_assert(is_read == (fault == NULL));
}
END_TEST

START_TEST(floats_too_long_are_refused)
{
    char text[2000];
    memset(text, '1', sizeof text);
    double number;
    const char *fault = NULL;
    ck_assert(!units_float(text, sizeof text, &number, &fault));
    ck_assert_ptr_nonnull(strstr(fault, "too long"));
}
END_TEST

START_TEST(bools_are_two_words)
{
    bool truth = false;
    const char *fault = NULL;
    ck_assert(units_bool("true", 4, &truth, &fault) && truth);
    ck_assert(units_bool("false", 5, &truth, &fault) && !truth);
    ck_assert(!units_bool("True", 4, &truth, &fault));
    ck_assert(!units_bool("yes", 3, &truth, NULL));
    ck_assert(!units_bool("", 0, &truth, &fault));
    ck_assert_ptr_nonnull(fault);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

Suite *suite(void)
{
    Suite *suite = suite_create("units");
    TCase *tests = tcase_create("units");
    tcase_add_loop_test(tests, durations_become_milliseconds, 0, COUNT(durations));
    tcase_add_test(tests, faults_of_durations_say_what_to_do);
    tcase_add_loop_test(tests, the_prefix_is_what_has_the_form, 0, COUNT(prefixes));
    tcase_add_loop_test(tests, sizes_become_bytes, 0, COUNT(sizes));
    tcase_add_loop_test(tests, ints_are_decimal_and_exact, 0, COUNT(ints));
    tcase_add_loop_test(tests, floats_are_plain_decimals, 0, COUNT(floats));
    tcase_add_test(tests, floats_too_long_are_refused);
    tcase_add_test(tests, bools_are_two_words);
    suite_add_tcase(suite, tests);
    return suite;
}
