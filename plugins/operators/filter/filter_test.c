/* SPDX-License-Identifier: MIT */
/* What passes the operator `filter`. */
#include "support/testing/operator_fixture.h"
#include <string.h>

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "a > 1", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}", "{\"a\":2}\n{\"a\":3}\n" },
    { "a",
      "{\"a\":0}\n{\"a\":\"\"}\n{\"a\":null}\n{\"a\":[]}\n{\"a\":{}}\n{\"a\":-0.0}\n{\"a\":\"x\"}",
      "{\"a\":\"x\"}\n" },
    { "{where: true}", "null\n 1.10 \n[ 1 ]", "null\n1.10\n[ 1 ]\n" },
    { "$value == 5", "5\n6\n\"5\"", "5\n" },
    { "a.b", "{\"a\":{\"b\":1}}\n{\"a\":7}",
      "{\"a\":{\"b\":1}}\n! 1: 'a' is int, it has no field 'b'\n" },
};

START_TEST(passes_what_is_truthy)
{
    fixture_check(&f, "operator_filter", &cases[_i]);
}
END_TEST

START_TEST(fails_a_record_whose_field_is_missing_and_passes_the_others)
{
    const char *answer =
        fixture_operate(&f, "operator_filter", "a > 1", "{\"a\":2}\n{}\n{\"a\":3}");
    ck_assert_msg(strstr(answer, "{\"a\":2}\n{\"a\":3}\n! 1: ") == answer, "%s", answer);
    ck_assert_msg(strstr(answer, "'a'") != NULL, "%s", answer);
}
END_TEST

START_TEST(must_have_a_condition)
{
    fixture_refuse(&f, "operator_filter", NULL, "where");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("filter");
    TCase *tests = tcase_create("filter");
    tcase_add_loop_test(tests, passes_what_is_truthy, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, fails_a_record_whose_field_is_missing_and_passes_the_others);
    tcase_add_test(tests, must_have_a_condition);
    suite_add_tcase(made, tests);
    return made;
}
