/* SPDX-License-Identifier: MIT */
/* What the operator `rename` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "{b: a}", "{\"a\":1,\"c\":2}\n{\"c\":2,\"a\":[ 1]}",
      "{\"b\":1,\"c\":2}\n{\"c\":2,\"b\":[ 1]}\n" },
    { "{m.new: m.old}", "{\"m\":{\"old\":1,\"x\":2},\"old\":3}",
      "{\"m\":{\"new\":1,\"x\":2},\"old\":3}\n" },
    { "{'l[0].b': 'l[0].a'}", "{\"l\":[{\"a\":1},{\"a\":2}]}", "{\"l\":[{\"b\":1},{\"a\":2}]}\n" },
    { "{b: a, c: b}", "{\"a\":1}", "{\"c\":1}\n" },
    { "{a: a}", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: cannot rename 'a' to 'a': it is missing\n" },
    { "{b: a}", "{}\nnull\n5\n{\"a\":1,\"b\":2}",
      "! 0: cannot rename 'a' to 'b': it is missing\n! 1: cannot rename 'a' to 'b': it is "
      "missing\n! 2: cannot rename 'a' to 'b': it is missing\n! 3: cannot rename 'a' to 'b': a "
      "field of that name is there already\n" },
    { "{'$value[\"temp F\"]': temp}", "{\"temp\":1}", "{\"temp F\":1}\n" },
};

START_TEST(renames_fields_at_their_places)
{
    fixture_check(&f, "operator_rename", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{a.x: x}", "one map" },         { "{x: $value}", "one map" }, { "{a: 'a[0]'}", "one map" },
    { "{'a[1]': 'a[0]'}", "one map" }, { "{}", "takes 1 to" },       { "[a]", "map" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_rename", &refusals[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("rename");
    TCase *tests = tcase_create("rename");
    tcase_add_loop_test(tests, renames_fields_at_their_places, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    suite_add_tcase(made, tests);
    return made;
}
