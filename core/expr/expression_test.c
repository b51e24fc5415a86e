/* SPDX-License-Identifier: MIT */
/* The language's worked vectors, and what holds for expressions as a whole. */
#include "expr/expr_fixture.h"

/* ---- the reference's vectors ------------------------------------------------------------------- */

START_TEST(reference_vectors_hold)
{
    static const struct expr_case cases[] = {
        { "x + y", "25", "{\"x\":5,\"y\":20}" },
        { "x + 10", "15", "{\"x\":5}" },
        { "y - x", "15", "{\"x\":5,\"y\":20}" },
        { "x - 10", "-5", "{\"x\":5}" },
        { "x * y", "100", "{\"x\":5,\"y\":20}" },
        { "x / x", "1.0", "{\"x\":5}" },
        { "x / 2", "2.5", "{\"x\":5}" },
        { "x % y", "1", "{\"x\":5,\"y\":2}" },
        { "x % 3", "2", "{\"x\":5}" },
        { "x % 3", "1", "{\"x\":-5}" },
        { "x % -3", "-1", "{\"x\":5}" },
        { "x % 3", "0.5", "{\"x\":-5.5}" },
        { "-5.5 % 3", "0.5", NULL },
        { "x == 5", "true", "{\"x\":5}" },
        { "x == 6", "false", "{\"x\":5}" },
        { "x != 6", "true", "{\"x\":5}" },
        { "x == 5.0", "true", "{\"x\":5}" },
        { "x == \"5\"", "false", "{\"x\":5}" },
        { "null == null", "true", NULL },
        { "1 == true", "true", NULL },
        { "x < x", "false", "{\"x\":5}" },
        { "x <= x", "true", "{\"x\":5}" },
        { "x > 4", "true", "{\"x\":5}" },
        { "x >= 6", "false", "{\"x\":5}" },
        { "x < 1", "x: cannot compare null < int", "{\"x\":null}" },
        { "x < 1", "x: cannot compare text < int", "{\"x\":\"a\"}" },
        { "x and x", "true", "{\"x\":true,\"y\":false}" },
        { "x and y", "false", "{\"x\":true,\"y\":false}" },
        { "x and 0", "0", "{\"x\":true}" },
        { "x or y", "true", "{\"x\":true,\"y\":false}" },
        { "x or 0", "true", "{\"x\":true}" },
        { "x or 0", "0", "{\"x\":false}" },
        { "x or true", "true", "{\"x\":false}" },
        { "x and y", "false", "{\"x\":false}" },
        { "x and y", "x: field 'y' is missing", "{\"x\":1}" },
        { "x or y", "true", "{\"x\":true}" },
        { "not x", "false", "{\"x\":true}" },
        { "not x", "false", "{\"x\":1}" },
        { "not x", "true", "{\"x\":[]}" },
        { "x <= y and x <= z", "true", "{\"x\":5,\"y\":20,\"z\":110}" },
        { "x in [1, 2, 3]", "true", "{\"x\":1}" },
        { "x in []", "false", "{\"x\":1}" },
        { "\"1\" in {\"1\": 456}", "true", "{\"x\":1}" },
        { "1 in x", "true", "{\"x\":[1,2,3]}" },
        { "5 in x", "false", "{\"x\":[1,2,3]}" },
        { "\"a\" in x", "true", "{\"x\":\"abc\"}" },
        { "\"y\" in x", "true", "{\"x\":{\"y\":\"z\"}}" },
        { "x == null", "true", "{\"x\":null}" },
        { "x != null", "false", "{\"x\":null}" },
        { "x == null", "false", "{\"x\":[1]}" },
        { "x != null", "true", "{\"x\":[1]}" },
        { "x == null", "x: field 'x' is missing", "{}" },
        { "x is null", "true", "{}" },
        { "x is null", "true", "{\"x\":null}" },
        { "x is not null", "false", "{\"x\":null}" },
        { "x is 1", "true", "{\"x\":1}" },
        { "x[\"y\"]", "1", "{\"x\":{\"y\":1}}" },
        { "x[1]", "1", "{\"x\":[0,1]}" },
        { "x[\"y\"][\"z\"] + 10", "120", "{\"x\":{\"y\":{\"z\":110}}}" },
        { "x[-1]", "7", "{\"x\":[5,6,7]}" },
        { "x[9]", "x", "{\"x\":[5,6,7]}" },
        { "x[\"z\"]", "x: field 'x.z' is missing", "{\"x\":{}}" },
        { "x[\"z\"]", "x", "{\"x\":null}" },
        { "x[i]", "7", "{\"x\":[5,6,7],\"i\":-1}" },
        { "abs(x)", "10", "{\"x\":-10}" },
        { "abs(x)", "10.0", "{\"x\":10.0}" },
        { "abs(x)", "x: function 'abs' takes bool, int or float as argument 1, not text",
          "{\"x\":\"string\"}" },
        { "x", "x: field 'x' is missing", "{\"y\":2}" },
        { "x", "x: the value is int, it has no field 'x'", "2" },
        { "\"a\" + \"b\"", "\"ab\"", NULL },
        { "[1] + [2]", "[1,2]", NULL },
        { "\"ab\" * 3", "\"ababab\"", NULL },
        { "\"a\" + 1", "C", NULL },
        { "x / 0", "x: division by zero", "{\"x\":5}" },
        { "x % 0", "x: division by zero", "{\"x\":5}" },
    };
    CHECK_CASES(cases);
}
END_TEST

/* ---- the language's own vectors ---------------------------------------------------------------- */

