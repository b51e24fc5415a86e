/* SPDX-License-Identifier: MIT */
/* Operators over every pair of kinds, exact ints, floats at their edges, repetition. */
#include <math.h>

#include "expr/expr_fixture.h"
#include "expr/kinds.h"

/* ---- every operator with every pair of kinds --------------------------------------------------- */

enum { SAMPLE_COUNT = 9 };

/* A value of each kind, in the order of the kinds' bits. */
static const char *const samples[SAMPLE_COUNT] = { "null", "true",      "3",
                                                   "2.5",  "\"ab\"",    "{\"$bytes\":\"a\\u0003\"}",
                                                   "[1]",  "{\"k\":1}", "{\"$time\":5}" };

/*
 * Per left kind the results for each right kind: x a fault, otherwise the kind of the result:
 * o bool, i int, f float, t text, y bytes, l list.
 */
struct pair_table {
    enum operation op;
    const char *rows[SAMPLE_COUNT];
};

static const struct pair_table pair_tables[] = {
    { OP_ADD,
      { "xxxxxxxxx", "xiifxxxxx", "xiifxxxxx", "xfffxxxxx", "xxxxtxxxx", "xxxxxyxxx", "xxxxxxlxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_SUBTRACT,
      { "xxxxxxxxx", "xiifxxxxx", "xiifxxxxx", "xfffxxxxx", "xxxxxxxxx", "xxxxxxxxx", "xxxxxxxxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_MULTIPLY,
      { "xxxxxxxxx", "xiifxxxxx", "xiiftylxx", "xfffxxxxx", "xxtxxxxxx", "xxyxxxxxx", "xxlxxxxxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_DIVIDE,
      { "xxxxxxxxx", "xfffxxxxx", "xfffxxxxx", "xfffxxxxx", "xxxxxxxxx", "xxxxxxxxx", "xxxxxxxxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_FLOOR,
      { "xxxxxxxxx", "xiifxxxxx", "xiifxxxxx", "xfffxxxxx", "xxxxxxxxx", "xxxxxxxxx", "xxxxxxxxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_MODULO,
      { "xxxxxxxxx", "xiifxxxxx", "xiifxxxxx", "xfffxxxxx", "xxxxxxxxx", "xxxxxxxxx", "xxxxxxxxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_POWER,
      { "xxxxxxxxx", "xiifxxxxx", "xiifxxxxx", "xfffxxxxx", "xxxxxxxxx", "xxxxxxxxx", "xxxxxxxxx",
        "xxxxxxxxx", "xxxxxxxxx" } },
    { OP_LESS,
      { "xxxxxxxxx", "xoooxxxxx", "xoooxxxxx", "xoooxxxxx", "xxxxoxxxx", "xxxxxoxxx", "xxxxxxoxx",
        "xxxxxxxxx", "xxxxxxxxo" } },
    { OP_GREATER_EQUAL,
      { "xxxxxxxxx", "xoooxxxxx", "xoooxxxxx", "xoooxxxxx", "xxxxoxxxx", "xxxxxoxxx", "xxxxxxoxx",
        "xxxxxxxxx", "xxxxxxxxo" } },
    { OP_EQUAL,
      { "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo",
        "ooooooooo", "ooooooooo" } },
    { OP_IS_NOT,
      { "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo", "ooooooooo",
        "ooooooooo", "ooooooooo" } },
    { OP_IN,
      { "xxxxxxoox", "xxxxxxoox", "xxxxxooox", "xxxxxxoox", "xxxxoxoox", "xxxxxooox", "xxxxxxoox",
        "xxxxxxoox", "xxxxxxoox" } },
    { OP_NOT_IN,
      { "xxxxxxoox", "xxxxxxoox", "xxxxxooox", "xxxxxxoox", "xxxxoxoox", "xxxxxooox", "xxxxxxoox",
        "xxxxxxoox", "xxxxxxoox" } },
};

static uint32_t kind_of_letter(char letter)
{
    static const char letters[] = "noiftylms";
    return letter == 'x' ? 0 : 1u << (strchr(letters, letter) - letters);
}

START_TEST(every_pair_of_kinds_has_its_result)
{
    for (size_t t = 0; t < sizeof pair_tables / sizeof pair_tables[0]; t++) {
        const struct pair_table *table = &pair_tables[t];
        char text[32];
        snprintf(text, sizeof text, "u %s v", operator_text(table->op));
        weir_expression *expression = fixture_compile(text);
        for (size_t i = 0; i < SAMPLE_COUNT; i++) {
            for (size_t j = 0; j < SAMPLE_COUNT; j++) {
                char json[128];
                snprintf(json, sizeof json, "{\"u\":%s,\"v\":%s}", samples[i], samples[j]);
                weir_record record = fixture_record(json);
                weir_value value;
                fixture_evaluate(expression, &record, &value);
                uint32_t expected = kind_of_letter(table->rows[i][j]);
                uint32_t kind = value.tag == WEIR_TAG_ERROR ? 0 : value_kind(&value);
                ck_assert_msg(kind == expected, "%s on %s: %s", text, json, fixture_text(&value));
                /* What is known before any record says the same. */
                uint32_t known = kinds_binary(table->op, 1u << i, 1u << j);
                ck_assert_msg((known == 0) == (expected == 0) && (expected & ~known) == 0,
                              "%s on %s: kinds %x", text, json, known);
            }
        }
    }
}
END_TEST

START_TEST(every_kind_has_its_sign)
{
    static const char *const results[] = { "x", "-1", "-3", "-2.5", "x", "x", "x", "x", "x" };
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        char json[128];
        snprintf(json, sizeof json, "{\"u\":%s}", samples[i]);
        fixture_check(&(struct expr_case){ "-u", results[i], json });
        ck_assert((kinds_unary(OP_NEGATE, 1u << i) == 0) == (results[i][0] == 'x'));
        fixture_check(&(struct expr_case){ "not not u", i == 0 ? "false" : "true", json });
    }
    fixture_check(&(struct expr_case){ "+u", "1", "{\"u\":true}" });
    fixture_check(&(struct expr_case){ "+u", "x: cannot compute +text", "{\"u\":\"a\"}" });
}
END_TEST

/* ---- ints -------------------------------------------------------------------------------------- */

#define LEAST   "-9223372036854775808"
#define LARGEST "9223372036854775807"

START_TEST(ints_are_exact_or_fail)
{
    static const struct expr_case cases[] = {
        { "u + 1",
          "x: " LARGEST " + 1 does not fit in 64 bits; write float(...) where rounding is "
          "allowed",
          "{\"u\":" LARGEST "}" },
        { "u - 1", "x: " LEAST " - 1 does not fit", "{\"u\":" LEAST "}" },
        { "-u", "x: -(" LEAST ") does not fit", "{\"u\":" LEAST "}" },
        { "-u", "-" LARGEST, "{\"u\":" LARGEST "}" },
        { "u + 0", LEAST, "{\"u\":" LEAST "}" },
        { "u * -1", "x", "{\"u\":" LEAST "}" },
        { "u * 2", "x", "{\"u\":4611686018427387904}" },
        { "u * 2", LEAST, "{\"u\":-4611686018427387904}" },
        { "u // -1", "x", "{\"u\":" LEAST "}" },
        { "u % -1", "0", "{\"u\":" LEAST "}" },
        { "u // 1", LEAST, "{\"u\":" LEAST "}" },
        { "u ** 62", "4611686018427387904", "{\"u\":2}" },
        { "u ** 63", "x", "{\"u\":2}" },
        { "u ** 63", LEAST, "{\"u\":-2}" },
        { "u ** 64", "x", "{\"u\":-2}" },
        { "u ** " LARGEST, "1", "{\"u\":1}" },
        { "u ** " LARGEST, "-1", "{\"u\":-1}" },
        { "u ** " LARGEST, "0", "{\"u\":0}" },
        { "u ** 0", "1", "{\"u\":0}" },
        { "u ** -2", "0.25", "{\"u\":-2}" },
        { "u // 2", "-4", "{\"u\":-7}" },
        { "u // -2", "-4", "{\"u\":7}" },
        { "u // -2", "3", "{\"u\":-7}" },
        { "u % 3", "2", "{\"u\":-7}" },
        { "u % -3", "-2", "{\"u\":7}" },
        { "u % -3", "-1", "{\"u\":-7}" },
        { "u // 0", "x: division by zero", "{\"u\":1}" },
        { "1 % u", "x: division by zero: 'u' is 0", "{\"u\":false}" },
        { "u / 0", "x", "{\"u\":0}" },
        { "u / 2", "4.611686018427388e+18", "{\"u\":" LARGEST "}" },
        { "u + true", "2", "{\"u\":1}" },
    };
    CHECK_CASES(cases);
}
END_TEST

/* ---- floats ------------------------------------------------------------------------------------ */

START_TEST(floats_follow_their_rules)
{
    static const struct expr_case cases[] = {
        { "u + 1", "1.5", "{\"u\":0.5}" },
        { "u * 1e308 * 10", "inf", "{\"u\":1.0}" },
        { "u * 1e308 * 10 - u * 1e308 * 10", "NaN", "{\"u\":1.0}" },
        { "(u * 1e308 * 10) % 2", "NaN", "{\"u\":1.0}" },
        { "5 % (u * 1e308 * 10)", "5.0", "{\"u\":1.0}" },
        { "-5 % (u * 1e308 * 10)", "inf", "{\"u\":1.0}" },
        { "u / 0.0", "x: division by zero", "{\"u\":1.0}" },
        { "u // -0.0", "x", "{\"u\":1.0}" },
        { "u % 3", "0.5", "{\"u\":-5.5}" },
        { "u % -3", "-2.5", "{\"u\":3.5}" },
        { "u % 2", "0.0", "{\"u\":-4.0}" },
        { "u % -2", "-0.0", "{\"u\":4.0}" },
        { "u // 2", "-3.0", "{\"u\":-5.5}" },
        { "u // -2.0", "-3.0", "{\"u\":5}" },
        { "u // 0.1", "9.0", "{\"u\":1}" },
        /* a zero of the quotient's sign, though the subtraction leaves 0 / -7.5 */
        { "u // -7.5", "0.0", "{\"u\":-1}" },
        { "u // -2", "0.0", "{\"u\":-0.0}" },
        { "u // 2", "-0.0", "{\"u\":-0.0}" },
        /* the subtraction rounds up, and the quotient ends in .5 */
        { "u // 3", "3333333333333333.0", "{\"u\":1e16}" },
        { "u // -3", "-3333333333333334.0", "{\"u\":1e16}" },
        { "u ** 0.5", "3.0", "{\"u\":9}" },
        { "u ** 2", "6.25", "{\"u\":2.5}" },
        { "u ** 0.5", "x: cannot raise a negative number to a fractional power", "{\"u\":-9}" },
        { "u ** 2.0", "81.0", "{\"u\":-9}" },
        { "u ** -1", "x: cannot raise 0 to a negative power", "{\"u\":0.0}" },
        { "u ** -1.5", "x: cannot raise 0 to a negative power", "{\"u\":0}" },
        { "u ** 1000", "x: the power is beyond the range of a float", "{\"u\":10.0}" },
        { "(u * 1e308 * 10) ** 2", "inf", "{\"u\":1.0}" },
        { "u - 0.0", "-0.0", "{\"u\":-0.0}" },
        { "9007199254740993 + u", "9007199254740992.0", "{\"u\":0.0}" },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(numbers_kept_as_text_count_where_they_fit)
{
    static const struct expr_case cases[] = {
        { "u + 1", "2.1", "{\"u\":{\"$raw\":1.10}}" },
        { "-u", "-1.1", "{\"u\":{\"$raw\":1.10}}" },
        { "+u", "1.1", "{\"u\":{\"$raw\":1.10}}" },
        { "u", "1.10", "{\"u\":{\"$raw\":1.10}}" },
        { "[u, {x: u}]", "[1.10,{\"x\":1.10}]", "{\"u\":{\"$raw\":1.10}}" },
        { "u == 1.1", "true", "{\"u\":{\"$raw\":1.10}}" },
        { "u + 1",
          "x: the number 99999999999999999999 does not fit in 64 bits; write float(...) "
          "where rounding is allowed",
          "{\"u\":99999999999999999999}" },
        { "1 - u", "x", "{\"u\":99999999999999999999}" },
        { "-u", "x: the number 99999999999999999999 does not fit", "{\"u\":99999999999999999999}" },
        { "u > 1", "true", "{\"u\":99999999999999999999}" },
        { "u", "99999999999999999999", "{\"u\":99999999999999999999}" },
        { "'a' * u", "x: the number 99999999999999999999 does not fit",
          "{\"u\":99999999999999999999}" },
        { "'a' * u", "\"aaa\"", "{\"u\":{\"$raw\":3}}" },
        { "'a' * u", "x: cannot compute text * float; a repetition takes an int",
          "{\"u\":{\"$raw\":3.0}}" },
        { "l[u]", "x: the number 99999999999999999999 does not fit",
          "{\"l\":[1],\"u\":99999999999999999999}" },
        { "u * 2", "x: the number 1e400 is beyond the range of a float", "{\"u\":1e400}" },
    };
    CHECK_CASES(cases);
}
END_TEST

/* ---- texts, bytes, lists ----------------------------------------------------------------------- */

START_TEST(texts_and_lists_repeat)
{
    static const struct expr_case cases[] = {
        { "t * 2", "\"abab\"", "{\"t\":\"ab\"}" },
        { "2 * t", "\"abab\"", "{\"t\":\"ab\"}" },
        { "t * 0", "\"\"", "{\"t\":\"ab\"}" },
        { "t * -3", "\"\"", "{\"t\":\"ab\"}" },
        { "t * 1000000000000", "\"\"", "{\"t\":\"\"}" },
        { "[1, 2] * k", "[1,2,1,2]", "{\"k\":2}" },
        { "k * [1]", "[]", "{\"k\":-1}" },
        { "b * 2", "{\"$bytes\":\"YWJhYg==\"}", "{\"b\":{\"$bytes\":\"ab\"}}" },
        { "b + b", "{\"$bytes\":\"YWJhYg==\"}", "{\"b\":{\"$bytes\":\"ab\"}}" },
        { "length(t * 16777216)", "16777216", "{\"t\":\"a\"}" },
        { "t * 16777217", "x: the result would have more than 16 MiB", "{\"t\":\"a\"}" },
        { "t * 9223372036854775807", "x", "{\"t\":\"ab\"}" },
        { "length(l * 1048576)", "1048576", "{\"l\":[1]}" },
        { "l * 1048577", "x: the list would have more than 1048576 items", "{\"l\":[1]}" },
        { "t * 16777216 + t", "x: the result would have more than 16 MiB", "{\"t\":\"a\"}" },
        { "length(l * 1048576 + [])", "1048576", "{\"l\":[1]}" },
        { "l * 1048576 + l", "x", "{\"l\":[1]}" },
        { "t + t + t", "\"ababab\"", "{\"t\":\"ab\"}" },
        { "t + ''", "\"\"", "{\"t\":\"\"}" },
        { "[] + []", "[]", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(faults_name_the_operand_to_repair)
{
    static const struct expr_case cases[] = {
        { "n + 1",
          "x: cannot compute null + int; write 'n ?? ...' for a value in the place of null", NULL },
        { "1 - m.k",
          "x: cannot compute int - null; write 'm.k ?? ...' for a value in the place of "
          "null",
          "{\"m\":{\"k\":null}}" },
        { "(n or n) + 1", "x: cannot compute null + int", NULL },
        { "1 + a + t", "x: cannot compute int + text; write text(1 + a)", NULL },
        { "t + a", "x: cannot compute text + int; write text(a)", NULL },
        { "-n", "x: cannot compute -null; write 'n ?? ...' for a value in the place of null",
          NULL },
        { "l - l", "x: cannot compute list - list", NULL },
        { "a + zz + n", "x: field 'zz' is missing", NULL },
        { "zz + yy", "x: field 'zz' is missing", NULL },
        { "n + yy", "x: field 'yy' is missing", NULL },
    };
    CHECK_CASES(cases);
    weir_expression *expression = fixture_compile("1 + (a // (b - 2))");
    weir_record record = fixture_record(RECORD_R);
    weir_value value;
    ck_assert_int_eq(fixture_evaluate(expression, &record, &value), 1);
    ck_assert_uint_eq(expr_fault(&value)->from, 5);
    ck_assert_uint_eq(expr_fault(&value)->to, 17);
    ck_assert_str_eq(expr_fault(&value)->message, "division by zero: '(b - 2)' is 0");
}
END_TEST

/* A whole column of floats or ints takes a way of its own: it must give what single lanes give. */
START_TEST(columns_of_numbers_compute_as_single_lanes_do)
{
    enum { LANES = 40 };
    static const char *const texts[] = {
        "f + i - g * 2 / 7",
        "f * 9 / 5 + 32",
        "f - 1 // 2",
        "f * 2 % 3 + 1",
        "f / z",
        "f + 1 + m * 2",
        "f + 1 + t",
        "f / 3 / z - 1 + zz",
        "f * i / 0.1 ** 2",
        "f / (f - f)",
        "f + true - n",
        "f + 0.5 + (m // 1)",
        "i * 3 + 7 - i",
        "i * i * i - z * 5",
        "h + i",
        "i + h - 2 * h",
        "i * 1000 + (h - 1) * 2",
        "i * 3 / 2 - 1",
        "i - f + 1",
        "i + 1 + true - 3",
        "i * 2 + m",
        "i * 2 + 1 + t",
        "i + 7 // z",
        "i - 5 % 3 * 2",
        "i + n",
        "i + 1 - zz",
    };
    weir_record records[LANES];
    weir_entry entries[LANES];
    for (uint32_t i = 0; i < LANES; i++) {
        char json[256];
        snprintf(json, sizeof json,
                 "{\"f\":%u.25,\"g\":-%u.5,\"i\":%u,\"z\":%u,\"m\":%s,\"t\":%s,\"n\":null,"
                 "\"h\":92233720368547757%02u}",
                 i, i * 7, i, i % 4, i % 3 == 0 ? "\"x\"" : "1.5", i == 17 ? "\"x\"" : "2", i);
        records[i] = fixture_record(json);
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        weir_value together[LANES];
        int64_t alone_failed = 0;
        weir_expression *expression = fixture_compile(texts[k]);
        int64_t failed =
            expr_evaluate(&fixture.context.context, expression, entries, LANES, together);
        for (uint32_t i = 0; i < LANES; i++) {
            char expected[8192];
            weir_value alone;
            alone_failed += fixture_evaluate(expression, &records[i], &alone);
            snprintf(expected, sizeof expected, "%s", fixture_text(&alone));
            ck_assert_str_eq(fixture_text(&together[i]), expected);
        }
        ck_assert_int_eq(failed, alone_failed);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("arithmetic");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, every_pair_of_kinds_has_its_result);
    tcase_add_test(tcase, every_kind_has_its_sign);
    tcase_add_test(tcase, ints_are_exact_or_fail);
    tcase_add_test(tcase, floats_follow_their_rules);
    tcase_add_test(tcase, numbers_kept_as_text_count_where_they_fit);
    tcase_add_test(tcase, texts_and_lists_repeat);
    tcase_add_test(tcase, faults_name_the_operand_to_repair);
    tcase_add_test(tcase, columns_of_numbers_compute_as_single_lanes_do);
    return made;
}
