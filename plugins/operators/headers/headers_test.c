/* SPDX-License-Identifier: MIT */
/* What the operator `headers` makes of records. */
#include "support/testing/fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static const struct {
    const char *body;
    const char *lines;
    const char *expected;
} cases[] = {
    { "{add: {n: '\"x\"'}}", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "{add: {n: a}}", "{\"a\":1}\n{}\n{\"a\":null}",
      "{\"a\":null}\n! 0: header 'n' takes text, bytes or null, not int; write text(...)\n! 1: "
      "field 'a' is missing\n" },
};

START_TEST(keeps_the_value)
{
    ck_assert_str_eq(fixture_operate(&f, "operator_headers", cases[_i].body, cases[_i].lines),
                     cases[_i].expected);
}
END_TEST

static const struct {
    const char *body;
    const char *part;
} refusals[] = {
    { "{}", "add" },
    { "{add: {}}", "takes 1 to" },
    { "{replace: true}", "add" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    const char *answer = fixture_operate(&f, "operator_headers", refusals[_i].body, "{}");
    ck_assert_msg(strstr(answer, "refused: ") == answer, "%s", answer);
    ck_assert_msg(strstr(answer, refusals[_i].part) != NULL, "%s", answer);
}
END_TEST

/* "name=value ..." of one record. */
static int print_headers(const weir_record *record, char *room, size_t size)
{
    int used = 0;
    for (uint32_t i = 0; i < record->header_count; i++) {
        const weir_member *h = &record->headers[i];
        ck_assert(h->value.tag == WEIR_BYTES || h->value.tag == WEIR_NULL);
        used += snprintf(room + used, size - (size_t)used, "%.*s=%.*s ", (int)h->key_len, h->key,
                         h->value.tag == WEIR_BYTES ? (int)h->value.len : 4,
                         h->value.tag == WEIR_BYTES ? h->value.as.text : "null");
    }
    return used + snprintf(room + used, size - (size_t)used, "\n");
}

/* The record lines that come out, and failures. */
static const char *operate_on(const char *body, const char *messages)
{
    static char answer[4096];
    size_t used = 0;
    ck_assert(fixture_init(&f, "operator_headers", body));
    weir_batch batch = fixture_messages(&f, messages);
    const weir_operator_vtable *vtable = f.vtable;
    fixture_begin(&f, &batch);
    weir_status st = vtable->process(f.instance->self, &f.call.context, &batch);
    (void)fixture_end(&f, st);
    for (uint32_t i = 0; i < f.call.outputs[0].count; i++) {
        const weir_record *record = f.call.outputs[0].entries[i].record;
        used += (size_t)print_headers(record, answer + used, sizeof answer - used);
        ck_assert_ptr_ne(record, batch.entries[i].record);
    }
    for (uint32_t i = 0; i < f.call.failure_count; i++) {
        used += (size_t)snprintf(answer + used, sizeof answer - used, "! %u: %s\n",
                                 f.call.failures[i].index, f.call.failures[i].message);
    }
    answer[used] = '\0';
    fixture_deinit(&f);
    return answer;
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
