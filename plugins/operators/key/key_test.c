/* SPDX-License-Identifier: MIT */
/* What the operator `key` makes of records. */
#include "support/testing/fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static const struct {
    const char *body;
    const char *lines;
    const char *expected;
} cases[] = {
    { "\"'x'\"", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "a", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: field 'a' is missing\n" },
};

START_TEST(keeps_the_value)
{
    ck_assert_str_eq(fixture_operate(&f, "operator_key", cases[_i].body, cases[_i].lines),
                     cases[_i].expected);
}
END_TEST

static const struct {
    const char *body;
    const char *part;
} refusals[] = {
    { "a +", "refused: " },
};

START_TEST(refuses_options_that_mean_nothing)
{
    const char *answer = fixture_operate(&f, "operator_key", refusals[_i].body, "{}");
    ck_assert_msg(strstr(answer, "refused: ") == answer, "%s", answer);
    ck_assert_msg(strstr(answer, refusals[_i].part) != NULL, "%s", answer);
}
END_TEST

/* The record lines that come out, and failures. */
static const char *operate_on(const char *body, const char *messages)
{
    static char answer[4096];
    size_t used = 0;
    ck_assert(fixture_init(&f, "operator_key", body));
    weir_batch batch = fixture_messages(&f, messages);
    const weir_operator_vtable *vtable = f.vtable;
    fixture_begin(&f, &batch);
    weir_status st = vtable->process(f.instance->self, &f.call.context, &batch);
    (void)fixture_end(&f, st);
    for (uint32_t i = 0; i < f.call.outputs[0].count; i++) {
        const weir_record *record = f.call.outputs[0].entries[i].record;
        used += (size_t)snprintf(answer + used, sizeof answer - used, "%u:%.*s\n", record->key.tag,
                                 record->key.tag == WEIR_TEXT ? (int)record->key.len : 0,
                                 record->key.tag == WEIR_TEXT ? record->key.as.text : "");
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
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, takes_every_kind);
    suite_add_tcase(made, tests);
    return made;
}
