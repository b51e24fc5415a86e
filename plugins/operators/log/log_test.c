/* SPDX-License-Identifier: MIT */
/* What the operator `log` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "$value", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "{message: a, level: debug}", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: field 'a' is missing\n" },
};

START_TEST(passes_every_record)
{
    fixture_check(&f, "operator_log", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{message: a, every: 0}", "at least 1" },
    { "{message: a, level: loud}", "'error', 'warning', 'info', 'debug'" },
    { "{every: 2}", "message" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_log", &refusals[_i]);
}
END_TEST

/* A message that is not written is not computed: the second and third would fail. */
START_TEST(computes_only_what_it_writes)
{
    ck_assert(fixture_init(&f, "operator_log", "{message: a, every: 3}"));
    weir_batch batch = fixture_batch(&f, "{\"a\":1}\n{}\n{}\n{}");
    ck_assert_str_eq(fixture_process(&f, &batch), "{\"a\":1}\n{}\n{}\n! 3: field 'a' is missing\n");
    /* four are behind it, so of the next four the third is the one */
    ck_assert_str_eq(fixture_process(&f, &batch), "{\"a\":1}\n{}\n{}\n! 2: field 'a' is missing\n");
    fixture_deinit(&f);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("log");
    TCase *tests = tcase_create("log");
    tcase_add_loop_test(tests, passes_every_record, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, computes_only_what_it_writes);
    suite_add_tcase(made, tests);
    return made;
}
