/* SPDX-License-Identifier: MIT */
/* What is known to be wrong before any record. */
#include "expr/expr_fixture.h"

struct message_case {
    const char *text;
    const char *messages;
};

static void check_messages(const struct message_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fixture_compile(cases[i].text);
        ck_assert_msg(strcmp(fixture.messages, cases[i].messages) == 0,
                      "%s\n  says    %s\n  and not %s", cases[i].text, fixture.messages,
                      cases[i].messages);
    }
}

#define CHECK_MESSAGES(cases) check_messages(cases, sizeof(cases) / sizeof(cases)[0])

START_TEST(unknown_names_are_reported_with_the_nearest)
{
    static const struct message_case cases[] = {
        { "$vlaue.x", "0-6 unknown name '$vlaue'; did you mean '$value'?" },
        { "a + $Offset", "4-11 unknown name '$Offset'; did you mean '$offset'?" },
        { "$nothing", "0-8 unknown name '$nothing'; the names are $value $key $timestamp $headers "
                      "$topic $partition $offset" },
        { "$it", "0-3 '$it' stands for an item inside map, filter, any or all; there is none "
                 "here" },
        { "map($it, 1)", "4-7 '$it' stands for an item inside map, filter, any or all; there is "
                         "none here" },
        { "map(l, 1) + [$index]", "13-19 '$index' stands for an item inside map, filter, any or "
                                  "all; there is none here" },
        { "uper(t)", "0-4 unknown function 'uper'; did you mean 'upper'?" },
        { "UPPER(t)", "0-5 unknown function 'UPPER'; did you mean 'upper'?" },
        { "Has(t)", "0-3 unknown function 'Has'; did you mean 'has'?" },
        { "filtre(l, 1)", "0-6 unknown function 'filtre'; did you mean 'filter'?" },
        { "frobnicate (t)", "0-10 unknown function 'frobnicate'; 'weir plugin list' shows what "
                            "there is" },
        { "com.acme.geo.distance(t)", "0-21 unknown function 'com.acme.geo.distance'; 'weir plugin "
                                      "list' shows what there is" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(a_field_spelled_like_a_keyword_is_a_warning)
{
    static const struct message_case cases[] = {
        { "a == True", "5-9 warning: 'True' is read as a field, since keywords are lower case; "
                       "write 'true', or $value[\"True\"] for the field" },
        { "NULL", "0-4 warning: 'NULL' is read as a field, since keywords are lower case; write "
                  "'null', or $value[\"NULL\"] for the field" },
        { "m.True", "" },
        { "$value[\"True\"]", "" },
    };
    CHECK_MESSAGES(cases);
    static const struct expr_case missing[] = {
        { "Null", "x: field 'Null' is missing; keywords are lower case: write 'null'", NULL },
        { "True", "7", "{\"True\":7}" },
    };
    CHECK_CASES(missing);
}
END_TEST

START_TEST(kinds_that_cannot_fit_are_reported)
{
    static const struct message_case cases[] = {
        { "\"a\" + 1", "0-7 cannot compute text + int; write text(1)" },
        { "1.5 + 'a'", "0-9 cannot compute float + text; write text(1.5)" },
        { "'a' - 'b'", "0-9 cannot compute text - text" },
        { "'a' * 1.5", "0-9 cannot compute text * float; a repetition takes an int" },
        { "[1] * true", "0-10 cannot compute list * bool; a repetition takes an int" },
        { "null + 1", "0-8 cannot compute null + int" },
        { "-'a'", "0-4 cannot compute -text" },
        { "+[1]", "0-4 cannot compute +list" },
        { "1 < 'a'", "0-7 cannot compare int < text" },
        { "null >= 1", "0-9 cannot compare null >= int" },
        { "{a: 1} < {a: 1}", "0-15 cannot compare map < map" },
        { "1 in 5", "0-6 cannot look for int in int: that is no list, map, text or bytes" },
        { "1 not in 'a1'", "0-13 cannot look for int in text; write text(1)" },
        { "a in (b > 1)", "0-12 cannot look for any in bool: that is no list, map, text or bytes" },
        { "length(t) + upper(t)", "0-20 cannot compute int + text; write text(length(t))" },
        { "1 + 2 + 'a'", "0-11 cannot compute int + text; write text(1 + 2)" },
        { "(5).x", "4-5 int has no field 'x'" },
        { "'abc'.x", "6-7 text has no field 'x'" },
        { "'abc'['x']", "5-10 text has no field 'x'" },
        { "[1]['x']", "3-8 list has no field 'x'" },
        { "[1][true]", "3-9 cannot index list with bool" },
        { "{a: 1}[1]", "6-9 cannot index map with int" },
        { "{a: 1}[0:1]", "6-11 cannot take a slice of map; text, bytes and lists have slices" },
        { "t['a':]", "2-5 the bound of a slice is an int, not text" },
        { "upper(1)", "6-7 function 'upper' takes text as argument 1, not int; write text(1)" },
        { "upper(null)", "6-10 function 'upper' takes text as argument 1, not null" },
        { "round(f, 1.5)", "9-12 function 'round' takes int as argument 2, not float" },
        { "length(1 == 2)", "7-13 function 'length' takes text, bytes, list or map as argument 1, "
                            "not bool" },
        { "map('a', 1)", "4-7 map() takes a list, not text" },
        { "any({a: 1}, $it)", "4-10 any() takes a list, not map" },
        { "(if a then 'x' else 'y') + 1", "0-28 cannot compute text + int; write text(1)" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(kinds_that_may_fit_are_left_to_the_record)
{
    static const char *const texts[] = {
        "a + 1",
        "a + 'x'",
        "a < 'x'",
        "(a or 'x') + 1",
        "a ?? 'x' + 1",
        "l[1.0]",
        "int(t, null) + 1",
        "abs(a) + 1.5",
        "$key + 1",
        "$timestamp + 1h",
        "min(1, 'a') + 1",
        "(if a then 1 else 'x') + 1",
        "upper(a)",
        "map(l, $it) + [1]",
        "try(a, 1) + 'a'",
        "$topic + 'x'",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_msg(fixture_compile(texts[i]) != NULL, "%s: %s", texts[i], fixture.messages);
        ck_assert_str_eq(fixture.messages, "");
    }
}
END_TEST

START_TEST(arguments_are_counted)
{
    static const struct message_case cases[] = {
        { "upper()", "0-7 upper() takes 1 argument, not 0" },
        { "upper(t, t)", "0-11 upper() takes 1 argument, not 2" },
        { "round()", "0-7 round() takes 1 or 2 arguments, not 0" },
        { "add(1, 2, 3, 4)", "0-15 add() takes 2 or 3 arguments, not 4" },
        { "min()", "0-5 min() takes at least 1 argument, not 0" },
        { "has()", "0-5 has() takes at least 1 argument, not 0" },
        { "try(a)", "0-6 try() takes 2 arguments, not 1" },
        { "map(l)", "0-6 map() takes 2 arguments, not 1" },
        { "filter(l, 1, 2)", "0-15 filter() takes 2 arguments, not 3" },
        { "env()", "0-5 env() takes 1 or 2 arguments, not 0" },
        { "misprinted(1)", "0-13 function 'misprinted' cannot be used: its plugin gives a wrong "
                           "signature (an unknown kind)" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(forms_say_what_they_take)
{
    static const struct message_case cases[] = {
        { "has('a')", "4-7 has() takes fields, not a text; write $value['a'] or the bare name" },
        { "has(a + 1)", "4-9 has() takes fields, not a computed value" },
        { "has(a, (m.x), $value, l[0])", "" },
        { "env(\"HOME_SITE\")", "" },
        { "env(\"NO_SUCH\")", "0-14 the environment variable 'NO_SUCH' is not set; set it, or give "
                              "a default: env(\"NO_SUCH\", \"...\")" },
        { "env(a)", "4-5 env() takes the variable's name as a text literal: env(\"NAME\")" },
        { "env('A' + 'B')", "4-13 env() takes the variable's name as a text literal: "
                            "env(\"NAME\")" },
        { "5 ?? 1", "0-1 warning: '5' is never null or missing; what stands behind ?? is never "
                    "used" },
        { "length(t) ?? 1", "0-9 warning: 'length(t)' is never null or missing; what stands behind "
                            "?? is never used" },
        { "int(t, null) ?? 1", "" },
        { "$key ?? $topic ?? 1", "" },
        { "{a: 1, b: 2, a: 3}", "13-14 warning: the key 'a' is written twice; the last value "
                                "stands" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(env_is_read_when_compiling)
{
    static const struct expr_case cases[] = {
        { "env('HOME_SITE')", "\"JFK\"", NULL },  { "env('EMPTY')", "\"\"", NULL },
        { "env('EMPTY', 'x')", "\"\"", NULL },    { "env('NO_SUCH', 'x') + 'y'", "\"xy\"", NULL },
        { "env('NO_SUCH', null)", "null", NULL }, { "'J' in env('HOME_SITE')", "true", NULL },
    };
    CHECK_CASES(cases);
    ck_assert_ptr_nonnull(expr_constant(fixture_compile("env('HOME_SITE')")));
}
END_TEST

START_TEST(several_faults_are_reported_in_the_order_of_the_text)
{
    static const struct message_case cases[] = {
        { "uper(t) + $vlaue + 01", "0-4 unknown function 'uper'; did you mean 'upper'?\n"
                                   "10-16 unknown name '$vlaue'; did you mean '$value'?\n"
                                   "19-21 a number has no leading zero; a date is text: "
                                   "'2026-01-01'" },
        { "('a' + 1) * 1 // 0", "1-8 cannot compute text + int; write text(1)" },
        { "[1 / 0, 'a' + 1, -'x']", "1-6 division by zero\n"
                                    "8-15 cannot compute text + int; write text(1)\n"
                                    "17-21 cannot compute -text" },
        { "uper(1 % 0) and {x: l[2 // 0]}", "0-4 unknown function 'uper'; did you mean 'upper'?\n"
                                            "5-10 division by zero\n"
                                            "22-28 division by zero" },
        { "upper(uper(1))", "6-10 unknown function 'uper'; did you mean 'upper'?" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(faults_are_bounded)
{
    char *text = arena_alloc(&fixture.batch, 20000);
    memset(text, 0, 20000);
    for (size_t i = 0; i < 3000; i++) {
        memcpy(text + 6 * i, "-'a', ", 6);
    }
    text[0] = '[';
    memcpy(text + 6 * 3000 - 2, "]", 2);
    ck_assert_ptr_null(fixture_compile(text));
    ck_assert_int_le(fixture.error_count, 50);
    ck_assert_int_ge(fixture.error_count, 40);
}
END_TEST

/* ---- constants --------------------------------------------------------------------------------- */

START_TEST(constants_are_computed_when_compiling)
{
    static const char *const constant[][2] = {
        { "1 + 2 * 3", "7" },
        { "'a' * 3 + 'b'", "\"aaab\"" },
        { "[1, {a: 'x'}][1].a", "\"x\"" },
        { "upper('ab')", "\"AB\"" },
        { "map([1, 2], $it * $index)", "[0,2]" },
        { "map([1, 2], map([10], $it))", "[[10],[10]]" },
        { "try(1 // 0, 'no')", "\"no\"" },
        { "try(int('x'), null)", "null" },
        { "true or a", "true" },
        { "0 and zz / 0", "0" },
        { "null ?? 5", "5" },
        { "{a: 1}.b ?? 2", "2" },
        { "has({a: 1}.b, zz)", NULL },
        { "{a: 1}.b is null", "true" },
        { "if 1 then 'x' else zz", "\"x\"" },
        { "not []", "true" },
        { "a + 1", NULL },
        { "$topic", NULL },
        { "try(a, 1)", NULL },
        { "map(l, 1)", NULL },
    };
    for (size_t i = 0; i < sizeof constant / sizeof constant[0]; i++) {
        const weir_value *value = expr_constant(fixture_compile(constant[i][0]));
        ck_assert_msg((value != NULL) == (constant[i][1] != NULL), "%s", constant[i][0]);
        if (value != NULL) {
            ck_assert_str_eq(fixture_text(value), constant[i][1]);
        }
    }
}
END_TEST

START_TEST(constants_that_fail_are_reported_where_they_stand)
{
    static const struct message_case cases[] = {
        { "a + 1 // 0", "4-10 division by zero" },
        { "9223372036854775807 + 1", "0-23 9223372036854775807 + 1 does not fit in 64 bits; write "
                                     "float(...) where rounding is allowed" },
        { "-9223372036854775807 - 2 + a", "0-24 -9223372036854775807 - 2 does not fit in 64 bits; "
                                          "write float(...) where rounding is allowed" },
        { "0 ** -1", "0-7 cannot raise 0 to a negative power" },
        { "[1][3]", "0-6 '[1]' has no index 3: its length is 1; write '[1][3] ?? ...'" },
        { "{a: 1}.b", "0-8 field '{a: 1}.b' is missing; write '{a: 1}.b ?? ...' or filter on "
                      "has({a: 1}.b) first" },
        { "int('x')", "0-8 'x' is no number" },
        { "a and 'x' * 99999999999", "6-23 the result would have more than 16 MiB" },
        { "map([1], $it // 0)", "9-17 division by zero" },
        { "a or 1 // 0", "5-11 division by zero" },
        { "broken(1)", "0-9 could not be computed (status -7); a plugin has a defect" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(branches_that_constants_rule_out_are_not_computed)
{
    static const struct message_case cases[] = {
        { "true or 1 // 0", "" },
        { "if false then 1 // 0 else 2", "" },
        { "try(1 // 0 + a, 2)", "" },
        { "null ?? 1 ?? (1 // 0)",
          "8-9 warning: '1' is never null or missing; what stands behind ?? "
          "is never used" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(constants_too_large_to_compute_are_left_to_the_run)
{
    ck_assert_ptr_null(
        expr_constant(fixture_compile("any([0] * 1000, any([$it] * 1000000, $it))")));
    ck_assert_ptr_nonnull(fixture_compile("length(map([0] * 100, [0] * (100000 + $index))) + a"));
    ck_assert_str_eq(fixture.messages, "");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("checker");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, unknown_names_are_reported_with_the_nearest);
    tcase_add_test(tcase, a_field_spelled_like_a_keyword_is_a_warning);
    tcase_add_test(tcase, kinds_that_cannot_fit_are_reported);
    tcase_add_test(tcase, kinds_that_may_fit_are_left_to_the_record);
    tcase_add_test(tcase, arguments_are_counted);
    tcase_add_test(tcase, forms_say_what_they_take);
    tcase_add_test(tcase, env_is_read_when_compiling);
    tcase_add_test(tcase, several_faults_are_reported_in_the_order_of_the_text);
    tcase_add_test(tcase, faults_are_bounded);
    tcase_add_test(tcase, constants_are_computed_when_compiling);
    tcase_add_test(tcase, constants_that_fail_are_reported_where_they_stand);
    tcase_add_test(tcase, branches_that_constants_rule_out_are_not_computed);
    tcase_add_test(tcase, constants_too_large_to_compute_are_left_to_the_run);
    return made;
}
