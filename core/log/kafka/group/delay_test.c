/* SPDX-License-Identifier: MIT */
/* How long what came may be put off, and when it is tried again. */
#include "log/kafka/group/delay.h"

#include <time.h>

#include "base/clock.h"
#include "base/logger.h"
#include "unit.h"

enum { LONG_MS = 60000, SHORT_MS = 150 };

static struct kafka_delay delay;
static const struct error why = { .status = WEIR_E_NOT_FOUND, .message = "it is gone" };

static void setup(void)
{
    logger_configure(LOGGER_ERROR, false, false);
    delay = (struct kafka_delay){ .attempts = 0 };
}

static int64_t pause_ms(void)
{
    return (delay.next_ns - clock_monotonic_ns()) / 1000000;
}

static void await(void)
{
    while (kafka_delay_is_on(&delay)) {
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    }
}

START_TEST(the_first_attempt_is_made_at_once)
{
    ck_assert(!kafka_delay_is_on(&delay));
    ck_assert(kafka_delay_put_off(&delay, LONG_MS, &why));
    ck_assert(kafka_delay_is_on(&delay));
    await();
    kafka_delay_end(&delay, true);
    ck_assert(!kafka_delay_is_on(&delay));
}
END_TEST

START_TEST(pauses_grow_but_not_for_ever)
{
    int64_t before_ms = 0;
    for (int i = 0; i < 5; i++) {
        ck_assert(kafka_delay_put_off(&delay, LONG_MS, &why));
        ck_assert_int_gt(pause_ms(), before_ms);
        before_ms = pause_ms();
    }
    for (int i = 0; i < 40; i++) {
        ck_assert(kafka_delay_put_off(&delay, LONG_MS, &why));
    }
    ck_assert_int_le(pause_ms(), 2000);
}
END_TEST

START_TEST(what_is_doubted_is_borne_for_a_time)
{
    int attempts = 0;
    while (kafka_delay_put_off(&delay, SHORT_MS, &why)) {
        attempts++;
        await();
    }
    ck_assert_int_ge(attempts, 2);
    ck_assert_int_ge((clock_monotonic_ns() - delay.doubted_ns) / 1000000, SHORT_MS);
}
END_TEST

/* Brokers that were away before are not held against what they tell then. */
START_TEST(the_time_begins_with_the_doubt)
{
    ck_assert(kafka_delay_put_off(&delay, 0, &why));
    delay.since_ns -= INT64_C(1000000) * LONG_MS;
    ck_assert(kafka_delay_put_off(&delay, 0, &why));
    ck_assert(kafka_delay_put_off(&delay, LONG_MS, &why));
    delay.doubted_ns -= INT64_C(1000000) * LONG_MS;
    ck_assert(kafka_delay_put_off(&delay, 0, &why));
    ck_assert(!kafka_delay_put_off(&delay, LONG_MS, &why));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("delay");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, the_first_attempt_is_made_at_once);
    tcase_add_test(tests, pauses_grow_but_not_for_ever);
    tcase_add_test(tests, what_is_doubted_is_borne_for_a_time);
    tcase_add_test(tests, the_time_begins_with_the_doubt);
    Suite *made = suite_create("delay");
    suite_add_tcase(made, tests);
    return made;
}
