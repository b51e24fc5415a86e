/* SPDX-License-Identifier: MIT */
#include "engine/worker.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

enum { IDLE_MS = 200 };

/* What a turn has come to. */
enum turn { TURN_READ, TURN_NOTHING, TURN_EXPECTING, TURN_NO_ROOM, TURN_STOP };

/*
 * Messages that the next turn may take, off the number that is left until the checkpoint: with one worker
 * a checkpoint by number falls exactly behind the last of them, several share what is left so that they
 * end at about the same time. 0: a checkpoint has to be made first.
 */
static uint32_t take_budget(struct worker_pool *pool)
{
    if (pool->stop_count > 0) {
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

static enum turn no_memory(struct worker *worker)
{
    struct error error = { .status = WEIR_OK };
    error_no_memory(&error);
    run_faults_fatal(worker->pool->faults, NULL, &error);
    return TURN_STOP;
}

static enum turn read_batch(struct worker *worker, struct task *task, uint32_t route,
                            uint32_t budget)
{
    struct root *root = root_acquire(&worker->roots);
    if (root == NULL) {
        return no_memory(worker);
    }
    uint32_t messages = 0;
    bool goes_on = task_turn(task, route, budget, root, &messages);
    root_release(root);
    return_budget(worker->pool, budget, messages);
    if (!goes_on) {
        return TURN_STOP;
    }
    if (messages == 0) {
        return task->readers[route].is_at_end ? TURN_NOTHING : TURN_EXPECTING;
    }
    atomic_store_explicit(&worker->pool->last_record_ns, clock_monotonic_ns(),
                          memory_order_relaxed);
    test_pause(worker->pool);
    return TURN_READ;
}

static enum turn turn(struct worker *worker, struct task *task, uint32_t route, uint32_t budget)
{
    if (!task_claim(task, route)) {
        return_budget(worker->pool, budget, 0);
        return TURN_NO_ROOM;
    }
    struct timing *timing = task->parts->timing;
    struct stopwatch *watch = timing == NULL ? NULL : &timing->turns;
    int64_t start_ns = stopwatch_start(watch);
    enum turn result = read_batch(worker, task, route, budget);
    stopwatch_stop(watch, start_ns);
    task_release(task, route);
    return result;
}

static bool is_count_reached(const struct worker_pool *pool)
{
    return pool->stop_count > 0 &&
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

/* One turn of every topic that the task reads. */
static enum turn serve(struct worker *worker, struct task *task)
{
    struct worker_pool *pool = worker->pool;
    enum turn result = TURN_NOTHING;
    for (uint32_t route = 0; route < task->parts->plan->route_count; route++) {
        uint32_t budget;
        if (task->readers[route].topic == NULL) {
            continue;
        }
        if (!begin_turn(pool, &budget)) {
            return TURN_STOP;
        }
        if (!task->readers[route]
                 .is_active) { /* partitions come and go while it stands at the gate */
            return_budget(pool, budget, 0);
            continue;
        }
        enum turn one = turn(worker, task, route, budget);
        if (one == TURN_STOP || is_count_reached(pool)) {
            return TURN_STOP;
        }
        if (one > result && one < TURN_STOP && result != TURN_READ) {
            result = one;
        }
        if (one == TURN_READ) {
            result = TURN_READ;
            if (wants_checkpoint(pool) && !gate_ask_checkpoint(pool->gate)) {
                return TURN_STOP;
            }
        }
    }
    return result;
}

/* A run that ends with its input waits for what is on its way. */
static enum run_rest rest_after(const struct worker_pool *pool, enum turn turn)
{
    bool waits = turn == TURN_NO_ROOM || (turn == TURN_EXPECTING && pool->is_until_end);
    return turn == TURN_READ ? RUN_MORE : waits ? RUN_WAIT : RUN_DONE;
}

static bool is_all_done(struct worker_pool *pool, uint32_t sources)
{
    return pool->is_until_end && sources == 0 && atomic_load(&pool->has_shares) &&
           run_queue_is_idle(&pool->queue);
}

/* Whether a partition is at its end may change without a message. */
static void look_again(struct worker_pool *pool)
{
    if (pool->is_until_end) {
        run_queue_room(&pool->queue);
    }
}

/*
 * Works until the run stops or nothing is left to do. The order of the looks matters: what a source
 * appends before it ends has made a task ready by then.
 */
static void work(struct worker *worker)
{
    struct worker_pool *pool = worker->pool;
    while (gate_pass(pool->gate)) {
        uint64_t wakes = gate_wakes(pool->gate);
        uint32_t sources = gate_running_sources(pool->gate);
        uint32_t index = run_queue_take(&pool->queue);
        if (index != RUN_QUEUE_NONE) {
            enum turn result = serve(worker, &pool->tasks[index]);
            if (result == TURN_STOP) {
                return;
            }
            run_queue_give(&pool->queue, index, rest_after(pool, result));
        } else if (is_all_done(pool, sources)) {
            return;
        } else {
            gate_wait(pool->gate, wakes, IDLE_MS);
            look_again(pool);
        }
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct gate *gate = worker->pool->gate;
    call_watch_use(&worker->watch);
    work(worker);
    gate_finish(gate);
    gate_leave(gate);
    return NULL;
}

bool worker_pool_start(struct worker_pool *pool, struct error *error)
{
    const char *pause_us = getenv("WEIR_TEST_SLEEP_US");
    pool->pause_us = pause_us == NULL ? 0 : strtoll(pause_us, NULL, 10);
    atomic_store(&pool->last_record_ns, clock_monotonic_ns());
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        struct worker *worker = &pool->workers[i];
        gate_join(pool->gate);
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
            gate_leave(pool->gate);
            error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE,
                      "could not start the thread of a worker");
            return false;
        }
        worker->has_thread = true;
    }
    return true;
}

bool worker_pool_join(struct worker_pool *pool, int64_t timeout_ms, const char **ret_label)
{
    int64_t ns = clock_wall_ms() * 1000000 + timeout_ms * 1000000;
    struct timespec deadline = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        struct worker *worker = &pool->workers[i];
        if (!worker->has_thread) {
            continue;
        }
        if (pthread_timedjoin_np(worker->thread, NULL, &deadline) != 0) {
            const char *label = atomic_load(&worker->watch.label);
            *ret_label = label != NULL ? label : "a worker";
            return false;
        }
        worker->has_thread = false;
    }
    return true;
}

void worker_pool_room(struct worker_pool *pool)
{
    run_queue_room(&pool->queue);
    gate_wake(pool->gate);
}

static bool is_read(const struct worker_pool *pool, const struct log_topic *topic)
{
    const struct task_parts *parts = pool->tasks[0].parts;
    for (uint32_t i = 0; i < parts->plan->route_count; i++) {
        if (pool->tasks[0].readers[i].log_topic == topic) {
            return true;
        }
    }
    return false;
}

/* The task of a partition number reads that partition of every topic. */
void worker_pool_wake(struct worker_pool *pool, const struct log_topic *topic, uint32_t partition)
{
    if (partition < pool->task_count && is_read(pool, topic) &&
        run_queue_ready(&pool->queue, partition)) {
        gate_wake(pool->gate);
    }
}
