/* SPDX-License-Identifier: MIT */
/* What the operator `set` makes of records. */
#include "support/testing/operator_fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    /* places: an existing field keeps its place, a new one is appended, all else keeps its bytes */
    { "b: 9", "{\"a\": 1.10,\"b\":2,\"c\": [ 1]}\n{\"a\":1}",
      "{\"a\":1.10,\"b\":9,\"c\":[ 1]}\n{\"a\":1,\"b\":9}\n" },
    { "a: a + 1", "{\"a\":1}", "{\"a\":2}\n" },
    { "\"$value['temp F']\": 1", "{}", "{\"temp F\":1}\n" },
    /* each sees what stands above */
    { "{a: b + 1, b: a * 2, c: b}", "{\"b\":1}", "{\"b\":4,\"a\":2,\"c\":4}\n" },
    { "{a: 1, b: $value, c: 2, a.x: 3}", "{}", "! 0: cannot set 'a.x': 'a' is int, not a map\n" },
    /* a value that holds the record itself is what it was then */
    { "{a: 1, b: $value, c: 2}", "{}", "{\"a\":1,\"b\":{\"a\":1},\"c\":2}\n" },
    { "{b: 1, c: $value, b.d: 2}", "{}", "! 0: cannot set 'b.d': 'b' is int, not a map\n" },
    { "{m.x: 1, n: m, m.y: 2, n.z: 3}", "{\"m\":{}}",
      "{\"m\":{\"x\":1,\"y\":2},\"n\":{\"x\":1,\"z\":3}}\n" },
    { "{a: $value, a.b: 1, c: $value}", "{\"a\":0}",
      "{\"a\":{\"a\":0,\"b\":1},\"c\":{\"a\":{\"a\":0,\"b\":1}}}\n" },
    /* the way down */
    { "a.b.c: 1", "{}\n{\"a\":null}\n{\"a\":{\"b\":{\"d\":0}}}\n{\"a\":{\"b\":[]}}",
      "{\"a\":{\"b\":{\"c\":1}}}\n{\"a\":{\"b\":{\"c\":1}}}\n{\"a\":{\"b\":{\"d\":0,\"c\":1}}}\n"
      "! 3: cannot set 'a.b.c': 'a.b' is list, not a map\n" },
    { "\"l[-1]\": 9", "{\"l\":[1,2]}\n{\"l\":[]}\n{}\n{\"l\":{}}",
      "{\"l\":[1,9]}\n! 1: cannot set 'l[-1]': list 'l' has no index -1, it has 0 items\n"
      "! 2: cannot set 'l[-1]': 'l' is missing or null, not a list\n"
      "! 3: cannot set 'l[-1]': 'l' is map, not a list\n" },
    { "\"l[1].a\": 9", "{\"l\":[1,{\"b\": 2}]}\n{\"l\":[1,2]}",
      "{\"l\":[1,{\"b\":2,\"a\":9}]}\n! 1: cannot set 'l[1].a': 'l[1]' is int, not a map\n" },
    /* values that are no map */
    { "a: 1", "null\n[1]\n\"x\"\n{}",
      "{\"a\":1}\n! 0: cannot set 'a': the value is null, not a map\n"
      "! 1: cannot set 'a': the value is list, not a map\n"
      "! 2: cannot set 'a': the value is text, not a map\n" },
    { "$value: '{a: $value}'", "1\nnull\n{\"b\":[ ]}",
      "{\"a\":1}\n{\"a\":null}\n{\"a\":{\"b\":[ ]}}\n" },
    { "{$value: a, b: 1}", "{\"a\":{\"x\":2}}\n{\"a\":3}",
      "{\"x\":2,\"b\":1}\n! 1: cannot set 'b': the value is int, not a map\n" },
};

START_TEST(writes_fields)
{
    fixture_check(&f, "operator_set", &cases[_i]);
}
END_TEST

