/* SPDX-License-Identifier: MIT */
/* What the operator `group_by` makes of records, and of its options. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "a", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: field 'a' is missing\n" },
    { "{key: a + 1, name: next}", "{\"a\":1}", "{\"a\":1}\n" },
};

START_TEST(keeps_the_value)
{
    fixture_check(&f, "operator_group_by", &cases[_i]);
}
END_TEST

START_TEST(needs_a_name_where_no_field_gives_one)
{
    fixture_refuse(&f, "operator_group_by", "a + 1",
                   "needs the option 'name' where 'key' is no plain field");
    fixture_refuse(&f, "operator_group_by", "[a, b]", "write {key: EXPRESSION, name: NAME}");
    fixture_refuse(&f, "operator_group_by", "{name: x}", "needs the option 'key'");
    fixture_refuse(&f, "operator_group_by", "a +", "a value is expected");
}
END_TEST

static void tell_key(weir_buffer *out, const weir_record *record)
{
    const weir_value *key = &record->key;
    bool is_text = key->tag == WEIR_TEXT;
    buffer_printf(out, "%u:%u:%.*s@%lld\n", key->tag, key->len, is_text ? (int)key->len : 0,
                  is_text ? key->as.text : "", (long long)record->timestamp);
}

START_TEST(sets_the_key_and_keeps_the_time)
{
    ck_assert_str_eq(fixture_operate_messages(&f, "operator_group_by", "{key: $value, name: value}",
                                              "{\"timestamp\":5,\"key\":\"k\",\"value\":\"x\"}\n"
                                              "{\"timestamp\":6,\"key\":\"k\",\"value\":null}",
                                              tell_key),
                     "4:1:x@5\n0:0:@6\n");
    ck_assert_str_eq(
        fixture_operate_messages(&f, "operator_group_by", "{key: [$key, $value], name: both}",
                                 "{\"timestamp\":5,\"key\":\"k\",\"value\":1}", tell_key),
        "6:2:@5\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("group_by");
    TCase *tests = tcase_create("group_by");
    tcase_add_loop_test(tests, keeps_the_value, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, needs_a_name_where_no_field_gives_one);
    tcase_add_test(tests, sets_the_key_and_keeps_the_time);
    suite_add_tcase(made, tests);
    return made;
}
