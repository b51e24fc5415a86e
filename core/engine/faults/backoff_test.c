/* SPDX-License-Identifier: MIT */
#include "engine/faults/backoff.h"
#include "unit.h"

#define SECOND INT64_C(1000000000)

START_TEST(waits_grow_up_to_a_limit_and_vary)
{
    struct backoff backoff = { .attempts = 0 };
    int64_t full_ms = 200;
    int64_t now = SECOND;
    bool has_varied = false;
    for (int i = 0; i < 12; i++) {
        int64_t wait_ms;
        ck_assert(backoff_fail(&backoff, now, 0, 0, &wait_ms));
        ck_assert_int_ge(wait_ms, full_ms / 2);
        ck_assert_int_le(wait_ms, full_ms);
        has_varied |= wait_ms != full_ms && wait_ms != full_ms / 2;
        full_ms = full_ms * 2 < 30000 ? full_ms * 2 : 30000;
        now += wait_ms * 1000000;
    }
    ck_assert(has_varied);
}
END_TEST

START_TEST(nobody_comes_sooner_than_the_peer_allows)
{
    struct backoff backoff = { .attempts = 0 };
    int64_t wait_ms;
    ck_assert(backoff_fail(&backoff, SECOND, 45000, 0, &wait_ms));
    ck_assert_int_eq(wait_ms, 45000);
    ck_assert(backoff_fail(&backoff, 46 * SECOND, 1, 0, &wait_ms));
    ck_assert_int_ge(wait_ms, 200);
}
END_TEST

START_TEST(the_limit_counts_from_the_first_failure)
{
    struct backoff backoff = { .attempts = 0 };
    int64_t wait_ms;
    ck_assert(backoff_fail(&backoff, SECOND, 0, 5000, &wait_ms));
    ck_assert(backoff_fail(&backoff, 5 * SECOND, 0, 5000, &wait_ms));
    ck_assert(!backoff_fail(&backoff, 6 * SECOND, 0, 5000, &wait_ms));
    ck_assert_uint_eq(backoff.attempts, 3);
}
END_TEST

START_TEST(the_log_hears_of_it_from_time_to_time)
{
    struct backoff backoff = { .attempts = 0 };
    ck_assert(backoff_is_worth_telling(&backoff, SECOND));
    ck_assert(!backoff_is_worth_telling(&backoff, 5 * SECOND));
    ck_assert(backoff_is_worth_telling(&backoff, 11 * SECOND));
    ck_assert(!backoff_is_worth_telling(&backoff, 12 * SECOND));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("backoff");
    TCase *tc = tcase_create("backoff");
    tcase_add_test(tc, waits_grow_up_to_a_limit_and_vary);
    tcase_add_test(tc, nobody_comes_sooner_than_the_peer_allows);
    tcase_add_test(tc, the_limit_counts_from_the_first_failure);
    tcase_add_test(tc, the_log_hears_of_it_from_time_to_time);
    suite_add_tcase(s, tc);
    return s;
}
