/* SPDX-License-Identifier: MIT */
/* What the operator `select` makes of records. */
#include "support/testing/operator_fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "[b, a]", "{\"a\": 1.10,\"b\":[ 2],\"c\":3}", "{\"b\":[ 2],\"a\":1.10}\n" },
    { "{a: b, b: a}", "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}\n" },
    { "[m.x, {y: m.x + 1}]", "{\"m\":{\"x\":1}}", "{\"x\":1,\"y\":2}\n" },
    { "{m.x: a, m.y: b, n: a}", "{\"a\":1,\"b\":2}", "{\"m\":{\"x\":1,\"y\":2},\"n\":1}\n" },
    { "[]", "{\"a\":1}\nnull", "{}\n{}\n" },
    { "{a: $value}", "5\nnull", "{\"a\":5}\n{\"a\":null}\n" },
    { "{a: a ?? null}", "{}\n{\"a\":1}", "{\"a\":null}\n{\"a\":1}\n" },
    { "{a: b, a.c: b}", "{\"b\":1}\n{\"b\":{\"d\": 2}}",
      "{\"a\":{\"d\":2,\"c\":{\"d\": 2}}}\n! 0: cannot select 'a.c': 'a' is int, not a map\n" },
    { "{\"l[0]\": a}", "{\"a\":1}",
      "! 0: cannot select 'l[0]': 'l' is missing or null, not a list\n" },
};

START_TEST(makes_new_maps)
{
    fixture_check(&f, "operator_select", &cases[_i]);
}
END_TEST

START_TEST(fails_a_record_once_though_several_fields_fail)
{
    const char *answer =
        fixture_operate(&f, "operator_select", "[a, b]", "{\"a\":1}\n{}\n{\"a\":1,\"b\":2}");
    ck_assert_msg(strstr(answer, "{\"a\":1,\"b\":2}\n! 0: ") == answer, "%s", answer);
    ck_assert_msg(strstr(answer, "'b'") != NULL && strstr(answer, "'a'") != NULL, "%s", answer);
}
END_TEST

START_TEST(refuses_two_fields_of_one_name)
{
    fixture_refuse(&f, "operator_select", "[a, m.a]", "'a' is written twice");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("select");
    TCase *tests = tcase_create("select");
    tcase_add_loop_test(tests, makes_new_maps, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, fails_a_record_once_though_several_fields_fail);
    tcase_add_test(tests, refuses_two_fields_of_one_name);
    suite_add_tcase(made, tests);
    return made;
}
