/* SPDX-License-Identifier: MIT */
/* What the operator `key` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "\"'x'\"", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "a", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: field 'a' is missing\n" },
};

START_TEST(keeps_the_value)
{
    fixture_check(&f, "operator_key", &cases[_i]);
}
END_TEST

START_TEST(refuses_an_expression_that_is_none)
{
    fixture_refuse(&f, "operator_key", "a +", "a value is expected");
}
END_TEST

/* The key's tag, and the key if it is text. */
static void tell_key(weir_buffer *out, const weir_record *record)
{
    const weir_value *key = &record->key;
    bool is_text = key->tag == WEIR_TEXT;
    buffer_printf(out, "%u:%.*s\n", key->tag, is_text ? (int)key->len : 0,
                  is_text ? key->as.text : "");
}

static const char *operate_on(const char *body, const char *lines)
{
    return fixture_operate_messages(&f, "operator_key", body, lines, tell_key);
}

START_TEST(takes_every_kind)
{
    ck_assert_str_eq(operate_on("$value", "{\"key\":\"k\",\"value\":\"x\"}\n"
                                          "{\"key\":\"k\",\"value\":null}"),
                     "4:x\n0:\n");
    ck_assert_str_eq(operate_on("$key + '!'", "{\"key\":\"k\",\"value\":1}"), "4:k!\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("key");
    TCase *tests = tcase_create("key");
    tcase_add_loop_test(tests, keeps_the_value, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, refuses_an_expression_that_is_none);
    tcase_add_test(tests, takes_every_kind);
    suite_add_tcase(made, tests);
    return made;
}
