/* SPDX-License-Identifier: MIT */
/* What the operator `fill` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "{x: null, y: 2}", "{\"y\":null}\n{\"x\":1}\n{\"y\":3,\"x\":4}",
      "{\"y\":2,\"x\":null}\n{\"x\":1,\"y\":2}\n{\"y\":3,\"x\":4}\n" },
    { "{x: 1, y: 2}", "{\"x\":null}", "{\"x\":1,\"y\":2}\n" },
    { "{x: 2}", "{\"x\":null}\n1\n\"t\"\nnull\n[1]", "{\"x\":2}\n1\n\"t\"\nnull\n[1]\n" },
    { "{a: b + 1, c: a}", "{\"b\":1}\n{\"a\":7}\n{\"c\":0}",
      "{\"b\":1,\"a\":2,\"c\":2}\n{\"a\":7,\"c\":7}\n! 2: field 'b' is missing\n" },
    { "{m.x: 1}", "{}\n{\"m\":null}\n{\"m\":{\"x\":0}}\n{\"m\":5}",
      "{\"m\":{\"x\":1}}\n{\"m\":{\"x\":1}}\n{\"m\":{\"x\":0}}\n! 3: cannot fill 'm.x': 'm' is "
      "int, not a map\n" },
    { "{$value: '{}', a: 1}", "null\n{\"b\":2}\n3", "{\"a\":1}\n{\"b\":2,\"a\":1}\n3\n" },
    { "{a: 1}", "{\"a\":false}\n{\"a\":0}\n{\"a\":\"\"}",
      "{\"a\":false}\n{\"a\":0}\n{\"a\":\"\"}\n" },
};

START_TEST(fills_what_is_missing_or_null)
{
    fixture_check(&f, "operator_fill", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{}", "takes 1 to" },
    { "{$key: 1}", "key" },
    { "{a: }", "expression" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_fill", &refusals[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("fill");
    TCase *tests = tcase_create("fill");
    tcase_add_loop_test(tests, fills_what_is_missing_or_null, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    suite_add_tcase(made, tests);
    return made;
}
