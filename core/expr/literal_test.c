/* SPDX-License-Identifier: MIT */
/* Words and literals: what they mean, and where their faults stand. */
#include "expr/expr_fixture.h"
#include "expr/lexer.h"

START_TEST(numbers_mean_what_they_say)
{
    static const struct expr_case cases[] = {
        { "0", "0", NULL },
        { "42", "42", NULL },
        { "1_000_000", "1000000", NULL },
        { "9223372036854775807", "9223372036854775807", NULL },
        { "-9223372036854775808", "-9223372036854775808", NULL },
        { "- 9_223_372_036_854_775_808", "-9223372036854775808", NULL },
        { "zz ?? -9223372036854775808", "-9223372036854775808", NULL },
        { "1.5", "1.5", NULL },
        { "1e-3", "0.001", NULL },
        { "2.0e6", "2000000.0", NULL },
        { "2E+2", "200.0", NULL },
        { "1_0.2_5", "10.25", NULL },
        { "1e-999", "0.0", NULL },
        { "0.1", "0.1", NULL },
        { "null", "null", NULL },
        { "true", "true", NULL },
        { "false", "false", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(durations_are_milliseconds)
{
    static const struct expr_case cases[] = {
        { "250ms", "250", NULL },     { "5s", "5000", NULL },          { "1.5s", "1500", NULL },
        { "1h30m", "5400000", NULL }, { "1w2d3h", "788400000", NULL }, { "1m", "60000", NULL },
        { "500us", "1", NULL },       { "499us", "0", NULL },          { "-1s", "-1000", NULL },
        { "a * 1s", "5000", NULL },   { "1d == 24h", "true", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(texts_know_their_escapes)
{
    static const struct expr_case cases[] = {
        { "\"a\"", "\"a\"", NULL },
        { "'a'", "\"a\"", NULL },
        { "\"\"", "\"\"", NULL },
        { "'say \"hi\"'", "\"say \\\"hi\\\"\"", NULL },
        { "'it\\'s'", "\"it's\"", NULL },
        { "\"\\\"\\'\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"'\\\\/\\b\\f\\n\\r\\t\"", NULL },
        { "'\\u00e9\\u0041'",
          "\"\xc3\xa9"
          "A\"",
          NULL },
        { "'\\ud83d\\ude00' == '\\u{1F600}'", "true", NULL },
        { "'\\u{41}\\u{00e9}\\u{10FFFF}'", "\"A\xc3\xa9\xf4\x8f\xbf\xbf\"", NULL },
        { "length('a\\u0000b')", "3", NULL },
        { "'a\tb'", "\"a\\tb\"", NULL },
        { "'\xe2\x80\x9c\xe2\x80\x9d'", "\"\xe2\x80\x9c\xe2\x80\x9d\"", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(a_text_without_escapes_is_marked_plain)
{
    const weir_value *plain = expr_constant(fixture_compile("'JFK'"));
    ck_assert_uint_eq(plain->flags, WEIR_VALUE_PLAIN);
    ck_assert_uint_eq(expr_constant(fixture_compile("'a\"b'"))->flags, 0);
    ck_assert_uint_eq(expr_constant(fixture_compile("'a\\nb'"))->flags, 0);
    ck_assert_uint_eq(expr_constant(fixture_compile("'a' + 'b'"))->flags, WEIR_VALUE_PLAIN);
    ck_assert_uint_eq(expr_constant(fixture_compile("'a\\n' + 'b'"))->flags, 0);
    ck_assert_uint_eq(expr_constant(fixture_compile("'abc'[1:]"))->flags, WEIR_VALUE_PLAIN);
}
END_TEST

START_TEST(faults_of_words_have_their_place)
{
    static const char *const cases[][2] = {
        { "a + 01", "4-6 a number has no leading zero; a date is text: '2026-01-01'" },
        { "00", "0-2 a number has no leading zero; a date is text: '2026-01-01'" },
        { "2026-01-01", "0-10 a date is text; write '2026-01-01'" },
        { "a > 2026-11-01 and 01", "4-14 a date is text; write '2026-11-01'\n"
                                   "19-21 a number has no leading zero; a date is text: "
                                   "'2026-01-01'" },
        { "2026-11-12T06:00:00Z + 1", "0-20 a date is text; write '2026-11-12T06:00:00Z'" },
        { "2026-11-12T06:00:00.25+02:00", "0-28 a date is text; write "
                                          "'2026-11-12T06:00:00.25+02:00'" },
        { "2026-01-01 06:00", "0-16 a date is text; write '2026-01-01 06:00'" },
        { "2026-1-01", "7-9 a number has no leading zero; a date is text: '2026-01-01'" },
        { "1_", "0-2 '_' stands between two digits only" },
        { "1__0", "0-4 '_' stands between two digits only" },
        { "1.", "0-2 a digit must stand on both sides of the point, as in 1.0" },
        { "1. + 2", "0-2 a digit must stand on both sides of the point, as in 1.0" },
        { "9223372036854775808", "0-19 the number does not fit in 64 bits; the largest int is "
                                 "9223372036854775807" },
        { "-9223372036854775809", "1-20 the number does not fit in 64 bits; the largest int is "
                                  "9223372036854775807" },
        { "99999999999999999999999", "0-23 the number does not fit in 64 bits; the largest int is "
                                     "9223372036854775807" },
        { "1e999", "0-5 the number is beyond the range of a float" },
        { "12abc", "0-5 '12abc' is neither a number nor a name; a name begins with a letter, a "
                   "duration is written 5s or 1h30m" },
        { "a + 5sx", "4-7 '5sx' is neither a number nor a name; a name begins with a letter, a "
                     "duration is written 5s or 1h30m" },
        { "'ab", "0-3 the text has no closing '" },
        { "'a\nb'", "0-2 the text has no closing ' on its line; a line break is written \\n" },
        { "'a\\q'", "2-4 unknown escape; known are \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX "
                    "\\u{X}" },
        { "'\\u12'", "1-5 an escape \\u needs four hex digits" },
        { "'\\ud83d'", "1-7 half of a surrogate pair; write both halves, or \\u{...} with the code "
                       "point" },
        { "'\\u{}'", "1-4 an escape \\u{...} holds 1 to 6 hex digits" },
        { "'\\u{110000}'", "1-11 this code point does not exist in Unicode text" },
        { "'\\u{D800}'", "1-9 this code point does not exist in Unicode text" },
        { "\xe2\x80\x9c"
          "a\xe2\x80\x9d",
          "0-3 U+201C is a curly quote; write \" or '" },
        { "a == \xe2\x80\x98x\xe2\x80\x99", "5-8 U+2018 is a curly quote; write ' or \"" },
        { "a\xc2\xa0+ 1", "1-3 U+00A0 is a white space that separates no words; write a plain "
                          "blank" },
        { "\xef\xbb\xbf"
          "a",
          "0-3 U+FEFF is an invisible byte order mark; remove it" },
        { "a = 1", "2-3 '=' is no operator here; write '==' to compare" },
        { "a === 1", "2-5 '===' is no operator here; write '=='" },
        { "a && b", "2-4 '&&' is no operator here; write 'and'" },
        { "a | b", "2-3 '|' is no operator here; write 'or'" },
        { "!a", "0-1 '!' is no operator here; write 'not'" },
        { "a <> b", "2-4 '<>' is no operator here; write '!='" },
        { "a ? 1 : 2", "2-3 '?' is no operator here; write 'if c then a else b'" },
        { "a ^ 2", "2-3 '^' is no operator here; write '**' for a power" },
        { "a # no", "2-3 '#' is no operator here; there are no comments in an expression" },
        { "~", "0-1 '~' is no operator here; write 'not', or null where there is no value" },
        { "a @ b", "2-3 '@' has no meaning in an expression" },
        { "a \x01", "2-3 unexpected control character U+0001" },
        { "$", "0-1 a name must follow '$', as in $value or $key" },
        { "${HOME}", "0-7 ${} is not replaced inside an expression; write env(\"HOME\")" },
        { "a + ${H:-x}", "4-11 ${} is not replaced inside an expression; write env(\"H\", "
                         "\"x\")" },
        { "a\xff", "1-2 the byte 0xFF is not UTF-8; save the file as UTF-8" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_ptr_null(fixture_compile(cases[i][0]));
        ck_assert_str_eq(fixture.messages, cases[i][1]);
    }
}
END_TEST

START_TEST(a_date_that_is_a_difference_is_a_warning)
{
    weir_expression *expression = fixture_compile("2026-11-12");
    ck_assert_str_eq(fixture.messages, "0-10 warning: '2026-11-12' subtracts two numbers from "
                                       "another; a date is text: write it in quotes");
    ck_assert_int_eq(expr_constant(expression)->as.i64, 2003);
    ck_assert_ptr_nonnull(fixture_compile("2026 - 11 - 12"));
    ck_assert_str_eq(fixture.messages, "");
    ck_assert_ptr_nonnull(fixture_compile("12026-11-12"));
    ck_assert_str_eq(fixture.messages, "");
}
END_TEST

START_TEST(names_may_use_every_letter)
{
    static const struct expr_case cases[] = {
        { "temp\xc3\xa9rature", "1", "{\"temp\xc3\xa9rature\":1}" },
        { "_a1", "2", "{\"_a1\":2}" },
        { "\xe6\xb8\xa9\xe5\xba\xa6 + 1", "21", "{\"\xe6\xb8\xa9\xe5\xba\xa6\":20}" },
        { "andy or b", "3", "{\"andy\":3}" },
        { "if_ + nullable", "3", "{\"if_\":1,\"nullable\":2}" },
        { "m.and + m.or", "3", "{\"m\":{\"and\":1,\"or\":2}}" },
    };
    CHECK_CASES(cases);
    ck_assert(expr_is_keyword("and", 3));
    ck_assert(!expr_is_keyword("AND", 3));
    ck_assert(!expr_is_keyword("an", 2));
    ck_assert(lexer_is_word("t\xc3\xa9", 3));
    ck_assert(!lexer_is_word("1a", 2));
    ck_assert(!lexer_is_word("", 0));
}
END_TEST

START_TEST(the_length_of_an_expression_is_limited)
{
    size_t len = EXPRESSION_MAX_BYTES;
    char *text = arena_alloc(&fixture.batch, len + 2);
    memset(text, ' ', len + 2);
    text[0] = '1';
    ck_assert_ptr_nonnull(fixture_compile_bytes(text, len));
    ck_assert_ptr_null(fixture_compile_bytes(text, len + 1));
    ck_assert_str_eq(fixture.messages,
                     "65536-65537 the expression has 65537 bytes; at most 65536 are allowed");
}
END_TEST

START_TEST(many_texts_take_little_memory)
{
    enum { TEXTS = 16000 };
    char *text = arena_alloc(&fixture.batch, TEXTS * 4 + 2);
    text[0] = '[';
    for (size_t i = 0; i < TEXTS; i++) {
        memcpy(text + 1 + 4 * i, i + 1 < TEXTS ? "'',\n" : "'']\n", 4);
    }
    ck_assert_ptr_nonnull(fixture_compile_bytes(text, TEXTS * 4 + 1));
    ck_assert_uint_lt(arena_footprint(&fixture.compiled), 32u * 1024 * 1024);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("literal");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, numbers_mean_what_they_say);
    tcase_add_test(tcase, durations_are_milliseconds);
    tcase_add_test(tcase, texts_know_their_escapes);
    tcase_add_test(tcase, a_text_without_escapes_is_marked_plain);
    tcase_add_test(tcase, faults_of_words_have_their_place);
    tcase_add_test(tcase, a_date_that_is_a_difference_is_a_warning);
    tcase_add_test(tcase, names_may_use_every_letter);
    tcase_add_test(tcase, the_length_of_an_expression_is_limited);
    tcase_add_test(tcase, many_texts_take_little_memory);
    return made;
}
