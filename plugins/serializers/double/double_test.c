/* SPDX-License-Identifier: MIT */
/* The serializer `double`. */
#include "support/testing/payload_fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static void setup(void)
{
    ck_assert(fixture_init(&f, "serializer_double", NULL));
}

static void teardown(void)
{
    fixture_deinit(&f);
}

#define WRONG(kind) "none\n! 0: the serializer 'double' takes int, float or bool, not " kind "\n"
#define TOO_LARGE   "none\n! 0: the number is too large for the serializer 'double'\n"

static const struct {
    const char *json;
    const char *expected;
} cases[] = {
    { "123", "405ec00000000000" },
    { "123.123", "405ec7df3b645a1d" },
    { "-1.5", "bff8000000000000" },
    { "true", "3ff0000000000000" },
    { "1e300", "7e37e43c8800759c" },
    { "1.500", "3ff8000000000000" },
    { "-0.0", "8000000000000000" },
    { "9007199254740993", "4340000000000000" },
    { "100000000000000000000", "4415af1d78b58c40" },
    { "null", "none" },
    { "1e400", TOO_LARGE },
    { "-1e400", TOO_LARGE },
    { "\"abc\"", WRONG("text") },
    { "[]", WRONG("list") },
};

START_TEST(writes_eight_bytes_or_says_why_not)
{
    ck_assert_str_eq(fixture_encode_json(&f, cases[_i].json), cases[_i].expected);
}
END_TEST

START_TEST(refuses_an_integer_beyond_the_range)
{
    char digits[402];
    memset(digits, '0', sizeof digits);
    digits[0] = '1';
    digits[401] = '\0';
    ck_assert_str_eq(fixture_encode_json(&f, digits), TOO_LARGE);
}
END_TEST

START_TEST(writes_what_is_no_number_as_ieee_has_it)
{
    weir_value infinite = weir_float(__builtin_inf());
    weir_value nan = weir_float(__builtin_nan(""));
    ck_assert_str_eq(fixture_encode(&f, &infinite, 1), "7ff0000000000000");
    ck_assert_str_eq(fixture_encode(&f, &nan, 1), "7ff8000000000000");
}
END_TEST

START_TEST(reads_eight_bytes)
{
    weir_value value;
    ck_assert_str_eq(fixture_decode_one(&f, "\x40\x5e\xc7\xdf\x3b\x64\x5a\x1d", 8, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_FLOAT);
    ck_assert(value.as.f64 == 123.123);
    ck_assert_str_eq(fixture_decode_one(&f, "\x7f\xf8\0\0\0\0\0\0", 8, &value), "");
    ck_assert(value.as.f64 != value.as.f64);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("double");
    TCase *tests = tcase_create("double");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, writes_eight_bytes_or_says_why_not, 0,
                        sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, refuses_an_integer_beyond_the_range);
    tcase_add_test(tests, writes_what_is_no_number_as_ieee_has_it);
    tcase_add_test(tests, reads_eight_bytes);
    suite_add_tcase(made, tests);
    return made;
}
