/* SPDX-License-Identifier: MIT */
#include "engine/tasks/worker.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/tasks/turns.h"

enum { IDLE_MS = 200 };

/* What is on its way may need to be asked for again. */
static enum run_rest rest_after(enum turn turn)
{
    switch (turn) {
    case TURN_READ:
        return RUN_MORE;
    case TURN_NO_ROOM:
    case TURN_EXPECTING:
        return RUN_WAIT;
    case TURN_HELD:
        return RUN_HOLD;
    case TURN_NOTHING:
    case TURN_STOP:
        break;
    }
    return RUN_DONE;
}

/* What was written may yet be refused, and has to be done again in another way. */
static bool is_all_done(struct worker_pool *pool, uint32_t sources)
{
    return pool->is_until_end && sources == 0 && atomic_load(&pool->has_shares) &&
           run_queue_is_idle(&pool->queue) && log_is_settled(pool->log);
}

/* A run that ends with its input does not begin with a part of it: order and end would hang on the part. */
static bool may_begin(struct worker_pool *pool)
{
    return !pool->is_until_end || atomic_load(&pool->has_shares);
}

/* Whether a partition is at its end may change without a message, and who waits for it is to hear of it. */
static void look_again(struct worker_pool *pool)
{
    run_queue_room(&pool->queue);
}

/*
 * Works until the run stops, and tells when nothing is left to do. The order of the looks matters: what a source
 * appends before it ends has made a task ready by then.
 */
static void work(struct worker *worker)
{
    struct worker_pool *pool = worker->pool;
    while (gate_pass(pool->gate)) {
        uint64_t wakes = gate_wakes(pool->gate);
        uint32_t sources = gate_running_sources(pool->gate);
        uint32_t index = may_begin(pool) ? run_queue_take(&pool->queue) : RUN_QUEUE_NONE;
        if (index != RUN_QUEUE_NONE) {
            enum turn result = turns_serve(worker, &pool->tasks[index]);
            if (result == TURN_STOP) {
                return;
            }
            run_queue_give(&pool->queue, index, rest_after(result));
        } else if (is_all_done(pool, sources)) {
            gate_finish(pool->gate); /* what is not committed may yet have to be done again */
            gate_wait(pool->gate, wakes, IDLE_MS);
        } else if (sources == 0 && run_queue_release(&pool->queue)) {
            gate_wake(pool->gate);
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
