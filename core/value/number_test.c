/* SPDX-License-Identifier: MIT */
/* Texts to numbers and numbers to texts, with the C library and random bits as oracles. */
#include "value/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

/* The same numbers in every run. */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double float_of_bits(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint64_t bits_of_float(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* ---- writing ----------------------------------------------------------------------------------- */

START_TEST(ints_of_every_length_are_written)
{
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        int64_t number = (int64_t)(random_bits(&state) >> (random_bits(&state) % 64));
        number = i % 2 == 0 ? number : -number;
        char room[NUMBER_ROOM];
        char expected[NUMBER_ROOM];
        size_t len = number_write_int(number, room);
        int expected_len = snprintf(expected, sizeof expected, "%lld", (long long)number);
        require((int)len == expected_len && memcmp(room, expected, len) == 0, "%s", expected);
    }
}
END_TEST

static const int64_t rim_ints[] = { 0,
                                    9,
                                    10,
                                    99,
                                    100,
                                    9999,
                                    10000,
                                    99999999,
                                    100000000,
                                    9999999999999999,
                                    10000000000000000,
                                    INT64_MAX,
                                    INT64_MIN,
                                    -1 };

START_TEST(ints_at_the_rim_are_written)
{
    char room[NUMBER_ROOM];
    char expected[NUMBER_ROOM];
    room[number_write_int(rim_ints[_i], room)] = '\0';
    snprintf(expected, sizeof expected, "%lld", (long long)rim_ints[_i]);
    ck_assert_str_eq(room, expected);
}
END_TEST

static const struct {
    double f;
    const char *text;
} floats[] = {
    { 0.0, "0.0" },
    { -0.0, "-0.0" },
    { 1.0, "1.0" },
    { -1.0, "-1.0" },
    { 0.1, "0.1" },
    { 2.5, "2.5" },
    { -2.505, "-2.505" },
    { 0.5, "0.5" },
    { 100, "100.0" },
    { 1.1, "1.1" },
    { 123456.789, "123456.789" },
    { 0.00001, "0.00001" },
    { 0.000025, "0.000025" },
    { 0.00012, "0.00012" },
    { 0.001, "0.001" },
    { 0.000001, "1e-6" },
    { 0.00000999, "9.99e-6" },
    { 0.30000000000000004, "0.30000000000000004" },
    { 72.32000000000001, "72.32000000000001" },
    { 1e14, "100000000000000.0" },
    { 1e15, "1000000000000000.0" },
    { 999999999999999.9, "999999999999999.9" },
    { 123456789012345.6, "123456789012345.6" },
    { 1234567890123456.5, "1234567890123456.5" },
    { 9999999999999998.0, "9999999999999998.0" },
    { 1e16, "1e+16" },
    { 1.5e16, "1.5e+16" },
    { 12345678901234567.0, "1.2345678901234568e+16" },
    { 1e22, "1e+22" },
    { 1e100, "1e+100" },
    { 1.7976931348623157e308, "1.7976931348623157e+308" },
    { 2.2250738585072014e-308, "2.2250738585072014e-308" },
    { 5e-324, "5e-324" },
    { -5e-324, "-5e-324" },
    { 9007199254740993.0, "9007199254740992.0" },
    { 9.5367431640625e-7, "9.5367431640625e-7" },
    { 0.1234567890123456, "0.1234567890123456" },
    { 0.123456789012345, "0.123456789012345" },
    { 99999.99999999999, "99999.99999999999" },
    { 1e-5 - 1e-21, "9.999999999999999e-6" },
};

START_TEST(floats_have_json_form)
{
    char room[NUMBER_ROOM + 1];
    size_t len = number_write_float(floats[_i].f, room);
    ck_assert_uint_lt(len, NUMBER_ROOM);
    room[len] = '\0';
    ck_assert_str_eq(room, floats[_i].text);
}
END_TEST

/* Fewest digits that strtod reads back as f. */
static int fewest_digits(double f)
{
    char text[64];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, f);
        if (bits_of_float(strtod(text, NULL)) == bits_of_float(f)) {
            return digits;
        }
    }
    return 17;
}

/* Digits of a number's text, zeros at both ends left out. */
static int digits_of(const char *text)
{
    int count = 0;
    int zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        } else if (*text == '0') {
            zeros += count > 0;
        }
    }
    return count;
}

