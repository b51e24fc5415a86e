/* SPDX-License-Identifier: MIT */
/* What the operator `unset` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "[a, b]", "{\"a\":1,\"c\":3,\"b\":2}\n{\"c\":3}\n{\"b\":1}", "{\"c\":3}\n{\"c\":3}\n{}\n" },
    { "a", "{\"a\":1,\"b\": [ 1]}", "{\"b\":[ 1]}\n" },
    { "m.x.y",
      "{\"m\":{\"x\":{\"y\":1,\"z\":2}}}\n{\"m\":{\"x\":null}}\n{\"m\":null}\n{}\n{\"m\":{\"x\":3}"
      "}",
      "{\"m\":{\"x\":{\"z\":2}}}\n{\"m\":{\"x\":null}}\n{\"m\":null}\n{}\n! 4: cannot remove "
      "'m.x.y': 'm.x' is int, not a map\n" },
    { "['l[0]', 'l[-1]']", "{\"l\":[1,2,3]}\n{\"l\":[1]}\n{\"l\":[]}",
      "{\"l\":[2]}\n{\"l\":[]}\n{\"l\":[]}\n" },
    { "'l[1].a'", "{\"l\":[{\"a\":1},{\"a\":2,\"b\":3},{\"a\":4}]}",
      "{\"l\":[{\"a\":1},{\"b\":3},{\"a\":4}]}\n" },
    { "a", "null\n5\n[1]",
      "null\n! 1: cannot remove 'a': the value is int, not a map\n! 2: cannot remove 'a': the "
      "value is list, not a map\n" },
    { "[a, a.b]", "{\"a\":{\"b\":1}}", "{}\n" },
};

START_TEST(takes_fields_away_where_they_are)
{
    fixture_check(&f, "operator_unset", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "$value", "cannot be taken away" },
    { "[]", "takes 1 to" },
    { "$key", "key" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_unset", &refusals[_i]);
}
END_TEST

/* The record that came in is shared with other branches; one that loses nothing goes on as it is. */
START_TEST(leaves_the_incoming_record_as_it_was)
{
    ck_assert(fixture_init(&f, "operator_unset", "[a, m.x]"));
    weir_batch batch = fixture_batch(&f, "{\"a\":1,\"m\":{\"x\":2}}\n{\"b\":1}");
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(fixture_process(&f, &batch), "{\"m\":{}}\n{\"b\":1}\n");
    }
    ck_assert_ptr_eq(f.call.outputs[0].entries[1].record, batch.entries[1].record);
    fixture_deinit(&f);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("unset");
    TCase *tests = tcase_create("unset");
    tcase_add_loop_test(tests, takes_fields_away_where_they_are, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, leaves_the_incoming_record_as_it_was);
    suite_add_tcase(made, tests);
    return made;
}
