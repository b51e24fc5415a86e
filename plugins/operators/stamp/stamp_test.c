/* SPDX-License-Identifier: MIT */
/* What the operator `stamp` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "at", "{\"a\":1}\n{\"at\":0}",
      "{\"a\":1,\"at\":\"1970-01-01T00:16:40.000Z\"}\n{\"at\":\"1970-01-01T00:16:40.000Z\"}\n" },
    { "{field: m.at, form: ms}", "{}\n{\"m\":1}",
      "{\"m\":{\"at\":1000000}}\n! 1: cannot set 'm.at': 'm' is int, not a map\n" },
    { "at", "null", "! 0: cannot set 'at': the value is null, not a map\n" },
};

START_TEST(writes_the_clock)
{
    fixture_check(&f, "operator_stamp", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{field: a, form: s}", "'timestamp', 'ms'" },
    { "$timestamp", "timestamp" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_stamp", &refusals[_i]);
}
END_TEST

/* The record that came in is shared with other branches. */
START_TEST(asks_the_clock_again_for_each_batch)
{
    ck_assert(fixture_init(&f, "operator_stamp", "{field: at, form: ms}"));
    weir_batch batch = fixture_batch(&f, "{}");
    for (f.now_ms = 5; f.now_ms < 7; f.now_ms++) {
        ck_assert_str_eq(fixture_process(&f, &batch),
                         f.now_ms == 5 ? "{\"at\":5}\n" : "{\"at\":6}\n");
    }
    ck_assert_uint_eq(batch.entries[0].record->value.len, 0);
    fixture_deinit(&f);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("stamp");
    TCase *tests = tcase_create("stamp");
    tcase_add_loop_test(tests, writes_the_clock, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, asks_the_clock_again_for_each_batch);
    suite_add_tcase(made, tests);
    return made;
}
