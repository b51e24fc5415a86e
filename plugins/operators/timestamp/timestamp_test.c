/* SPDX-License-Identifier: MIT */
/* What the operator `timestamp` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "7", "{\"a\":1}\nnull", "{\"a\":1}\nnull\n" },
    { "a", "{\"a\":1}\n{}", "{\"a\":1}\n! 1: field 'a' is missing\n" },
};

START_TEST(keeps_the_value)
{
    fixture_check(&f, "operator_timestamp", &cases[_i]);
}
END_TEST

START_TEST(refuses_an_expression_that_is_none)
{
    fixture_refuse(&f, "operator_timestamp", "a +", "a value is expected");
}
END_TEST

static void tell_timestamp(weir_buffer *out, const weir_record *record)
{
    buffer_printf(out, "%lld\n", (long long)record->timestamp);
}

static const char *operate_on(const char *body, const char *lines)
{
    return fixture_operate_messages(&f, "operator_timestamp", body, lines, tell_timestamp);
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
    tcase_add_test(tests, refuses_an_expression_that_is_none);
    tcase_add_test(tests, takes_ints_texts_and_timestamps);
    suite_add_tcase(made, tests);
    return made;
}