/* The form: sign, plain from 1e-5 to below 1e16, else d[.d]e+x or e-x; always a fraction in plain. */
static bool has_form(double f, const char *text)
{
    const char *exponent = strchr(text, 'e');
    const char *point = strchr(text, '.');
    size_t len = strlen(text);
    bool is_plain = fabs(f) >= 1e-5 && fabs(f) < 1e16;
    bool ends_in_zero = (exponent == NULL ? text[len - 1] : exponent[-1]) == '0';
    if (is_plain) {
        return exponent == NULL && point != NULL && (!ends_in_zero || point == text + len - 2);
    }
    return exponent != NULL && exponent[1] == (fabs(f) < 1 ? '-' : '+') && exponent[2] != '0' &&
           (point == NULL ? exponent == text + (f < 0) + 1 : point == text + (f < 0) + 1) &&
           (point == NULL || !ends_in_zero);
}

static void check_float(double f)
{
    char text[NUMBER_ROOM + 1];
    size_t len = number_write_float(f, text);
    text[len] = '\0';
    require(bits_of_float(strtod(text, NULL)) == bits_of_float(f), "%s is not %a", text, f);
    require(has_form(f, text), "%s has another form", text);
    require(number_is_json(text, len), "%s is not JSON", text);
    require(bits_of_float(number_to_float(text, len)) == bits_of_float(f), "reading %s", text);
}

START_TEST(a_million_random_floats_read_back)
{
    uint64_t state = 2;
    for (int i = 0; i < 1000000; i++) {
        double f = float_of_bits(random_bits(&state));
        if (__builtin_isfinite(f) && f != 0) {
            check_float(f);
        }
    }
}
END_TEST

/* Floats as measuring devices and arithmetic make them. */
static double ordinary_float(uint64_t *state)
{
    static const double powers[] = { 1, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e12, 1e15, 1e17, 1e19, 1e22 };
    double whole = (double)(int64_t)(random_bits(state) >> (random_bits(state) % 54 + 10));
    double f = whole / powers[random_bits(state) % 12];
    switch (random_bits(state) % 4) {
    case 0:
        return -f;
    case 1:
        return f * 1.8 + 32;
    case 2:
        return nextafter(f, __builtin_inf());
    default:
        return f;
    }
}

START_TEST(ordinary_floats_are_written_in_fewest_digits)
{
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++) {
        double f = ordinary_float(&state);
        if (f == 0) {
            continue;
        }
        check_float(f);
        if (i % 4 == 0) {
            char text[NUMBER_ROOM + 1];
            text[number_write_float(f, text)] = '\0';
            require(digits_of(text) == fewest_digits(f), "%s", text);
        }
    }
}
END_TEST

START_TEST(powers_of_two_and_ten_read_back)
{
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_float(ldexp(1, exponent));
        check_float(nextafter(ldexp(1, exponent), 0) > 0 ? nextafter(ldexp(1, exponent), 0) : 1);
    }
    for (int exponent = -323; exponent < 309; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        double f = strtod(text, NULL);
        check_float(f);
        check_float(nextafter(f, __builtin_inf()));
        check_float(nextafter(f, 0) > 0 ? nextafter(f, 0) : f);
    }
}
END_TEST

START_TEST(writing_numbers_takes_no_memory)
{
    size_t before = memory_count();
    memory_fail_from(1);
    check_float(1.2345678901234567e-300);
    memory_fail_from(0);
    ck_assert_uint_eq(memory_count(), before);
}
END_TEST

