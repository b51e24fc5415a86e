/* SPDX-License-Identifier: MIT */
#include "log/kafka/mock_fixture.h"

static int64_t end_of(const char *name)
{
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(log_topic_find(mock_log, name), 0, &info, &error), WEIR_OK);
    return info.end;
}

/* The mock cluster has neither users nor limits, and takes every number of acknowledgements. */
/* It answers no question for a topic's configuration either. */
static void start(void)
{
    mock_start();
    mock_settings.request_timeout_ms = 1000;
}

START_TEST(a_broker_that_takes_what_none_takes_is_asked_once)
{
    static const struct log_use uses[] = {
        { .topic = "in", .is_read = true, .is_written = true },
        { .topic = "out", .is_written = true },
    };
    const struct log_uses wanted = { .group = "g", .list = uses, .count = 2, .has_facts = true };
    struct log_lack *lacks = NULL;
    size_t count = 1;
    struct arena arena;
    arena_init(&arena, 0);
    ck_assert_msg(log_lacks(mock_log, &wanted, &arena, &lacks, &count, &error) == WEIR_OK, "%s",
                  error.message);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_le(end_of("in") + end_of("out") + end_of("positions__g"), 1);
    arena_deinit(&arena);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("lacks");
    tcase_add_checked_fixture(tests, start, mock_finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_broker_that_takes_what_none_takes_is_asked_once);
    Suite *made = suite_create("kafka lacks");
    suite_add_tcase(made, tests);
    return made;
}
