/* SPDX-License-Identifier: MIT */
/* The serializer `integer`. */
#include "support/testing/payload_fixture.h"

#include "unit.h"

static struct fixture f;

static void setup(void)
{
    ck_assert(fixture_init(&f, "serializer_integer", NULL));
}

static void teardown(void)
{
    fixture_deinit(&f);
}

#define WRONG(kind) "none\n! 0: the serializer 'integer' takes int or bool, not " kind "\n"
#define OUTSIDE                                                                                    \
 "none\n! 0: the serializer 'integer' takes numbers from -2147483648 to 2147483647, this one "     \
 "lies outside\n"

static const struct {
    const char *json;
    const char *expected;
} cases[] = {
    { "0", "00000000" },
    { "123", "0000007b" },
    { "-1", "ffffffff" },
    { "2147483647", "7fffffff" },
    { "-2147483648", "80000000" },
    { "true", "00000001" },
    { "false", "00000000" },
    { "null", "none" },
    { "2147483648", OUTSIDE },
    { "-2147483649", OUTSIDE },
    { "100000000000000000000", OUTSIDE },
    { "1.5", WRONG("float") },
    { "1.0", WRONG("float") },
    { "1.000", WRONG("float") },
    { "\"abc\"", WRONG("text") },
    { "{}", WRONG("map") },
};

START_TEST(writes_four_bytes_or_says_why_not)
{
    ck_assert_str_eq(fixture_encode_json(&f, cases[_i].json), cases[_i].expected);
}
END_TEST

START_TEST(reads_four_bytes)
{
    static const struct {
        const char *bytes;
        int64_t expected;
    } numbers[] = { { "\0\0\0\x7b", 123 },
                    { "\xff\xff\xff\xff", -1 },
                    { "\x80\0\0\0", INT32_MIN } };
    weir_value value;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        ck_assert_str_eq(fixture_decode_one(&f, numbers[i].bytes, 4, &value), "");
        ck_assert_uint_eq(value.tag, WEIR_INT);
        ck_assert_int_eq(value.as.i64, numbers[i].expected);
    }
}
END_TEST

START_TEST(goes_on_behind_a_value_that_it_cannot_write)
{
    const weir_value values[] = { weir_int(1), weir_float(2), weir_int(3) };
    ck_assert_str_eq(fixture_encode(&f, values, 3),
                     "00000001|none|00000003\n"
                     "! 1: the serializer 'integer' takes int or bool, not float\n");
    ck_assert_str_eq(f.call.failures[0].hint, "write int(...) or round(...)");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("integer");
    TCase *tests = tcase_create("integer");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, writes_four_bytes_or_says_why_not, 0,
                        sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, reads_four_bytes);
    tcase_add_test(tests, goes_on_behind_a_value_that_it_cannot_write);
    suite_add_tcase(made, tests);
    return made;
}
