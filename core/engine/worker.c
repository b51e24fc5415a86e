/* SPDX-License-Identifier: MIT */
#include "engine/worker.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

/* Uncommitted bytes in the log that call for an early checkpoint. */
#define PENDING_LIMIT (UINT64_C(64) << 20)
enum { IDLE_MS = 200 };

/* What a turn has come to. */
enum turn { TURN_READ, TURN_NOTHING, TURN_STOP };

/* Messages that the next turn may take: a checkpoint by number falls exactly between two of them. */
static uint32_t turn_limit(const struct worker *worker)
{
    if (worker->stop_count > 0) {
        return 1; /* so that it stops behind the very record that was the last one wanted */
    }
    uint32_t limit = worker->batch_size;
    if (worker->checkpoint_records > 0) {
        int64_t left = worker->checkpoint_records - worker->since_checkpoint;
        if (left < limit) {
            limit = left < 1 ? 1 : (uint32_t)left;
        }
    }
    return limit;
}

/* For tests: slows every batch down. */
static void test_pause(void)
{
    static int64_t pause_us = -1;
    if (pause_us < 0) {
        const char *text = getenv("WEIR_TEST_SLEEP_US");
        pause_us = text == NULL ? 0 : strtoll(text, NULL, 10);
    }
    if (pause_us > 0) {
        struct timespec pause = { pause_us / 1000000, pause_us % 1000000 * 1000 };
        nanosleep(&pause, NULL);
    }
}

static enum turn turn(struct worker *worker, struct task *task, uint32_t route)
{
    struct root *root = root_acquire(&worker->pool);
    if (root == NULL) {
        struct error error = { .status = WEIR_OK };
        error_no_memory(&error);
        run_faults_fatal(task->parts->faults, NULL, &error);
        return TURN_STOP;
    }
    uint32_t messages = 0;
    bool goes_on = task_turn(task, route, turn_limit(worker), root, &messages);
    root_release(root);
    if (!goes_on) {
        return TURN_STOP;
    }
    if (messages == 0) {
        return TURN_NOTHING;
    }
    worker->since_checkpoint += messages;
    atomic_store_explicit(&worker->last_record_ns, clock_monotonic_ns(), memory_order_relaxed);
    test_pause();
    return TURN_READ;
}

static bool is_count_reached(const struct worker *worker)
{
    return worker->stop_count > 0 &&
           (int64_t)atomic_load_explicit(&worker->arrivals, memory_order_relaxed) >=
               worker->stop_count;
}

static bool wants_checkpoint(const struct worker *worker)
{
    return (worker->checkpoint_records > 0 &&
            worker->since_checkpoint >= worker->checkpoint_records) ||
           log_pending_bytes(worker->log) > PENDING_LIMIT;
}

/* One turn of everything that can be read. */
static enum turn round_of_turns(struct worker *worker)
{
    enum turn result = TURN_NOTHING;
    for (uint32_t i = 0; i < worker->task_count; i++) {
        struct task *task = &worker->tasks[i];
        for (uint32_t route = 0; route < task->parts->plan->route_count; route++) {
            if (task->readers[route].topic == NULL) {
                continue;
            }
            if (!gate_pass(worker->gate)) {
                return TURN_STOP;
            }
            enum turn one = turn(worker, task, route);
            if (one == TURN_STOP || is_count_reached(worker)) {
                return TURN_STOP;
            }
            if (one == TURN_READ) {
                result = TURN_READ;
                if (wants_checkpoint(worker) && !gate_ask_checkpoint(worker->gate)) {
                    return TURN_STOP;
                }
            }
        }
    }
    return result;
}

/* The order of the looks matters: what a source appends before it ends is found by the round after. */
static void work(struct worker *worker)
{
    bool goes_on = true;
    while (goes_on) {
        uint64_t wakes = gate_wakes(worker->gate);
        uint32_t sources = gate_running_sources(worker->gate);
        enum turn result = round_of_turns(worker);
        if (result == TURN_STOP || !gate_pass(worker->gate)) {
            goes_on = false;
        } else if (result == TURN_NOTHING) {
            if (worker->is_until_end && sources == 0) {
                goes_on = false;
            } else {
                gate_wait(worker->gate, wakes, IDLE_MS);
            }
        }
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    call_watch_use(&worker->watch);
    work(worker);
    gate_finish(worker->gate);
    gate_leave(worker->gate);
    return NULL;
}

bool worker_start(struct worker *worker, struct error *error)
{
    gate_join(worker->gate);
    if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
        gate_leave(worker->gate);
        error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "could not start the worker's thread");
        return false;
    }
    worker->has_thread = true;
    return true;
}

bool worker_join(struct worker *worker, int64_t timeout_ms)
{
    if (!worker->has_thread) {
        return true;
    }
    int64_t ns = clock_wall_ms() * 1000000 + timeout_ms * 1000000;
    struct timespec deadline = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    if (pthread_timedjoin_np(worker->thread, NULL, &deadline) != 0) {
        return false;
    }
    worker->has_thread = false;
    return true;
}
