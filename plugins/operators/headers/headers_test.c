/* SPDX-License-Identifier: MIT */
/* What the operator `headers` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "{add: {n: '\"x\"'}}", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "{add: {n: a}}", "{\"a\":1}\n{}\n{\"a\":null}",
      "{\"a\":null}\n! 0: header 'n' takes text, bytes or null, not int; write text(...)\n! 1: "
      "field 'a' is missing\n" },
};

START_TEST(keeps_the_value)
{
    fixture_check(&f, "operator_headers", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{}", "add" },
    { "{add: {}}", "takes 1 to" },
    { "{replace: true}", "add" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_headers", &refusals[_i]);
}
END_TEST

/* "name=value ..." */
static void tell_headers(weir_buffer *out, const weir_record *record)
{
    for (uint32_t i = 0; i < record->header_count; i++) {
        const weir_member *h = &record->headers[i];
        ck_assert(h->value.tag == WEIR_BYTES || h->value.tag == WEIR_NULL);
        buffer_printf(out, "%.*s=%.*s ", (int)h->key_len, h->key,
                      h->value.tag == WEIR_BYTES ? (int)h->value.len : 4,
                      h->value.tag == WEIR_BYTES ? h->value.as.text : "null");
    }
    buffer_printf(out, "\n");
}

static const char *operate_on(const char *body, const char *lines)
{
    return fixture_operate_messages(&f, "operator_headers", body, lines, tell_headers);
}

START_TEST(appends_in_order_or_replaces)
{
    static const char messages[] = "{\"value\":\"v\",\"headers\":[[\"a\",\"1\"],[\"n\",\"0\"],["
                                   "\"a\",\"3\"]]}\n{\"value\":\"v\"}";
    ck_assert_str_eq(operate_on("{add: {n: $value}}", messages), "a=1 n=0 a=3 n=v \nn=v \n");
    ck_assert_str_eq(operate_on("{add: {n: $value, z: null}, replace: true}", messages),
                     "a=1 a=3 n=v z=null \nn=v z=null \n");
    ck_assert_str_eq(operate_on("{add: {a: $value}, replace: true}", messages), "n=0 a=v \na=v \n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("headers");
    TCase *tests = tcase_create("headers");
    tcase_add_loop_test(tests, keeps_the_value, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, appends_in_order_or_replaces);
    suite_add_tcase(made, tests);
    return made;
}
