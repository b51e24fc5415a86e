/* SPDX-License-Identifier: MIT */
#include "log/kafka/mock_fixture.h"

static int64_t end_of(const char *name)
{
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(log_topic_find(mock_log, name), 0, &info, &error), WEIR_OK);
    return info.end;
}

/*
 * The mock cluster has neither users nor limits, and takes every number of acknowledgements. It answers no question
 * for a topic's configuration either.
 */
/* Of a run that reads `in` and writes to both. */
static weir_status ask(size_t *ret_count)
{
    static const struct log_use uses[] = {
        { .topic = "in", .is_read = true, .is_written = true },
        { .topic = "out", .is_written = true },
    };
    const struct log_uses wanted = { .group = "g", .list = uses, .count = 2, .has_facts = true };
    struct log_lack *lacks = NULL;
    struct arena arena;
    arena_init(&arena, 0);
    weir_status st = log_lacks(mock_log, &wanted, &arena, &lacks, ret_count, &error);
    arena_deinit(&arena);
    return st;
}

START_TEST(a_broker_that_takes_what_none_takes_is_asked_once)
{
    size_t count = 1;
    ck_assert_msg(ask(&count) == WEIR_OK, "%s", error.message);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_le(end_of("in") + end_of("out") + end_of("positions__g"), 1);
}
END_TEST

START_TEST(an_answer_that_does_not_come_is_told_as_such)
{
    size_t count = 1;
    mock_settings.request_timeout_ms = 5000; /* long enough for all that is asked before */
    rd_kafka_mock_broker_push_request_error_rtts(mock, 1, REQUEST_PRODUCE, 1,
                                                 RD_KAFKA_RESP_ERR_NO_ERROR, WAIT_MS);
    ck_assert_int_eq(ask(&count), WEIR_E_TIMEOUT);
    ck_assert_str_eq(error.message,
                     "could not ask for the right to write to topic 'in': Local: Timed out");
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("lacks");
    tcase_add_checked_fixture(tests, mock_start, mock_finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_broker_that_takes_what_none_takes_is_asked_once);
    tcase_add_test(tests, an_answer_that_does_not_come_is_told_as_such);
    Suite *made = suite_create("kafka lacks");
    suite_add_tcase(made, tests);
    return made;
}
