/* SPDX-License-Identifier: MIT */
/* What the operator `timestamp` makes of records. */
#include "support/testing/fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static const struct {
    const char *body;
    const char *lines;
    const char *expected;
} cases[] = {
    { "7", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "a", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: field 'a' is missing\n" },
};

START_TEST(keeps_the_value)
{
    ck_assert_str_eq(fixture_operate(&f, "operator_timestamp", cases[_i].body, cases[_i].lines),
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
    const char *answer = fixture_operate(&f, "operator_timestamp", refusals[_i].body, "{}");
    ck_assert_msg(strstr(answer, "refused: ") == answer, "%s", answer);
    ck_assert_msg(strstr(answer, refusals[_i].part) != NULL, "%s", answer);
}
END_TEST

/* The record lines that come out, and failures. */
static const char *operate_on(const char *body, const char *messages)
{
    static char answer[4096];
    size_t used = 0;
    ck_assert(fixture_init(&f, "operator_timestamp", body));
    weir_batch batch = fixture_messages(&f, messages);
    const weir_operator_vtable *vtable = f.vtable;
    fixture_begin(&f, &batch);
    weir_status st = vtable->process(f.instance->self, &f.call.context, &batch);
    (void)fixture_end(&f, st);
    for (uint32_t i = 0; i < f.call.outputs[0].count; i++) {
        const weir_record *record = f.call.outputs[0].entries[i].record;
        used += (size_t)snprintf(answer + used, sizeof answer - used, "%lld\n",
                                 (long long)record->timestamp);
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

START_TEST(takes_ints_texts_and_timestamps)
{
    ck_assert_str_eq(operate_on("$value",
                                "{\"value\":5}\n{\"value\":\"1970-01-01T00:00:01Z\"}\n"
                                "{\"value\":null}\n{\"value\":\"soon\"}\n{\"value\":1.5}"),
                     "5\n1000\n! 2: the event time is null\n"
                     "! 3: the event time is text that is no RFC 3339 time\n"
                     "! 4: the event time is neither an int, nor text, nor a timestamp\n");
    ck_assert_str_eq(operate_on("$timestamp + 1h", "{\"timestamp\":7,\"value\":1}"), "3600007\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("timestamp");
    TCase *tests = tcase_create("timestamp");
    tcase_add_loop_test(tests, keeps_the_value, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, takes_ints_texts_and_timestamps);
    suite_add_tcase(made, tests);
    return made;
}
