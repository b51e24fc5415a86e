/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdatomic.h>

#include "engine/tasks/run_queue.h"
#include "unit.h"

static struct arena arena;
static struct run_queue queue;

static void start(uint32_t count)
{
    arena_init(&arena, 0);
    ck_assert(run_queue_init(&queue, &arena, count));
}

static void finish(void)
{
    run_queue_deinit(&queue);
    arena_deinit(&arena);
}

START_TEST(tasks_come_in_the_order_in_which_they_became_ready)
{
    start(3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(run_queue_take(&queue), i);
    }
    ck_assert_uint_eq(run_queue_take(&queue), RUN_QUEUE_NONE);
    run_queue_give(&queue, 2, RUN_MORE);
    run_queue_give(&queue, 0, RUN_MORE);
    ck_assert_uint_eq(run_queue_take(&queue), 2);
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    finish();
}
END_TEST

START_TEST(a_task_is_in_one_place)
{
    start(1);
    ck_assert_int_eq(run_queue_place(&queue, 0), RUN_PLACE_QUEUE);
    ck_assert(!run_queue_is_at_work(&queue));
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    ck_assert_int_eq(run_queue_place(&queue, 0), RUN_PLACE_WORKER);
    ck_assert(run_queue_is_at_work(&queue));
    ck_assert(!run_queue_ready(&queue, 0));
    ck_assert(run_queue_is_at_work(&queue));
    run_queue_give(&queue, 0, RUN_DONE);
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    run_queue_give(&queue, 0, RUN_WAIT);
    ck_assert_int_eq(run_queue_place(&queue, 0), RUN_PLACE_REST);
    ck_assert(!run_queue_is_at_work(&queue));
    finish();
}
END_TEST

START_TEST(an_idle_task_comes_back_only_when_it_is_ready)
{
    start(1);
    run_queue_give(&queue, run_queue_take(&queue), RUN_DONE);
    ck_assert(run_queue_is_idle(&queue));
    ck_assert_uint_eq(run_queue_take(&queue), RUN_QUEUE_NONE);
    ck_assert(run_queue_ready(&queue, 0));
    ck_assert(!run_queue_ready(&queue, 0)); /* it is queued already */
    ck_assert(!run_queue_is_idle(&queue));
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    ck_assert_uint_eq(run_queue_take(&queue), RUN_QUEUE_NONE);
    finish();
}
END_TEST

START_TEST(what_comes_for_a_taken_task_is_not_lost)
{
    start(1);
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    ck_assert(!run_queue_ready(&queue, 0));
    ck_assert_uint_eq(run_queue_take(&queue), RUN_QUEUE_NONE); /* never in two hands */
    run_queue_give(&queue, 0, RUN_DONE);
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    run_queue_give(&queue, 0, RUN_DONE);
    ck_assert(run_queue_is_idle(&queue));
    finish();
}
END_TEST

START_TEST(a_task_that_waits_for_room_is_not_idle)
{
    start(2);
    run_queue_give(&queue, run_queue_take(&queue), RUN_WAIT);
    ck_assert_uint_eq(run_queue_take(&queue), 1);
    run_queue_room(&queue); /* task 1 may have asked in vain before */
    run_queue_give(&queue, 1, RUN_WAIT);
    ck_assert(!run_queue_is_idle(&queue));
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    ck_assert_uint_eq(run_queue_take(&queue), 1);
    ck_assert_uint_eq(run_queue_take(&queue), RUN_QUEUE_NONE);
    run_queue_give(&queue, 0, RUN_WAIT);
    ck_assert(run_queue_ready(&queue, 0)); /* something for its other topics */
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    run_queue_give(&queue, 0, RUN_DONE);
    run_queue_give(&queue, 1, RUN_DONE);
    ck_assert(run_queue_is_idle(&queue));
    finish();
}
END_TEST

START_TEST(held_tasks_are_released_when_nothing_else_is_left)
{
    start(3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(run_queue_take(&queue), i);
    }
    run_queue_give(&queue, 0, RUN_HOLD);
    run_queue_give(&queue, 1, RUN_WAIT);
    ck_assert(!run_queue_release(&queue)); /* 2 is at work, 1 waits for room */
    run_queue_give(&queue, 2, RUN_DONE);
    ck_assert(!run_queue_release(&queue));
    run_queue_room(&queue);
    ck_assert_uint_eq(run_queue_take(&queue), 1);
    ck_assert_uint_eq(run_queue_take(&queue), RUN_QUEUE_NONE); /* room is not what 0 waits for */
    run_queue_give(&queue, 1, RUN_HOLD);
    ck_assert(!run_queue_is_idle(&queue));
    ck_assert_uint_eq(run_queue_stage(&queue), 0);
    ck_assert(run_queue_release(&queue));
    ck_assert(!run_queue_release(&queue));
    ck_assert_uint_eq(run_queue_stage(&queue), 1);
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    ck_assert_uint_eq(run_queue_take(&queue), 1);
    run_queue_give(&queue, 0, RUN_HOLD);
    ck_assert(run_queue_ready(&queue, 0)); /* something has come for it */
    ck_assert_uint_eq(run_queue_take(&queue), 0);
    run_queue_give(&queue, 0, RUN_DONE);
    run_queue_give(&queue, 1, RUN_DONE);
    ck_assert(run_queue_is_idle(&queue));
    ck_assert(!run_queue_release(&queue));
    finish();
}
END_TEST

/* ---- threads ----------------------------------------------------------------------------------- */

enum { TASKS = 5, MESSAGES = 20000 };

static _Atomic uint32_t waiting[TASKS]; /* messages that nobody has read */
static atomic_bool is_taken[TASKS];
static _Atomic uint32_t done;

static void append(uint32_t task)
{
    atomic_fetch_add(&waiting[task], 1);
    (void)run_queue_ready(&queue, task);
}

/* Each message brings forth one for the next task, as where an output is another's input. */
static void *worker_main(void *argument)
{
    (void)argument;
    while (atomic_load(&done) < MESSAGES * TASKS) {
        uint32_t task = run_queue_take(&queue);
        if (task == RUN_QUEUE_NONE) {
            sched_yield();
            continue;
        }
        ck_assert(!atomic_exchange(&is_taken[task], true));
        uint32_t read = atomic_exchange(&waiting[task], 0);
        atomic_fetch_add(&done, read);
        for (uint32_t i = 0; task + 1 < TASKS && i < read; i++) {
            append(task + 1);
        }
        atomic_store(&is_taken[task], false);
        run_queue_give(&queue, task, RUN_DONE);
    }
    return NULL;
}

START_TEST(no_message_stays_unread)
{
    pthread_t threads[3];
    start(TASKS);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, worker_main, NULL), 0);
    }
    for (uint32_t i = 0; i < MESSAGES; i++) {
        append(0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(done, MESSAGES * TASKS);
    finish();
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("run_queue");
    TCase *tc = tcase_create("run_queue");
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, tasks_come_in_the_order_in_which_they_became_ready);
    tcase_add_test(tc, a_task_is_in_one_place);
    tcase_add_test(tc, an_idle_task_comes_back_only_when_it_is_ready);
    tcase_add_test(tc, what_comes_for_a_taken_task_is_not_lost);
    tcase_add_test(tc, a_task_that_waits_for_room_is_not_idle);
    tcase_add_test(tc, held_tasks_are_released_when_nothing_else_is_left);
    tcase_add_test(tc, no_message_stays_unread);
    suite_add_tcase(s, tc);
    return s;
}
