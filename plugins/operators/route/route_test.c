/* SPDX-License-Identifier: MIT */
/* Where the operator `route` sends records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "{late: d > 15, early: d < 0}", "{\"d\":1}\n{\"d\":20}\n{\"d\":-1}\n{\"d\":30}",
      "late: {\"d\":20}\nlate: {\"d\":30}\nearly: {\"d\":-1}\nunmatched: {\"d\":1}\n" },
    /* the first condition that holds */
    { "{a: d > 1, b: d > 2}", "{\"d\":3}\n{\"d\":2}", "a: {\"d\":3}\na: {\"d\":2}\n" },
    { "{all: true}", "1\nnull", "all: 1\nall: null\n" },
    /* everything has a truth */
    { "{some: $value}", "0\n\"\"\n[0]\n{}",
      "some: [0]\nunmatched: 0\nunmatched: \"\"\nunmatched: {}\n" },
    /* a condition that fails takes only its record, and only where it is asked */
    { "{a: d > 1, b: e > 2}", "{\"d\":3}\n{\"d\":0}\n{\"d\":0,\"e\":3}\n{\"d\":0,\"e\":0}",
      "a: {\"d\":3}\nb: {\"d\":0,\"e\":3}\nunmatched: {\"d\":0,\"e\":0}\n"
      "! 1: field 'e' is missing\n" },
};

START_TEST(sends_each_record_to_one_output)
{
    fixture_check(&f, "operator_route", &cases[_i]);
}
END_TEST

START_TEST(passes_records_on_as_they_are)
{
    ck_assert(fixture_init(&f, "operator_route", "{a: v > 0}"));
    weir_batch batch = fixture_batch(&f, "{\"v\":1}\n{\"v\":0}");
    fixture_process(&f, &batch);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(f.call.outputs[i].count, 1);
        ck_assert_ptr_eq(f.call.outputs[i].entries[0].record, batch.entries[i].record);
        ck_assert_uint_eq(f.call.outputs[i].entries[0].ordinal, batch.entries[i].ordinal);
    }
    fixture_deinit(&f);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{unmatched: true}", "'unmatched' is the output of the records that meet no condition" },
    { "{}", "takes 1 to 63 entries" },
    { "{a: }", "there is no expression here" },
    { "[a]", "map" },
};

START_TEST(refuses_what_names_no_outputs)
{
    fixture_check_refused(&f, "operator_route", &refusals[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("route");
    TCase *tests = tcase_create("route");
    tcase_add_loop_test(tests, sends_each_record_to_one_output, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, passes_records_on_as_they_are);
    tcase_add_loop_test(tests, refuses_what_names_no_outputs, 0,
                        sizeof refusals / sizeof refusals[0]);
    suite_add_tcase(made, tests);
    return made;
}
