/* SPDX-License-Identifier: MIT */
#include "engine/tasks/turns.h"

#include <time.h>

#include "base/clock.h"
#include "engine/tasks/align.h"

/*
 * Messages that the next turn may take, off the number that is left until the checkpoint: with one worker
 * a checkpoint by number falls exactly behind the last of them, several share what is left so that they
 * end at about the same time. 0: a checkpoint has to be made first.
 */
static uint32_t take_budget(struct worker_pool *pool)
{
    if (worker_pool_counts(pool)) {
        return 1; /* so that it stops behind the very record that was the last one wanted */
    }
    int64_t taken = atomic_load(&pool->since_checkpoint);
    int64_t share;
    do {
        int64_t left = pool->checkpoint_records - taken;
        if (pool->checkpoint_records == 0) {
            left = INT64_MAX - pool->worker_count;
        }
        if (left <= 0) {
            return 0;
        }
        share = (left + pool->worker_count - 1) / pool->worker_count;
        share = share < pool->batch_size ? share : pool->batch_size;
    } while (!atomic_compare_exchange_weak(&pool->since_checkpoint, &taken, taken + share));
    return (uint32_t)share;
}

static void return_budget(struct worker_pool *pool, uint32_t budget, uint32_t used)
{
    atomic_fetch_sub(&pool->since_checkpoint, (int64_t)budget - used);
}

/* For tests: slows every batch down. */
static void test_pause(const struct worker_pool *pool)
{
    if (pool->pause_us > 0) {
        struct timespec pause = { pool->pause_us / 1000000, pool->pause_us % 1000000 * 1000 };
        nanosleep(&pause, NULL);
    }
}

/* ---- which route ---------------------------------------------------------------------------------- */

/*
 * In a run until the end a topic that the pipeline fills itself is at its end for good only when all that
 * fills it has come to rest. Elsewhere nobody knows whether anything will come, and nobody waits.
 */
static bool may_be_fed(struct worker_pool *pool, const struct plan_group *group,
                       const struct plan_route *route)
{
    return pool->is_until_end && route->topic->is_written &&
           run_queue_stage(&pool->queue) <= group->depth;
}

static struct align_head head_of(struct worker_pool *pool, const struct task *task,
                                 const struct plan_group *group, uint32_t route, bool *is_expecting)
{
    struct align_head head = { ALIGN_EMPTY, 0 };
    const struct reader *reader = &task->readers[route];
    bool is_timed = false;
    if (!reader_is_own(reader)) {
        return head; /* it has fewer partitions, or this one is another process's */
    }
    if (reader_head(reader, &is_timed, &head.timestamp)) {
        head.front = is_timed ? ALIGN_TIMED : ALIGN_FREE;
    } else if (!reader->is_at_end) {
        head.front = ALIGN_AWAITED;
        *is_expecting = true;
    } else if (may_be_fed(pool, group, &task->parts->plan->routes[route])) {
        head.front = ALIGN_AWAITED;
    }
    return head;
}

/* Reads what does not wait yet of any route. False: the run stops. */
static bool fill_group(struct worker *worker, struct task *task, const struct plan_group *group,
                       uint32_t budget)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        uint32_t route = group->routes[i];
        if (reader_is_own(&task->readers[route]) &&
            !task_fill(task, route, budget, group->route_count > 1, &worker->roots)) {
            return false;
        }
    }
    return true;
}

/* NULL: nobody is waited for. */
static const char *awaited_topic(const struct task *task, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        if (task->heads[i].front == ALIGN_AWAITED) {
            return task->readers[group->routes[i]].topic->name;
        }
    }
    return NULL;
}

/* Those that have something wait until it is known to be their turn. */
static void hold_back(struct task *task, const struct plan_group *group)
{
    const char *whom = awaited_topic(task, group);
    for (uint32_t i = 0; i < group->route_count; i++) {
        struct reader *reader = &task->readers[group->routes[i]];
        if (task->heads[i].front == ALIGN_TIMED) {
            pauses_put(&reader->pauses, PAUSE_ORDER, whom, reader->position);
        }
    }
}

/* Who goes on takes the others with it. */
static void let_on(struct task *task, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        pauses_lift(&task->readers[group->routes[i]].pauses, PAUSE_ORDER);
    }
}

/* *ret_route goes next, up to the timestamp *ret_until. */
static enum turn choose(struct worker *worker, struct task *task, const struct plan_group *group,
                        uint32_t *ret_route, int64_t *ret_until)
{
    struct align_head *heads = task->heads;
    bool is_expecting = false;
    for (uint32_t i = 0; i < group->route_count; i++) {
        heads[i] = head_of(worker->pool, task, group, group->routes[i], &is_expecting);
    }
    uint32_t first = align_first(heads, group->route_count);
    if (first == ALIGN_NOTHING || first == ALIGN_WAIT) {
        hold_back(task, group);
        return is_expecting ? TURN_EXPECTING : first == ALIGN_WAIT ? TURN_HELD : TURN_NOTHING;
    }
    let_on(task, group);
    *ret_route = group->routes[first];
    *ret_until = align_until(heads, group->route_count, first);
    return TURN_READ;
}

/* ---- a turn --------------------------------------------------------------------------------------- */