START_TEST(fails_a_record_once_and_goes_on_with_the_others)
{
    const char *answer = fixture_operate(&f, "operator_set", "{a: 10 // x, b: 1, c: 10 // y}",
                                         "{\"x\":1,\"y\":0}\n{\"x\":0,\"y\":0}\n{\"x\":2,\"y\":5}");
    const char *passed = "{\"x\":2,\"y\":5,\"a\":5,\"b\":1,\"c\":2}\n! 0: ";
    ck_assert_msg(strstr(answer, passed) == answer, "%s", answer);
    const char *second = strstr(answer, "\n! 1: ");
    ck_assert_msg(second != NULL && strchr(second + 1, '\n')[1] == '\0', "%s", answer);
}
END_TEST

/* The record that came in is shared with other branches. */
START_TEST(leaves_the_incoming_record_as_it_was)
{
    ck_assert(fixture_init(&f, "operator_set", "{a: 5, m.x: 6, \"l[0]\": 7, b: $value, c: 8}"));
    weir_batch batch = fixture_batch(&f, "{\"a\":1,\"m\":{\"x\":2},\"l\":[3]}");
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(
            fixture_process(&f, &batch),
            "{\"a\":5,\"m\":{\"x\":6},\"l\":[7],\"b\":{\"a\":5,\"m\":{\"x\":6},\"l\":[7]},"
            "\"c\":8}\n");
    }
    const weir_value *v = &batch.entries[0].record->value;
    ck_assert_int_eq(v->as.members[0].value.as.i64, 1);
    ck_assert_uint_eq(v->len, 3);
    ck_assert_int_eq(v->as.members[1].value.as.members[0].value.as.i64, 2);
    fixture_deinit(&f);
}
END_TEST

START_TEST(keeps_key_time_headers_and_place)
{
    ck_assert(fixture_init(&f, "operator_set", "a: 1"));
    weir_batch batch = fixture_messages(
        &f,
        "{\"topic\":\"t\",\"partition\":3,\"offset\":9,\"timestamp\":7,\"key\":\"k\",\"value\":{},"
        "\"headers\":[[\"h\",\"x\"]]}");
    ck_assert_str_eq(fixture_process(&f, &batch), "{\"a\":1}\n");
    const weir_entry *made = &f.call.outputs[0].entries[0];
    ck_assert_uint_eq(made->origin, batch.entries[0].origin);
    ck_assert_uint_eq(made->ordinal, batch.entries[0].ordinal);
    ck_assert_int_eq(made->record->timestamp, 7);
    ck_assert_int_eq(made->record->offset, 9);
    ck_assert_uint_eq(made->record->key.len, 1);
    ck_assert_uint_eq(made->record->header_count, 1);
    fixture_deinit(&f);
}
END_TEST

/* Fields in another place than last time, and many at once. */
START_TEST(finds_fields_wherever_they_are)
{
    ck_assert_str_eq(
        fixture_operate(&f, "operator_set", "{b: 1, m.b: 2}",
                        "{\"b\":0,\"m\":{\"b\":0}}\n{\"x\":0,\"m\":{\"c\":0,\"b\":0},\"b\":0}\n"
                        "{\"m\":{}}\n{\"b\":0,\"m\":{\"b\":0}}"),
        "{\"b\":1,\"m\":{\"b\":2}}\n{\"x\":0,\"m\":{\"c\":0,\"b\":2},\"b\":1}\n"
        "{\"m\":{\"b\":2},\"b\":1}\n{\"b\":1,\"m\":{\"b\":2}}\n");
}
END_TEST

static const struct refuse_case refused[] = {
    { "$key: 1", "'$key' cannot be written to" },
    { "$timestamp: 1", "'$timestamp' cannot be written to" },
    { "$headers: 1", "'$headers' cannot be written to" },
    { "a: (", "a value is expected" },
    { "a:", "there is no expression here" },
};

START_TEST(refuses_what_cannot_be_set)
{
    fixture_check_refused(&f, "operator_set", &refused[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("set");
    TCase *tests = tcase_create("set");
    tcase_add_loop_test(tests, writes_fields, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, fails_a_record_once_and_goes_on_with_the_others);
    tcase_add_test(tests, leaves_the_incoming_record_as_it_was);
    tcase_add_test(tests, keeps_key_time_headers_and_place);
    tcase_add_test(tests, finds_fields_wherever_they_are);
    tcase_add_loop_test(tests, refuses_what_cannot_be_set, 0, sizeof refused / sizeof refused[0]);
    suite_add_tcase(made, tests);
    return made;
}
