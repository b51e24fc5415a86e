/* SPDX-License-Identifier: MIT */
#include "engine/tasks/pauses.h"

#include "unit.h"

static struct pauses pauses;

static void start(void)
{
    pauses_clear(&pauses);
}

START_TEST(it_is_empty_when_the_last_reason_is_taken_out)
{
    ck_assert(pauses_is_empty(&pauses));
    pauses_put(&pauses, PAUSE_ROOM, "a sink", 7);
    pauses_put(&pauses, PAUSE_ORDER, "a topic", 7);
    pauses_lift(&pauses, PAUSE_ROOM);
    ck_assert(!pauses_is_empty(&pauses));
    ck_assert(!pauses_has(&pauses, PAUSE_ROOM));
    ck_assert(pauses_has(&pauses, PAUSE_ORDER));
    pauses_lift(&pauses, PAUSE_ROOM); /* once more changes nothing */
    pauses_lift(&pauses, PAUSE_ORDER);
    ck_assert(pauses_is_empty(&pauses));
}
END_TEST

START_TEST(a_reason_that_is_in_keeps_its_time_until_it_is_taken_out)
{
    const struct pause_reason *room = &pauses.reasons[PAUSE_ROOM];
    pauses_put(&pauses, PAUSE_ROOM, "a sink", 7);
    int64_t since_ns = atomic_load(&room->since_ns);
    ck_assert_int_gt(since_ns, 0);
    pauses_put(&pauses, PAUSE_ROOM, "another", 8);
    ck_assert_int_eq(atomic_load(&room->since_ns), since_ns);
    ck_assert_str_eq(atomic_load(&room->whom), "another");
    ck_assert_int_eq(atomic_load(&room->offset), 8);
    pauses_lift(&pauses, PAUSE_ROOM);
    pauses_put(&pauses, PAUSE_ROOM, "a sink", 9);
    ck_assert_int_gt(atomic_load(&room->since_ns), since_ns);
}
END_TEST

/* A partition that goes while it is held back, and comes back, is read. */
START_TEST(nothing_of_an_earlier_owner_is_left)
{
    pauses_put(&pauses, PAUSE_ROOM, "a sink", 7);
    pauses_put(&pauses, PAUSE_ORDER, "a topic", 7);
    pauses_clear(&pauses);
    pauses_put(&pauses, PAUSE_ABSENT, NULL, 7);
    pauses_clear(&pauses);
    ck_assert(pauses_is_empty(&pauses));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("pauses");
    tcase_add_checked_fixture(tests, start, NULL);
    tcase_add_test(tests, it_is_empty_when_the_last_reason_is_taken_out);
    tcase_add_test(tests, a_reason_that_is_in_keeps_its_time_until_it_is_taken_out);
    tcase_add_test(tests, nothing_of_an_earlier_owner_is_left);
    Suite *made = suite_create("pauses");
    suite_add_tcase(made, tests);
    return made;
}