static enum turn run_ahead(struct worker *worker, struct task *task, uint32_t route, int64_t until,
                           uint32_t budget, uint32_t *ret_messages)
{
    if (!task_turn(task, route, budget, until, ret_messages)) {
        return TURN_STOP;
    }
    atomic_store_explicit(&worker->pool->last_record_ns, clock_monotonic_ns(),
                          memory_order_relaxed);
    test_pause(worker->pool);
    return TURN_READ;
}

/* A route that meets no other has room promised before anything is read. */
static enum turn turn_alone(struct worker *worker, struct task *task,
                            const struct plan_group *group, uint32_t budget, uint32_t *ret_messages)
{
    uint32_t route = group->routes[0];
    bool is_timed;
    int64_t timestamp;
    if (!task_claim(task, route)) {
        return TURN_NO_ROOM;
    }
    const struct reader *reader = &task->readers[route];
    enum turn result = TURN_STOP;
    if (fill_group(worker, task, group, budget)) {
        result = reader_head(reader, &is_timed, &timestamp)
                     ? run_ahead(worker, task, route, INT64_MAX, budget, ret_messages)
                 : reader->is_at_end ? TURN_NOTHING
                                     : TURN_EXPECTING;
    }
    task_release(task, route);
    return result;
}

static enum turn turn_aligned(struct worker *worker, struct task *task,
                              const struct plan_group *group, uint32_t budget,
                              uint32_t *ret_messages)
{
    uint32_t route = 0;
    int64_t until = 0;
    if (!fill_group(worker, task, group, budget)) {
        return TURN_STOP;
    }
    enum turn result = choose(worker, task, group, &route, &until);
    if (result != TURN_READ) {
        return result;
    }
    if (!task_claim(task, route)) {
        return TURN_NO_ROOM;
    }
    result = run_ahead(worker, task, route, until, budget, ret_messages);
    task_release(task, route);
    return result;
}

static enum turn turn(struct worker *worker, struct task *task, const struct plan_group *group,
                      uint32_t budget, uint32_t *ret_messages)
{
    struct timing *timing = task->parts->timing;
    struct stopwatch *watch = timing == NULL ? NULL : &timing->turns;
    int64_t start_ns = stopwatch_start(watch);
    bool is_alone = group->route_count == 1;
    enum turn result =
        (is_alone ? turn_alone : turn_aligned)(worker, task, group, budget, ret_messages);
    stopwatch_stop(watch, start_ns);
    return_budget(worker->pool, budget, *ret_messages);
    return result;
}

static bool is_count_reached(const struct worker_pool *pool)
{
    return worker_pool_counts(pool) &&
           (int64_t)atomic_load_explicit(&pool->arrivals, memory_order_relaxed) >= pool->stop_count;
}

static bool wants_checkpoint(const struct worker_pool *pool)
{
    return (pool->checkpoint_records > 0 &&
            atomic_load(&pool->since_checkpoint) >= pool->checkpoint_records) ||
           log_pending_bytes(pool->log) > pool->pending_limit;
}

/* Passes the gate for a turn; *ret_budget: messages that it may take. False: the run stops. */
static bool begin_turn(struct worker_pool *pool, uint32_t *ret_budget)
{
    while (gate_pass(pool->gate)) {
        *ret_budget = take_budget(pool);
        if (*ret_budget > 0) {
            return true;
        }
        if (!gate_ask_checkpoint(pool->gate)) {
            return false;
        }
    }
    return false;
}

static bool has_partition(const struct task *task, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        if (task->readers[group->routes[i]].topic != NULL) {
            return true;
        }
    }
    return false;
}

/* Some partition of the group is this process's own. They come and go while a worker stands at the gate. */
static bool has_own(const struct task *task, const struct plan_group *group)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        if (reader_is_own(&task->readers[group->routes[i]])) {
            return true;
        }
    }
    return false;
}

/*
 * Turns of a group until about a batch is done: where records of several topics come in turns, those are
 * short.
 */
static enum turn serve_group(struct worker *worker, struct task *task,
                             const struct plan_group *group)
{
    struct worker_pool *pool = worker->pool;
    enum turn result = TURN_NOTHING;
    uint32_t done = 0;
    while (done < pool->batch_size) {
        uint32_t budget;
        uint32_t messages = 0;
        if (!begin_turn(pool, &budget)) {
            return TURN_STOP;
        }
        if (!has_own(task, group)) {
            return_budget(pool, budget, 0);
            return result;
        }
        enum turn one = turn(worker, task, group, budget, &messages);
        if (one == TURN_STOP || is_count_reached(pool)) {
            return TURN_STOP;
        }
        if (one != TURN_READ) {
            return done > 0 ? TURN_READ : one;
        }
        result = TURN_READ;
        if (wants_checkpoint(pool) && !gate_ask_checkpoint(pool->gate)) {
            return TURN_STOP;
        }
        done += group->route_count > 1 ? messages : pool->batch_size;
    }
    return result;
}

enum turn turns_serve(struct worker *worker, struct task *task)
{
    const struct plan *plan = task->parts->plan;
    enum turn result = TURN_NOTHING;
    for (uint32_t i = 0; i < plan->group_count && result != TURN_STOP; i++) {
        if (has_partition(task, &plan->groups[i])) {
            enum turn one = serve_group(worker, task, &plan->groups[i]);
            result = one > result ? one : result; /* the more urgent one */
        }
    }
    return result;
}
