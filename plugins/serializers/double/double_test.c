/* SPDX-License-Identifier: MIT */
/* The serializer `double`. */
#include "support/testing/fixture.h"

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

/* The payload of a JSON value as hexadecimal digits, "none", or what was reported. */
static const char *encode(const weir_value *value)
{
    static char answer[256];
    const weir_serializer_vtable *vtable = f.vtable;
    const weir_value *values[] = { value };
    uint64_t end = 0;
    weir_buffer out;
    buffer_init(&out, 1024);
    fixture_begin(&f, NULL);
    weir_status st = vtable->encode(f.instance->self, &f.call.context, values, 1, &out, &end);
    snprintf(answer, sizeof answer, "%s", fixture_end(&f, st));
    if (answer[0] != '\0') {
        ck_assert_uint_eq(out.size, 0);
    } else if (end == WEIR_ABSENT) {
        snprintf(answer, sizeof answer, "none");
    } else {
        ck_assert_uint_eq(end, out.size);
        for (uint64_t i = 0; i < out.size; i++) {
            snprintf(answer + 2 * i, 3, "%02x", out.data[i]);
        }
    }
    buffer_deinit(&out);
    return answer;
}

static const char *encode_json(const char *json)
{
    uint32_t count;
    weir_value *value = fixture_values(&f, json, &count);
    ck_assert_uint_eq(count, 1);
    return encode(value);
}

static const char *decode(const char *bytes, uint64_t size, weir_value *ret)
{
    const weir_serializer_vtable *vtable = f.vtable;
    weir_slice payload = { (const uint8_t *)bytes, size };
    fixture_begin(&f, NULL);
    return fixture_end(&f, vtable->decode(f.instance->self, &f.call.context, &payload, 1, ret));
}

#define WRONG(kind) "! 0: the serializer 'double' takes int, float or bool, not " kind "\n"
#define TOO_LARGE   "! 0: the number is too large for the serializer 'double'\n"

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
    ck_assert_str_eq(encode_json(cases[_i].json), cases[_i].expected);
}
END_TEST

START_TEST(refuses_an_integer_beyond_the_range)
{
    char digits[402];
    memset(digits, '0', sizeof digits);
    digits[0] = '1';
    digits[401] = '\0';
    ck_assert_str_eq(encode_json(digits), TOO_LARGE);
}
END_TEST

START_TEST(writes_what_is_no_number_as_ieee_has_it)
{
    weir_value infinite = weir_float(__builtin_inf());
    weir_value nan = weir_float(__builtin_nan(""));
    ck_assert_str_eq(encode(&infinite), "7ff0000000000000");
    ck_assert_str_eq(encode(&nan), "7ff8000000000000");
}
END_TEST

START_TEST(reads_eight_bytes)
{
    weir_value value;
    ck_assert_str_eq(decode("\x40\x5e\xc7\xdf\x3b\x64\x5a\x1d", 8, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_FLOAT);
    ck_assert(value.as.f64 == 123.123);
    ck_assert_str_eq(decode("\x7f\xf8\0\0\0\0\0\0", 8, &value), "");
    ck_assert(value.as.f64 != value.as.f64);
    ck_assert_str_eq(decode(NULL, WEIR_ABSENT, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_NULL);
}
END_TEST

START_TEST(refuses_every_other_length)
{
    weir_value value;
    ck_assert_str_eq(decode("abc", 3, &value),
                     "! 0: the payload is no double: it has 3 bytes instead of 8\n");
    ck_assert_str_eq(decode("", 0, &value),
                     "! 0: the payload is no double: it has 0 bytes instead of 8\n");
    ck_assert_str_eq(decode("123456789", 9, &value),
                     "! 0: the payload is no double: it has 9 bytes instead of 8\n");
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
    tcase_add_test(tests, refuses_every_other_length);
    suite_add_tcase(made, tests);
    return made;
}
