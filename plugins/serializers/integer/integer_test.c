/* SPDX-License-Identifier: MIT */
/* The serializer `integer`. */
#include "support/testing/fixture.h"

#include <string.h>

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

#define WRONG(kind) "! 0: the serializer 'integer' takes int or bool, not " kind "\n"
#define OUTSIDE                                                                                    \
 "! 0: the serializer 'integer' takes numbers from -2147483648 to 2147483647, this one lies "      \
 "outside\n"

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
    ck_assert_str_eq(encode_json(cases[_i].json), cases[_i].expected);
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
        ck_assert_str_eq(decode(numbers[i].bytes, 4, &value), "");
        ck_assert_uint_eq(value.tag, WEIR_INT);
        ck_assert_int_eq(value.as.i64, numbers[i].expected);
    }
    ck_assert_str_eq(decode(NULL, WEIR_ABSENT, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_NULL);
}
END_TEST

START_TEST(refuses_every_other_length)
{
    weir_value value;
    ck_assert_str_eq(decode("abc", 3, &value),
                     "! 0: the payload is no integer: it has 3 bytes instead of 4\n");
    ck_assert_str_eq(decode("", 0, &value),
                     "! 0: the payload is no integer: it has 0 bytes instead of 4\n");
    ck_assert_str_eq(decode("abcde", 5, &value),
                     "! 0: the payload is no integer: it has 5 bytes instead of 4\n");
}
END_TEST

START_TEST(goes_on_behind_a_value_that_it_cannot_write)
{
    const weir_serializer_vtable *vtable = f.vtable;
    weir_value values[] = { weir_int(1), weir_float(2), weir_int(3) };
    const weir_value *pointers[] = { &values[0], &values[1], &values[2] };
    uint64_t ends[3];
    weir_buffer out;
    buffer_init(&out, 1024);
    fixture_begin(&f, NULL);
    weir_status st = vtable->encode(f.instance->self, &f.call.context, pointers, 3, &out, ends);
    ck_assert_str_eq(fixture_end(&f, st), "! 1: the serializer 'integer' takes int or bool, not "
                                          "float\n");
    ck_assert_str_eq(f.call.failures[0].hint, "write int(...) or round(...)");
    ck_assert_uint_eq(ends[0], 4);
    ck_assert_uint_eq(ends[1], WEIR_ABSENT);
    ck_assert_uint_eq(ends[2], 8);
    buffer_deinit(&out);
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
    tcase_add_test(tests, refuses_every_other_length);
    tcase_add_test(tests, goes_on_behind_a_value_that_it_cannot_write);
    suite_add_tcase(made, tests);
    return made;
}