START_TEST(vectors_of_arithmetic_hold)
{
    static const struct expr_case cases[] = {
        { "a // b", "2", NULL },
        { "-a // b", "-3", NULL },
        { "a // -2.0", "-3.0", NULL },
        { "-2 ** 2", "-4", NULL },
        { "2 ** 3 ** 2", "512", NULL },
        { "2 ** -1", "0.5", NULL },
        { "a % -3", "-1", NULL },
        { "-f % 2", "1.5", NULL },
        { "a % 0.0", "x", NULL },
        { "9223372036854775807 + 1", "C", NULL },
        { "0 ** -1", "C", NULL },
        { "true + true", "2", NULL },
        { "-true", "-1", NULL },
        { "true < b", "true", NULL },
        { "9007199254740993 == 9007199254740992.0", "false", NULL },
        { "t * 2", "\"h\xc3\xa9lloh\xc3\xa9llo\"", NULL },
        { "\"a\" + 1", "C: 0-7 cannot compute text + int; write text(1)", NULL },
        { "[1] + l", "[1,1,2,3]", NULL },
        { "1h30m + 500ms", "5400500", NULL },
        { "1.5s", "1500", NULL },
        { "[1, \"a\"] < [2, 0]", "true", NULL },
        { "[1, \"a\"] < [1, 2]", "C", NULL },
        { "{x: 1} == {x: 1.0}", "true", NULL },
        { "min(3, 1.5)", "1.5", NULL },
        { "round(2.5)", "2", NULL },
        { "round(2.675, 2)", "2.67", NULL },
        { "trunc(-1.5)", "-1", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(vectors_of_missing_and_null_hold)
{
    static const struct expr_case cases[] = {
        { "n == null", "true", NULL },
        { "n is null", "true", NULL },
        { "zz is null", "true", NULL },
        { "zz == null", "x", NULL },
        { "zz is not null", "false", NULL },
        { "n < 1", "x", NULL },
        { "zz ?? 1", "1", NULL },
        { "n ?? zz ?? 2", "2", NULL },
        { "m.q.r ?? 3", "3", NULL },
        { "l[7] ?? 4", "4", NULL },
        { "a.k ?? 5", "x: 'a' is int, it has no field 'k'", NULL },
        { "(a + zz) ?? 6", "x: field 'zz' is missing", NULL },
        { "zz ?? 1 * a", "5", NULL },
        { "zz ?? 0 > 3", "false", NULL },
        { "zz ?? -a", "-5", NULL },
        { "has(n)", "true", NULL },
        { "has(m.x.y, l[2])", "true", NULL },
        { "has(m.x.z)", "false", NULL },
        { "a and b", "2", NULL },
        { "n and zz", "null", NULL },
        { "e or \"no\"", "\"no\"", NULL },
        { "not e", "true", NULL },
        { "not a == 5", "false", NULL },
        { "not 9 in l", "true", NULL },
        { "if a > 3 then \"hi\" else zz", "\"hi\"", NULL },
        { "int(\"12x\", null)", "null", NULL },
        { "int(\" -7 \")", "-7", NULL },
        { "int(n)", "x", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(vectors_of_paths_and_texts_hold)
{
    static const struct expr_case cases[] = {
        { "1 < b < 3", "C", NULL },
        { "a == not b", "C", NULL },
        { "t.upper()", "C", NULL },
        { "a is 5", "true", NULL },
        { "a is 5.0", "false", NULL },
        { "1 is true", "false", NULL },
        { "t[1]", "\"\xc3\xa9\"", NULL },
        { "t[-2:]", "\"lo\"", NULL },
        { "t[9:]", "\"\"", NULL },
        { "length(t)", "5", NULL },
        { "l[-1]", "3", NULL },
        { "l[1:]", "[2,3]", NULL },
        { "l[1.0]", "x", NULL },
        { "$value[\"s p\"]", "1", NULL },
        { "m.in", "1", NULL },
        { "m[\"x\"].y", "7", NULL },
        { "\"x\" in m", "true", NULL },
        { "1 in m", "false", NULL },
        { "\"\xc3\xa9l\" in t", "true", NULL },
        { "1 in t", "x", NULL },
        { "{u: a, \"v w\": [b]}", "{\"u\":5,\"v w\":[2]}", NULL },
        { "'it\\'s' == \"it's\"", "true", NULL },
        { "\"\\u{e9}\" in t", "true", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(vectors_of_items_hold)
{
    static const struct expr_case cases[] = {
        { "sum(map(items, $it.p * $it.q))", "7.0", NULL },
        { "any(items, $it.q > 2)", "true", NULL },
        { "all(e, zz)", "true", NULL },
        { "filter(l, $it > a - 4)", "[2,3]", NULL },
        { "map(l, $index)", "[0,1,2]", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(the_text_of_an_expression_ends_where_it_ends)
{
    ck_assert_str_eq(expr_text(fixture_compile("a +\n  1 \n")).data, "a +\n  1");
    ck_assert_str_eq(expr_text(fixture_compile("'x'")).data, "'x'");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("expression");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, reference_vectors_hold);
    tcase_add_test(tcase, the_text_of_an_expression_ends_where_it_ends);
    tcase_add_test(tcase, vectors_of_arithmetic_hold);
    tcase_add_test(tcase, vectors_of_missing_and_null_hold);
    tcase_add_test(tcase, vectors_of_paths_and_texts_hold);
    tcase_add_test(tcase, vectors_of_items_hold);
    return made;
}
