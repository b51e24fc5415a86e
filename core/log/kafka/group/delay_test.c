/* SPDX-License-Identifier: MIT */
/* How long what came may be put off, and when it is tried again. */
#include "log/kafka/group/delay.h"

#include "base/logger.h"
#include "unit.h"

enum { LONG_MS = 60000, SHORT_MS = 150, MS_NS = 1000000 };

static struct kafka_delay delay;
static int64_t now_ns;
static const struct error why = { .status = WEIR_E_NOT_FOUND, .message = "it is gone" };

static void setup(void)
{
    logger_configure(LOGGER_ERROR, false, false);
    delay = (struct kafka_delay){ .attempts = 0 };
    now_ns = 77;
}

static bool put_off(int64_t limit_ms)
{
    return kafka_delay_put_off(&delay, now_ns, limit_ms, &why);
}

static int64_t pause_ms(void)
{
    return (delay.next_ns - now_ns) / MS_NS;
}

START_TEST(the_first_attempt_is_made_at_once)
{
    ck_assert(!kafka_delay_is_on(&delay, now_ns));
    ck_assert(put_off(LONG_MS));
    ck_assert(kafka_delay_is_on(&delay, now_ns));
    ck_assert(!kafka_delay_is_on(&delay, delay.next_ns));
    kafka_delay_end(&delay, now_ns, true);
    ck_assert(!kafka_delay_is_on(&delay, now_ns));
}
END_TEST

START_TEST(pauses_grow_but_not_for_ever)
{
    int64_t before_ms = 0;
    for (int i = 0; i < 5; i++) {
        ck_assert(put_off(LONG_MS));
        ck_assert_int_gt(pause_ms(), before_ms);
        before_ms = pause_ms();
    }
    for (int i = 0; i < 40; i++) {
        ck_assert(put_off(LONG_MS));
    }
    ck_assert_int_le(pause_ms(), 2000);
}
END_TEST

START_TEST(what_is_doubted_is_borne_for_a_time)
{
    int attempts = 0;
    for (; put_off(SHORT_MS); attempts++) {
        now_ns = delay.next_ns;
    }
    ck_assert_int_eq(attempts, 2);
    ck_assert_int_ge((now_ns - delay.doubted_ns) / MS_NS, SHORT_MS);
}
END_TEST

/* Brokers that were away before are not held against what they tell then. */
START_TEST(the_time_begins_with_the_doubt)
{
    ck_assert(put_off(0));
    delay.since_ns -= INT64_C(1000000) * LONG_MS;
    ck_assert(put_off(0));
    ck_assert(put_off(LONG_MS));
    delay.doubted_ns -= INT64_C(1000000) * LONG_MS;
    ck_assert(put_off(0));
    ck_assert(!put_off(LONG_MS));
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
