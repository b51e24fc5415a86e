/* SPDX-License-Identifier: MIT */
/* How long brokers may be away: the time is moved instead of waited for. */
#include "log/kafka/client/health.h"

#include "base/clock.h"
#include "log/kafka/mock_fixture.h"

static struct kafka_log *log_of_test(void)
{
    return kafka_of(mock_log);
}

/* The library has told that nobody answers, so long ago. */
static void be_away_for(int64_t seconds)
{
    int64_t since_ns = clock_monotonic_ns() - seconds * INT64_C(1000000000);
    pthread_mutex_lock(&log_of_test()->trouble.lock);
    log_of_test()->trouble.code = RD_KAFKA_RESP_ERR__TRANSPORT;
    log_of_test()->trouble.since_ns = since_ns;
    pthread_mutex_unlock(&log_of_test()->trouble.lock);
    atomic_store(&log_of_test()->away_ns, since_ns);
    log_of_test()->looked_ns = 0;
}

static weir_status check_with(int64_t limit_s)
{
    mock_settings.broker_availability_timeout_ms = limit_s * 1000;
    error = (struct error){ 0 };
    return kafka_health_check(log_of_test(), &error);
}

START_TEST(who_is_away_is_borne_until_the_limit)
{
    ck_assert_int_eq(check_with(120), WEIR_OK);
    be_away_for(50);
    ck_assert_int_eq(check_with(120), WEIR_OK);
    be_away_for(180);
    ck_assert_int_eq(check_with(120), WEIR_E_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(error.message, "Kafka has been away for "));
    ck_assert_ptr_nonnull(strstr(error.hint, "'broker_availability_timeout'"));
    ck_assert(error.asks_restart);
}
END_TEST

START_TEST(without_a_limit_it_is_borne_for_ever)
{
    be_away_for(INT64_C(1000000));
    ck_assert_int_eq(check_with(0), WEIR_OK);
}
END_TEST

START_TEST(an_answer_begins_the_time_anew)
{
    be_away_for(180);
    for (int i = 0; i < WAIT_MS / 5 && atomic_load(&log_of_test()->away_ns) != 0; i++) {
        log_of_test()->looked_ns = 0;
        kafka_health_look(log_of_test(), log_of_test()->admin);
    }
    ck_assert_int_eq(check_with(120), WEIR_OK);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("health");
    tcase_add_checked_fixture(tests, mock_start, mock_finish);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, who_is_away_is_borne_until_the_limit);
    tcase_add_test(tests, without_a_limit_it_is_borne_for_ever);
    tcase_add_test(tests, an_answer_begins_the_time_anew);
    Suite *made = suite_create("kafka health");
    suite_add_tcase(made, tests);
    return made;
}
