/* SPDX-License-Identifier: MIT */
/* A topic that was created and is not seen at once, on a mock cluster, which creates none itself. */
#include "log/kafka/topics/admin.h"

#include "log/kafka/mock_fixture.h"
#include "log/kafka/topics/topics.h"

enum { LONG_MS = 60000 };

static int looks;

static weir_status await(int64_t timeout_ms, struct kafka_topic **ret_topic)
{
    mock_settings.topic_create_timeout_ms = timeout_ms;
    return kafka_topic_await(kafka_of(mock_log), "late", ret_topic, &error);
}

/* Asked after each look in vain: others hear of the topic after the third. */
static bool spread(void *self)
{
    (void)self;
    if (++looks == 3) {
        ck_assert_int_eq(rd_kafka_mock_topic_create(mock, "late", 5, 1), 0);
    }
    return true;
}

static bool stop(void *self)
{
    (void)self;
    return false;
}

START_TEST(a_topic_that_does_not_come_in_time_is_named)
{
    struct kafka_topic *topic = NULL;
    ck_assert_int_eq(await(0, &topic), WEIR_E_TIMEOUT);
    ck_assert_str_eq(error.message, "topic 'late' was created, but is not there yet");
    ck_assert_ptr_nonnull(strstr(error.hint, "'topic_create_timeout'"));
    ck_assert(error.asks_restart);
    ck_assert_ptr_null(topic);
}
END_TEST

START_TEST(a_topic_that_comes_late_is_waited_for)
{
    struct kafka_topic *topic = NULL;
    looks = 0;
    kafka_of(mock_log)->goes_on = spread;
    ck_assert_msg(await(LONG_MS, &topic) == WEIR_OK, "%s", error.message);
    ck_assert_int_ge(looks, 3);
    ck_assert_uint_eq(topic->face.partitions, 5);
}
END_TEST

START_TEST(a_topic_that_is_there_takes_no_time)
{
    struct kafka_topic *topic = NULL;
    ck_assert_int_eq(rd_kafka_mock_topic_create(mock, "late", 2, 1), 0);
    ck_assert_msg(await(0, &topic) == WEIR_OK, "%s", error.message);
    ck_assert_uint_eq(topic->face.partitions, 2);
}
END_TEST

START_TEST(a_stop_ends_the_wait)
{
    struct kafka_topic *topic = NULL;
    kafka_of(mock_log)->goes_on = stop;
    ck_assert_int_eq(await(LONG_MS, &topic), WEIR_E_TIMEOUT);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("admin");
    tcase_add_checked_fixture(tests, mock_start, mock_finish);
    tcase_set_timeout(tests, 90);
    tcase_add_test(tests, a_topic_that_does_not_come_in_time_is_named);
    tcase_add_test(tests, a_topic_that_comes_late_is_waited_for);
    tcase_add_test(tests, a_topic_that_is_there_takes_no_time);
    tcase_add_test(tests, a_stop_ends_the_wait);
    Suite *made = suite_create("kafka admin");
    suite_add_tcase(made, tests);
    return made;
}
