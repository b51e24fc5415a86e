/* SPDX-License-Identifier: MIT */
/* Functions of plugins: what they are handed, what is checked, what they may say. */
#include "expr/expr_fixture.h"

START_TEST(kinds_are_checked_per_record)
{
    static const struct expr_case cases[] = {
        { "upper(t + a)", "x: cannot compute text + int", NULL },
        { "upper(a)", "x: function 'upper' takes text as argument 1, not int", NULL },
        { "upper(n)",
          "x: function 'upper' takes text as argument 1, not null; write 'n ?? ...' for "
          "a value in the place of null",
          NULL },
        { "round(f, f)", "x: function 'round' takes int as argument 2, not float", NULL },
        { "upper(zz)", "x: field 'zz' is missing", NULL },
        { "add(n, zz)", "x: field 'zz' is missing", NULL },
        { "add(n, t)", "x: function 'add' takes int as argument 1, not null", NULL },
        { "add(a, true == b)", "C", NULL },
        { "upper(t)", "\"H\xc3\xa9LLO\"", NULL },
        { "org.example.text_tools.upper('a')", "\"A\"", NULL },
        { "int(t)", "x: 'h\xc3\xa9llo' is no number", NULL },
        { "int(t, null) ?? 4", "4", NULL },
        { "min(3, a, f, b)", "2", NULL },
        { "upper(upper(t[0]))", "\"H\"", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(numbers_come_as_ints_or_floats)
{
    static const struct expr_case cases[] = {
        { "kind(u)", "\"float\"", "{\"u\":{\"$raw\":1.10}}" },
        { "kind(u)", "\"int\"", "{\"u\":{\"$raw\":7}}" },
        { "kind(u)", "\"number\"", "{\"u\":99999999999999999999}" },
        { "kind(u)", "\"number\"", "{\"u\":1e400}" },
        { "abs(u)", "1.1", "{\"u\":{\"$raw\":-1.10}}" },
        { "abs(u)", "x: the number 99999999999999999999 does not fit in 64 bits; write float(...)",
          "{\"u\":99999999999999999999}" },
        { "add(1, u)", "x: the number 99999999999999999999 does not fit",
          "{\"u\":99999999999999999999}" },
        { "add(1, u)", "x: function 'add' takes int as argument 2, not float",
          "{\"u\":{\"$raw\":7.10}}" },
        { "upper(u)", "x: function 'upper' takes text as argument 1, not int",
          "{\"u\":99999999999999999999}" },
        { "kind([u])", "\"list\"", "{\"u\":99999999999999999999}" },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(prepare_sees_the_constants)
{
    static const struct expr_case cases[] = {
        { "add(a, b)", "7", NULL },       { "add(a, 1 + 1)", "1007", NULL },
        { "add(1, 2)", "2003", NULL },    { "add(a, 1, 2)", "2008", NULL },
        { "add(1, 2, 3)", "3006", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(what_prepare_refuses_is_a_check_error_at_its_argument)
{
    ck_assert_ptr_null(fixture_compile("add(a, 13)"));
    ck_assert_str_eq(fixture.messages, "7-9 13 is not added; add 12 and 1");
    ck_assert_ptr_null(fixture_compile("add(13, 2)"));
    ck_assert_str_eq(fixture.messages, "0-10 13 is not added; add 12 and 1");
    ck_assert_ptr_null(fixture_compile("add(1, a, 6 + 7)"));
    ck_assert_str_eq(fixture.messages, "10-15 13 is not added; add 12 and 1");
    ck_assert_ptr_null(fixture_compile("try(add(a, 13), 0)"));
}
END_TEST

START_TEST(prepared_states_are_released_once)
{
    fixture_releases = 0;
    fixture_compile("add(a, b) + add(a, 1)");
    ck_assert_ptr_null(fixture_compile("add(a, b) + uper(t)"));
    ck_assert_int_eq(fixture_releases, 0);
    expr_release(&fixture.prepared);
    ck_assert_int_eq(fixture_releases, 3);
    expr_release(&fixture.prepared);
    ck_assert_int_eq(fixture_releases, 3);
}
END_TEST

START_TEST(defects_of_plugins_are_reported)
{
    static const struct expr_case cases[] = {
        { "forget(a)", "x: function 'forget' gave no result; its plugin has a defect", NULL },
        { "try(forget(a), 1)", "1", NULL },
    };
    CHECK_CASES(cases);
    weir_record record = fixture_record(RECORD_R);
    weir_value value;
    ck_assert_int_eq(fixture_evaluate(fixture_compile("broken(a)"), &record, &value),
                     WEIR_E_INTERNAL);
    ck_assert_int_eq(fixture_evaluate(fixture_compile("try(broken(a), 1)"), &record, &value),
                     WEIR_E_INTERNAL);
    ck_assert_int_eq(
        fixture_evaluate(fixture_compile("try(map(l, broken($it)), 1)"), &record, &value),
        WEIR_E_INTERNAL);
}
END_TEST

/* Lanes that fail or are not asked for are not handed to the function. */
START_TEST(functions_see_dense_columns_of_the_lanes_that_count)
{
    enum { RECORDS = 10 };
    weir_record records[RECORDS];
    weir_entry entries[RECORDS];
    weir_value values[RECORDS];
    for (uint32_t i = 0; i < RECORDS; i++) {
        char json[64];
        snprintf(json, sizeof json, i % 3 == 0 ? "{\"u\":\"t\"}" : "{\"u\":%u}", i);
        records[i] = fixture_record(json);
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    weir_context *ctx = &fixture.context.context;
    weir_expression *expression = fixture_compile("lanes(u - 1)");
    ck_assert_int_eq(expr_evaluate(ctx, expression, entries, RECORDS, values), 4);
    ck_assert_int_eq(values[1].as.i64, 6);
    ck_assert_str_eq(expr_fault(&values[3])->message, "cannot compute text - int");
    expression = fixture_compile("try(abs(u), 0) > 4 and add(u, 100) - 1000");
    ck_assert_int_eq(expr_evaluate(ctx, expression, entries, RECORDS, values), 0);
    for (uint32_t i = 0; i < RECORDS; i++) {
        bool is_called = i % 3 != 0 && i > 4;
        ck_assert_uint_eq(values[i].tag, is_called ? WEIR_INT : WEIR_BOOL);
        ck_assert(!is_called || values[i].as.i64 == 100 + i);
    }
    expression = fixture_compile("add(u, 1, u) - 1000");
    ck_assert_int_eq(expr_evaluate(ctx, expression, entries, RECORDS, values), 4);
    ck_assert_int_eq(values[8].as.i64, 17);
    ck_assert_uint_eq(values[9].tag, WEIR_TAG_ERROR);
}
END_TEST

START_TEST(a_call_may_have_many_arguments)
{
    char text[4096] = "min(a";
    for (size_t i = 0; i < 1000; i++) {
        memcpy(text + 5 + 2 * i, i == 500 ? ",1" : ",7", 2);
    }
    memcpy(text + 2005, ")", 2);
    fixture_check(&(struct expr_case){ text, "1", NULL });
    text[4] = '9';
    fixture_check(&(struct expr_case){ text, "1", NULL });
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("function_call");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, kinds_are_checked_per_record);
    tcase_add_test(tcase, numbers_come_as_ints_or_floats);
    tcase_add_test(tcase, prepare_sees_the_constants);
    tcase_add_test(tcase, what_prepare_refuses_is_a_check_error_at_its_argument);
    tcase_add_test(tcase, prepared_states_are_released_once);
    tcase_add_test(tcase, defects_of_plugins_are_reported);
    tcase_add_test(tcase, functions_see_dense_columns_of_the_lanes_that_count);
    tcase_add_test(tcase, a_call_may_have_many_arguments);
    return made;
}
