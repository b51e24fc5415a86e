/* SPDX-License-Identifier: MIT */
/* The grammar: what binds how, what is refused and what is proposed instead. */
#include "expr/expr_fixture.h"
#include "expr/parser.h"

START_TEST(operators_bind_in_their_order)
{
    static const struct expr_case cases[] = {
        { "1 + 2 * 3", "7", NULL },
        { "(1 + 2) * 3", "9", NULL },
        { "10 - 2 - 3", "5", NULL },
        { "100 // 7 % 4 * 2", "4", NULL },
        { "2 ** 3 ** 2", "512", NULL },
        { "-2 ** 2", "-4", NULL },
        { "2 ** -1 ** 2", "0.5", NULL },
        { "- - 2", "2", NULL },
        { "-+-2", "2", NULL },
        { "1 + 1 == 2", "true", NULL },
        { "not 1 == 2", "true", NULL },
        { "not not 1", "true", NULL },
        { "1 == 1 and 2 == 3 or 5", "5", NULL },
        { "1 or 0 and 0", "1", NULL },
        { "not 0 and 5", "5", NULL },
        { "1 in [1] and 2 not in [1]", "true", NULL },
        { "not 1 in [2]", "true", NULL },
        { "(1 < 2) < 3", "true", NULL },
        { "zz ?? 2 ** 3", "8", NULL },
        { "-n ?? 4", "-4", NULL },
        { "a ?? 0 + 1", "6", NULL },
        { "zz ?? yy ?? -a ** 2", "25", NULL },
        { "zz ?? - - a", "C", NULL },
        { "if 0 then 1 else if 1 then 2 else 3", "2", NULL },
        { "1 + (if a then 1 else 2)", "2", NULL },
        { "[if a then 1 else 2, 3]", "[1,3]", NULL },
        { "{x: if n then 1 else 2}", "{\"x\":2}", NULL },
        { "if 1 then 2 else 3 + 4", "2", NULL },
        { "if 0 then 2 else 3 + 4", "7", NULL },
        { "if a or zz then 1 else zz", "1", NULL },
        { "a is not null and b is 2", "true", NULL },
        { "[1, 2,][1]", "2", NULL },
        { "{a: 1,}.a", "1", NULL },
        { "min(3, 2,)", "2", NULL },
        { "upper (t[0:1])", "\"H\"", NULL },
        { "a\n +\t b\r\n", "7", NULL },
        { "{and: 1, 'b c': 2, if: 3}.if", "3", NULL },
        { "(m).x.y", "7", NULL },
        { "m . x [ 'y' ]", "7", NULL },
        { "$value.m.x.y", "7", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(faults_propose_what_was_meant)
{
    static const char *const cases[][2] = {
        { "1 < b < 3", "0-9 comparisons do not chain; write 1 < b and b < 3" },
        { "a < b <= f == l[0]", "0-18 comparisons do not chain; write a < b and b <= f and f == "
                                "l[0]" },
        { "a == not b", "5-10 an operand needs parentheses here; write (not b)" },
        { "1 + if a then 2 else 3", "4-22 an operand needs parentheses here; write (if a then 2 "
                                    "else 3)" },
        { "t.upper()", "0-9 there are no methods; write upper(t)" },
        { "m.x.upper(1, 2)", "0-15 there are no methods; write upper(m.x, 1, 2)" },
        { "l[0].upper()", "0-12 there are no methods; write upper(l[0])" },
        { "(t + t).length()", "0-16 there are no methods; write length((t + t))" },
        { "$value.length()", "0-15 there are no methods; write length($value)" },
        { "'a'.upper()", "0-11 there are no methods; write upper('a')" },
        { "a AND b", "2-5 'AND' is a name here, since keywords are lower case; write 'and'" },
        { "If a then 1 else 2", "3-4 an operator or the end is expected, not 'a'" },
        { "a b", "2-3 an operator or the end is expected, not 'b'" },
        { "if a then 1", "11-11 'else' (if c then a else b) is expected at the end" },
        { "if(a, 1, 2)", "4-5 ')' is expected, not ','" },
        { "(a + 1", "6-6 ')' is expected at the end" },
        { "a + ", "4-4 a value is expected at the end" },
        { "a +* b", "3-4 a value is expected, not '*'" },
        { "[1, 2", "5-5 ',' or ']' is expected at the end" },
        { "[,]", "1-2 a value is expected, not ','" },
        { "{1: 456}", "1-2 keys of a map are text; write \"1\"" },
        { "{a 1}", "3-4 ':' is expected, not '1'" },
        { "{a: 1", "5-5 ',' or '}' is expected at the end" },
        { "a.0", "2-3 a name behind '.' ([...] for an index) is expected, not '0'" },
        { "a.", "2-2 a name behind '.' is expected at the end" },
        { "a[", "2-2 a value is expected at the end" },
        { "a[]", "2-3 a value is expected, not ']'" },
        { "a[1:2:3]", "5-6 ']' is expected, not ':'" },
        { "a[0](1)", "4-5 only a function's name can stand before '('" },
        { "(a)(1)", "3-4 only a function's name can stand before '('" },
        { "a not b", "2-5 an operator or the end is expected, not 'not'" },
        { "a is", "4-4 a value is expected at the end" },
        { "+", "1-1 a value is expected at the end" },
        { "then", "0-4 a value is expected, not 'then'" },
        { "", "0-0 the expression is empty; write null for no value" },
        { "  \n", "0-3 the expression is empty; write null for no value" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_ptr_null(fixture_compile(cases[i][0]));
        ck_assert_str_eq(fixture.messages, cases[i][1]);
    }
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------ */

/* `open` `count` times, then the middle, then `close` as often. */
static const char *nest(const char *open, const char *middle, const char *close, size_t count)
{
    size_t size = count * (strlen(open) + strlen(close)) + strlen(middle) + 1;
    char *text = arena_alloc(&fixture.batch, size);
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        end = mempcpy(end, open, strlen(open));
    }
    end = mempcpy(end, middle, strlen(middle));
    for (size_t i = 0; i < count; i++) {
        end = mempcpy(end, close, strlen(close));
    }
    *end = '\0';
    return text;
}

START_TEST(nesting_is_limited_and_length_is_not)
{
    static const char *const nested[][3] = {
        { "(", "1", ")" },        { "[", "", "]" },        { "{a: ", "1", "}" },
        { "-", "a", "" },         { "not ", "a", "" },     { "if 1 then 2 else ", "a", "" },
        { "min(1, ", "a", ")" },  { "2 ** ", "1", "" },    { "l[", "0", "]" },
        { "zz ?? -", "a", "" },   { "map(l, ", "1", ")" }, { "a == (1 + ", "1", ")" },
        { "try(", "zz", ", 1)" },
    };
    for (size_t i = 0; i < sizeof nested / sizeof nested[0]; i++) {
        const char *const *part = nested[i];
        fixture_compile(nest(part[0], part[1], part[2], EXPRESSION_MAX_DEPTH));
        ck_assert_ptr_null(strstr(fixture.messages, "nesting"));
        ck_assert_ptr_null(
            fixture_compile(nest(part[0], part[1], part[2], EXPRESSION_MAX_DEPTH + 1)));
        ck_assert_msg(strstr(fixture.messages, "more than 200 levels of nesting") != NULL, "%s: %s",
                      part[0], fixture.messages);
    }
}
END_TEST

START_TEST(chains_are_as_long_as_the_text)
{
    static const char *const chains[][3] = {
        { "a + ", "1", "50001" }, { "1 * ", "a", "5" },  { "a and ", "1", "1" },
        { "zz ?? ", "2", "2" },   { "0 or ", "b", "2" },
    };
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        struct expr_case test = { nest(chains[i][0], chains[i][1], "", 10000), chains[i][2], NULL };
        fixture_check(&test);
    }
    const char *path = nest("m.", "x ?? 1", "", 10000);
    fixture_check(&(struct expr_case){ path, "1", NULL });
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("parser");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, operators_bind_in_their_order);
    tcase_add_test(tcase, faults_propose_what_was_meant);
    tcase_add_test(tcase, nesting_is_limited_and_length_is_not);
    tcase_add_test(tcase, chains_are_as_long_as_the_text);
    return made;
}