/* ---- reading ----------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint8_t tag;
} by_form[] = {
    { "0", WEIR_INT },
    { "-5", WEIR_INT },
    { "9223372036854775807", WEIR_INT },
    { "-9223372036854775808", WEIR_INT },
    { "9223372036854775808", WEIR_NUMBER },
    { "-9223372036854775809", WEIR_NUMBER },
    { "18446744073709551616", WEIR_NUMBER },
    { "18446744073709551617", WEIR_NUMBER },
    { "100000000000000000000000000", WEIR_NUMBER },
    { "-0", WEIR_NUMBER },
    { "0.0", WEIR_FLOAT },
    { "-0.0", WEIR_FLOAT },
    { "1.0", WEIR_FLOAT },
    { "1.5", WEIR_FLOAT },
    { "-2.505", WEIR_FLOAT },
    { "10.01", WEIR_FLOAT },
    { "123456789012345.0", WEIR_FLOAT },
    { "12345678901234.5", WEIR_FLOAT },
    { "0.123456789012345", WEIR_FLOAT },
    { "0.00001", WEIR_FLOAT },
    { "0.0000123456789012345", WEIR_FLOAT },
    { "0.000001", WEIR_NUMBER },
    { "0.00000", WEIR_NUMBER },
    { "0.00", WEIR_NUMBER },
    { "1.10", WEIR_NUMBER },
    { "1.00", WEIR_NUMBER },
    { "1234567890123456.0", WEIR_NUMBER },
    { "123456789012345.6", WEIR_NUMBER },
    { "0.1234567890123456", WEIR_NUMBER },
    { "1e5", WEIR_NUMBER },
    { "1.5E+3", WEIR_NUMBER },
    { "1.5e3", WEIR_NUMBER },
    { "1.0e5", WEIR_NUMBER },
    { "0e0", WEIR_NUMBER },
    { "0.1e1", WEIR_NUMBER },
};

START_TEST(the_tag_follows_the_form)
{
    const char *text = by_form[_i].text;
    weir_value v = number_from_json(text, (uint32_t)strlen(text));
    ck_assert_uint_eq(v.tag, by_form[_i].tag);
    ck_assert_uint_eq(v.flags, 0);
    char room[NUMBER_ROOM];
    size_t len;
    switch (v.tag) {
    case WEIR_INT:
        len = number_write_int(v.as.i64, room);
        break;
    case WEIR_FLOAT:
        len = number_write_float(v.as.f64, room);
        break;
    default:
        ck_assert_ptr_eq(v.as.text, text);
        ck_assert_uint_eq(v.len, strlen(text));
        return;
    }
    room[len] = '\0';
    ck_assert_str_eq(room, text);
}
END_TEST

/* A decimal of up to `most` digits before and behind the point. */
static void random_decimal(uint64_t *state, unsigned most, char *text)
{
    size_t at = 0;
    if (random_bits(state) % 4 == 0) {
        text[at++] = '-';
    }
    unsigned whole = (unsigned)(random_bits(state) % most) + 1;
    unsigned fraction = (unsigned)(random_bits(state) % (most + 1));
    if (random_bits(state) % 3 == 0) {
        text[at++] = '0';
    } else {
        text[at++] = (char)('1' + random_bits(state) % 9);
        for (unsigned i = 1; i < whole; i++) {
            text[at++] = (char)('0' + random_bits(state) % 10);
        }
    }
    if (fraction > 0) {
        text[at++] = '.';
        for (unsigned i = 0; i < fraction; i++) {
            text[at++] = (char)(random_bits(state) % 3 == 0 ? '0' : '0' + random_bits(state) % 10);
        }
    }
    text[at] = '\0';
}

START_TEST(what_is_read_as_number_prints_back_byte_for_byte)
{
    uint64_t state = 4;
    int float_count = 0;
    for (int i = 0; i < 500000; i++) {
        char text[80];
        char room[NUMBER_ROOM];
        random_decimal(&state, 18, text);
        weir_value v = number_from_json(text, (uint32_t)strlen(text));
        if (v.tag == WEIR_NUMBER) {
            continue;
        }
        size_t len = v.tag == WEIR_INT ? number_write_int(v.as.i64, room)
                                       : number_write_float(v.as.f64, room);
        require(len == strlen(text) && memcmp(room, text, len) == 0, "%s", text);
        require(v.tag == WEIR_INT || bits_of_float(v.as.f64) == bits_of_float(strtod(text, NULL)),
                "%s", text);
        float_count += v.tag == WEIR_FLOAT;
    }
    ck_assert_int_gt(float_count, 50000);
}
END_TEST

START_TEST(texts_of_any_length_become_the_nearest_float)
{
    uint64_t state = 5;
    for (int i = 0; i < 100000; i++) {
        char text[200];
        random_decimal(&state, (unsigned)(i % 60) + 1, text);
        if (i % 2 == 0) {
            snprintf(text + strlen(text), 10, "e%d", (int)(random_bits(&state) % 700) - 350);
        }
        double expected = strtod(text, NULL);
        double f = number_to_float(text, strlen(text));
        require(bits_of_float(f) == bits_of_float(expected), "%s", text);
    }
}
END_TEST

static const char *const hard_floats[] = {
    "9007199254740993",
    "9007199254740992.99999999999999999999999999999999999999999999999999999999",
    "9007199254740993.00000000000000000000000000000000000000000000000000000001",
    "2.2250738585072011e-308",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "4.9406564584124654e-324",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "-1e309",
    "0e999999999999999999999999",
    "0.0000000000000000000000000000000000000000000000000000000000000000000000001e73",
    "1e99999999999999999999999999999999",
    "-1e-99999999999999999999999999999999",
    "100000000000000000000000000000000000000000000000000000000000000000000000e-71",
    "1e22",
    "1e23",
    "8.5e-22",
};

