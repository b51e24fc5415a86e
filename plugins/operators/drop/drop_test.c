/* SPDX-License-Identifier: MIT */
/* What the operator `drop` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "[a, b]", "{\"a\":1,\"b\":2,\"c\":3}\n{\"b\":1}",
      "{\"c\":3}\n! 1: cannot remove 'a': it is missing\n" },
    { "{fields: [b], errors: ignore}", "{\"a\":1}\n{\"a\":1,\"b\":2}", "{\"a\":1}\n{\"a\":1}\n" },
    { "{fields: b, errors: raise}", "{\"a\":1}", "! 0: cannot remove 'b': it is missing\n" },
    { "m.x", "{\"m\":{\"x\":1}}\nnull", "{\"m\":{}}\n! 1: cannot remove 'm.x': it is missing\n" },
    { "{fields: [a], errors: ignore}", "7\n\"a\"",
      "! 0: cannot remove 'a': the value is int, not a map\n! 1: cannot remove 'a': the value is "
      "text, not a map\n" },
};

START_TEST(takes_fields_away_that_are_there)
{
    fixture_check(&f, "operator_drop", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "$value", "cannot be taken away" },
    { "{fields: [a], errors: never}", "'raise', 'ignore'" },
    { "{errors: ignore}", "fields" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_drop", &refusals[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("drop");
    TCase *tests = tcase_create("drop");
    tcase_add_loop_test(tests, takes_fields_away_that_are_there, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    suite_add_tcase(made, tests);
    return made;
}
