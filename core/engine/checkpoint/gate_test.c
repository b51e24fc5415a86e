/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>
#include <unistd.h>

#include "engine/checkpoint/gate.h"
#include "unit.h"

/* NEVER_MS: not within the time that a test has. */
enum { WAIT_MS = 60000, NEVER_MS = 3600000 };

/* A member that counts how often it has passed. */
struct member {
    struct gate *gate;
    pthread_t thread;
    _Atomic uint64_t passes;
    bool asks; /* for a checkpoint, at every tenth pass */
};

static void *member_main(void *argument)
{
    struct member *member = argument;
    while (gate_pass(member->gate)) {
        uint64_t passes = ++member->passes;
        if (member->asks && passes % 10 == 0 && !gate_ask_checkpoint(member->gate)) {
            break;
        }
    }
    gate_leave(member->gate);
    return NULL;
}

static void start(struct member *member, struct gate *gate, bool asks)
{
    *member = (struct member){ .gate = gate, .asks = asks };
    gate_join(gate);
    ck_assert_int_eq(pthread_create(&member->thread, NULL, member_main, member), 0);
}

static void wait_for_passes(struct member *member, uint64_t wanted)
{
    while (member->passes < wanted) {
        usleep(100);
    }
}

START_TEST(nobody_moves_at_a_closed_gate)
{
    struct gate gate;
    struct member members[3];
    gate_init(&gate);
    for (int i = 0; i < 3; i++) {
        start(&members[i], &gate, false);
    }
    for (int round = 0; round < 20; round++) {
        ck_assert(gate_close(&gate, WAIT_MS));
        uint64_t before[3];
        for (int i = 0; i < 3; i++) {
            before[i] = members[i].passes;
        }
        usleep(500);
        for (int i = 0; i < 3; i++) {
            ck_assert_uint_eq(members[i].passes, before[i]);
        }
        gate_open(&gate);
        for (int i = 0; i < 3; i++) {
            wait_for_passes(&members[i], before[i] + 1);
        }
    }
    gate_stop(&gate);
    for (int i = 0; i < 3; i++) {
        pthread_join(members[i].thread, NULL);
    }
    ck_assert_uint_eq(gate.members, 0);
    gate_deinit(&gate);
}
END_TEST

START_TEST(whoever_asks_for_a_checkpoint_stands_until_it_is_made)
{
    struct gate gate;
    struct member members[2];
    gate_init(&gate);
    start(&members[0], &gate, true);
    start(&members[1], &gate, true);
    for (int checkpoint = 0; checkpoint < 50; checkpoint++) {
        gate_attend(&gate, true, WAIT_MS);
        ck_assert(gate_close(&gate, WAIT_MS));
        ck_assert(gate.wants_checkpoint);
        gate_open(&gate);
    }
    ck_assert_uint_ge(members[0].passes + members[1].passes, 50);
    gate_stop(&gate);
    pthread_join(members[0].thread, NULL);
    pthread_join(members[1].thread, NULL);
    gate_deinit(&gate);
}
END_TEST

START_TEST(those_who_stand_do_not_keep_each_other_awake)
{
    struct gate gate;
    struct member members[4];
    gate_init(&gate);
    for (int i = 0; i < 4; i++) {
        start(&members[i], &gate, i % 2 == 0);
    }
    ck_assert(gate_close(&gate, WAIT_MS));
    struct rusage before;
    struct rusage after;
    getrusage(RUSAGE_SELF, &before);
    usleep(100000);
    getrusage(RUSAGE_SELF, &after);
    /* Who is kept awake falls asleep again thousands of times. */
    ck_assert_int_lt(after.ru_nvcsw - before.ru_nvcsw, 100);
    gate_stop(&gate);
    for (int i = 0; i < 4; i++) {
        pthread_join(members[i].thread, NULL);
    }
    gate_deinit(&gate);
}
END_TEST

START_TEST(closing_gives_up_when_a_member_does_not_come)
{
    struct gate gate;
    gate_init(&gate);
    gate_join(&gate); /* never passes */
    ck_assert(!gate_close(&gate, 20));
    gate_deinit(&gate);
}
END_TEST

START_TEST(a_wake_between_look_and_wait_is_not_lost)
{
    struct gate gate;
    gate_init(&gate);
    uint64_t seen = gate_wakes(&gate);
    gate_wake(&gate);
    gate_wait(&gate, seen, NEVER_MS);
    gate_deinit(&gate);
}
END_TEST

START_TEST(a_source_that_ends_wakes_and_is_counted)
{
    struct gate gate;
    gate_init(&gate);
    gate.running_sources = 1;
    uint64_t seen = gate_wakes(&gate);
    gate_source_ended(&gate);
    ck_assert_uint_eq(gate_running_sources(&gate), 0);
    gate_wait(&gate, seen, NEVER_MS);
    gate_deinit(&gate);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("gate");
    TCase *tc = tcase_create("gate");
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, nobody_moves_at_a_closed_gate);
    tcase_add_test(tc, whoever_asks_for_a_checkpoint_stands_until_it_is_made);
    tcase_add_test(tc, those_who_stand_do_not_keep_each_other_awake);
    tcase_add_test(tc, closing_gives_up_when_a_member_does_not_come);
    tcase_add_test(tc, a_wake_between_look_and_wait_is_not_lost);
    tcase_add_test(tc, a_source_that_ends_wakes_and_is_counted);
    suite_add_tcase(s, tc);
    return s;
}