START_TEST(hard_texts_become_the_nearest_float)
{
    const char *text = hard_floats[_i];
    ck_assert_uint_eq(bits_of_float(number_to_float(text, strlen(text))),
                      bits_of_float(strtod(text, NULL)));
}
END_TEST

START_TEST(a_digit_far_behind_decides_a_tie)
{
    /* The midpoint above 1, exactly, then zeros, then perhaps a digit. */
    static const char midpoint[] = "1.00000000000000011102230246251565404236316680908203125";
    static char text[5000];
    memset(text, '0', sizeof text - 1);
    memcpy(text, midpoint, sizeof midpoint - 1);
    ck_assert_double_eq(number_to_float(text, sizeof text - 1), 1.0);
    text[sizeof text - 2] = '1';
    ck_assert_double_eq(number_to_float(text, sizeof text - 1), nextafter(1, 2));
    memset(text, '9', sizeof text - 1);
    ck_assert(__builtin_isinf(number_to_float(text, sizeof text - 1)));
    memset(text, '0', sizeof text - 1);
    text[1] = '.';
    text[sizeof text - 5] = '7';
    memcpy(text + sizeof text - 5, "e990", 4);
    ck_assert_double_eq(number_to_float(text, sizeof text - 1), 0);
}
END_TEST

static const struct {
    const char *text;
    bool is_json;
    bool is_integer;
} forms[] = {
    { "0", true, true },       { "-0", true, true },      { "10", true, true },
    { "1.5", true, false },    { "1e5", true, false },    { "1E+5", true, false },
    { "1.5e-5", true, false }, { "", false, false },      { "-", false, false },
    { "+1", false, false },    { ".5", false, false },    { "5.", false, false },
    { "1e", false, false },    { "1e+", false, false },   { "1x", false, false },
    { " 1", false, false },    { "1 ", false, false },    { "NaN", false, false },
    { "01", false, true },     { "1.5.5", false, false }, { "1e5.5", false, false },
};

START_TEST(the_grammar_of_json_numbers_is_kept)
{
    const char *text = forms[_i].text;
    ck_assert(number_is_json(text, strlen(text)) == forms[_i].is_json);
    ck_assert(number_is_integer_text(text, strlen(text)) == forms[_i].is_integer);
}
END_TEST

START_TEST(integers_are_read_up_to_64_bits)
{
    int64_t i = 77;
    ck_assert(number_to_int("9223372036854775807", 19, &i) && i == INT64_MAX);
    ck_assert(number_to_int("-9223372036854775808", 20, &i) && i == INT64_MIN);
    ck_assert(number_to_int("-0", 2, &i) && i == 0);
    ck_assert(!number_to_int("9223372036854775808", 19, &i));
    ck_assert(!number_to_int("-9223372036854775809", 20, &i));
    ck_assert(!number_to_int("18446744073709551617", 20, &i));
    ck_assert_int_eq(i, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("number");
    TCase *tests = tcase_create("number");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, ints_of_every_length_are_written);
    tcase_add_loop_test(tests, ints_at_the_rim_are_written, 0, COUNT(rim_ints));
    tcase_add_loop_test(tests, floats_have_json_form, 0, COUNT(floats));
    tcase_add_test(tests, a_million_random_floats_read_back);
    tcase_add_test(tests, ordinary_floats_are_written_in_fewest_digits);
    tcase_add_test(tests, powers_of_two_and_ten_read_back);
    tcase_add_test(tests, writing_numbers_takes_no_memory);
    tcase_add_loop_test(tests, the_tag_follows_the_form, 0, COUNT(by_form));
    tcase_add_test(tests, what_is_read_as_number_prints_back_byte_for_byte);
    tcase_add_test(tests, texts_of_any_length_become_the_nearest_float);
    tcase_add_loop_test(tests, hard_texts_become_the_nearest_float, 0, COUNT(hard_floats));
    tcase_add_test(tests, a_digit_far_behind_decides_a_tie);
    tcase_add_loop_test(tests, the_grammar_of_json_numbers_is_kept, 0, COUNT(forms));
    tcase_add_test(tests, integers_are_read_up_to_64_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
