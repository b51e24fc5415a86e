/* SPDX-License-Identifier: MIT */
/* Which numbers become int64 and float64, and which stay the text that they are. */
#include "support/json_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "value/number.h"

static weir_value read_text(const char *text)
{
    return json_number_read(text, (uint32_t)strlen(text));
}

static const struct {
    const char *text;
    int64_t value;
} ints[] = {
    { "0", 0 },
    { "7", 7 },
    { "-1", -1 },
    { "123456789012345678", 123456789012345678 },
    { "1000000000000000000", 1000000000000000000 },
    { "9223372036854775807", INT64_MAX },
    { "-9223372036854775808", INT64_MIN },
    { "-999999999999999999", -999999999999999999 },
};

START_TEST(reads_ints_of_64_bits)
{
    weir_value v = read_text(ints[_i].text);
    ck_assert_uint_eq(v.tag, WEIR_INT);
    ck_assert_int_eq(v.as.i64, ints[_i].value);
}
END_TEST

static const char *const floats[] = {
    "0.0",
    "-0.0",
    "1.5",
    "-1.5",
    "0.1",
    "3.28",
    "100.0",
    "0.00001",
    "0.000012345678901234",
    "12345.678901234",
    "123456789012345.0",
    "99999999999999.9",
    "-0.5",
    "1.25",
    "0.3",
    "2.675",
};

START_TEST(reads_floats_that_print_the_same)
{
    weir_value v = read_text(floats[_i]);
    char room[NUMBER_ROOM];
    ck_assert_uint_eq(v.tag, WEIR_FLOAT);
    ck_assert(v.as.f64 == strtod(floats[_i], NULL));
    size_t len = number_write_float(v.as.f64, room);
    ck_assert_uint_eq(len, strlen(floats[_i]));
    ck_assert_mem_eq(room, floats[_i], len);
}
END_TEST

static const char *const texts[] = {
    "-0",
    "-0.10",
    "1.10",
    "0.00",
    "1.00",
    "1e2",
    "1E400",
    "1.5e-3",
    "100000000000000000e1",
    "9223372036854775808",
    "-9223372036854775809",
    "12345678901234567890123",
    "1234567890123456.0",
    "0.000001",
    "0.0000099",
    "0.1234567890123456",
    "123456789012345.5",
    "1234567890123456.7",
    "0.00000000000000000000000000001",
};

START_TEST(keeps_what_would_not_print_the_same)
{
    weir_value v = read_text(texts[_i]);
    ck_assert_uint_eq(v.tag, WEIR_NUMBER);
    ck_assert_ptr_eq(v.as.text, texts[_i]);
    ck_assert_uint_eq(v.len, strlen(texts[_i]));
}
END_TEST

/* Random decimals: what becomes a number prints the same; the core's rules are the same ones. */
START_TEST(agrees_with_the_core_on_random_numbers)
{
    uint64_t seed = 88172645463325252u;
    unsigned floats_seen = 0;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        char room[NUMBER_ROOM];
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        unsigned whole_digits = (unsigned)(seed >> 8) % 17;
        unsigned decimals = (unsigned)(seed >> 16) % 12;
        unsigned long long whole = seed >> 20;
        size_t at = (size_t)snprintf(text, sizeof text, "%s", seed & 1 ? "-" : "");
        unsigned long long limit = 1;
        for (unsigned k = 0; k < whole_digits; k++) {
            limit *= 10;
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "%llu", whole % limit);
        if (decimals > 0) {
            text[at++] = '.';
            for (unsigned k = 0; k < decimals; k++) {
                text[at++] = (char)('0' + (seed >> (k * 3 + 5)) % 10);
            }
            text[at] = '\0';
        }
        weir_value v = json_number_read(text, (uint32_t)at);
        weir_value core = number_from_json(text, (uint32_t)at);
        size_t len = v.tag == WEIR_INT     ? number_write_int(v.as.i64, room)
                     : v.tag == WEIR_FLOAT ? number_write_float(v.as.f64, room)
                                           : 0;
        require(v.tag == WEIR_NUMBER || (len == at && memcmp(room, text, at) == 0), "%s", text);
        require(v.tag == core.tag, "%s: %d, not %d", text, v.tag, core.tag);
        floats_seen += v.tag == WEIR_FLOAT;
    }
    ck_assert_uint_gt(floats_seen, 20000);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("json_number");
    TCase *tests = tcase_create("json_number");
    tcase_add_loop_test(tests, reads_ints_of_64_bits, 0, sizeof ints / sizeof ints[0]);
    tcase_add_loop_test(tests, reads_floats_that_print_the_same, 0,
                        sizeof floats / sizeof floats[0]);
    tcase_add_loop_test(tests, keeps_what_would_not_print_the_same, 0,
                        sizeof texts / sizeof texts[0]);
    tcase_add_test(tests, agrees_with_the_core_on_random_numbers);
    suite_add_tcase(made, tests);
    return made;
}
