/* SPDX-License-Identifier: MIT */
#include "engine/checkpoint/gate.h"

#include "base/clock.h"

enum { TURN_MS = 500 };

void gate_init(struct gate *gate)
{
    *gate = (struct gate){ .members = 0 };
    pthread_mutex_init(&gate->lock, NULL);
    clock_condition_init(&gate->changed);
}

void gate_deinit(struct gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

/* With the lock held. False: the deadline has passed. */
static bool wait_until(struct gate *gate, const struct timespec *deadline)
{
    return pthread_cond_timedwait(&gate->changed, &gate->lock, deadline) == 0;
}

void gate_join(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->members++;
    pthread_mutex_unlock(&gate->lock);
}

void gate_leave(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->members--;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/*
 * With the lock held: stands still as long as *condition holds. It tells so once: if those who stand told it
 * again whenever they wake, they would keep waking each other. In turns: a wake-up that the C library loses
 * (glibc before 2.41 does so under load, its bug 25847) costs a moment and not the run.
 */
static void stand(struct gate *gate, const bool *condition)
{
    if (!*condition || gate->is_stopping) {
        return;
    }
    gate->parked++;
    pthread_cond_broadcast(&gate->changed);
    while (*condition && !gate->is_stopping) {
        struct timespec deadline = clock_deadline(TURN_MS);
        (void)wait_until(gate, &deadline);
    }
    gate->parked--;
}

/* With the lock held: stands at the closed gate. */
static bool park(struct gate *gate)
{
    stand(gate, &gate->is_closed);
    return !gate->is_stopping;
}

bool gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    bool goes_on = park(gate);
    pthread_mutex_unlock(&gate->lock);
    return goes_on;
}

uint64_t gate_wakes(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    uint64_t wakes = gate->wakes;
    pthread_mutex_unlock(&gate->lock);
    return wakes;
}

void gate_wait(struct gate *gate, uint64_t seen, int64_t timeout_ms)
{
    struct timespec deadline = clock_deadline(timeout_ms);
    pthread_mutex_lock(&gate->lock);
    while (gate->wakes == seen && !gate->is_closed && !gate->is_stopping) {
        if (!wait_until(gate, &deadline)) {
            break;
        }
    }
    pthread_mutex_unlock(&gate->lock);
}

bool gate_ask_checkpoint(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->wants_checkpoint = true;
    /* It counts as parked: the supervisor may find it here with the gate closed. */
    stand(gate, &gate->wants_checkpoint);
    bool goes_on = park(gate);
    pthread_mutex_unlock(&gate->lock);
    return goes_on;
}

void gate_finish(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_finished = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_unfinish(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_finished = false;
    pthread_mutex_unlock(&gate->lock);
}

void gate_source_comes(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->running_sources++;
    pthread_mutex_unlock(&gate->lock);
}

void gate_source_ended(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->running_sources--;
    gate->wakes++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

uint32_t gate_running_sources(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    uint32_t running = gate->running_sources;
    pthread_mutex_unlock(&gate->lock);
    return running;
}

void gate_wake(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->wakes++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_want_checkpoint(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->wants_checkpoint = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void gate_stop(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_stopping = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

bool gate_is_stopping(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    bool is_stopping = gate->is_stopping;
    pthread_mutex_unlock(&gate->lock);
    return is_stopping;
}

void gate_attend(struct gate *gate, bool may_checkpoint, int64_t timeout_ms)
{
    struct timespec deadline = clock_deadline(timeout_ms);
    pthread_mutex_lock(&gate->lock);
    while (!(gate->wants_checkpoint && may_checkpoint) && !gate->is_finished &&
           !gate->is_stopping) {
        if (!wait_until(gate, &deadline)) {
            break;
        }
    }
    pthread_mutex_unlock(&gate->lock);
}

bool gate_close(struct gate *gate, int64_t timeout_ms)
{
    struct timespec deadline = clock_deadline(timeout_ms);
    bool is_in_time = true;
    pthread_mutex_lock(&gate->lock);
    gate->is_closed = true;
    pthread_cond_broadcast(&gate->changed);
    while (gate->parked < gate->members && !gate->is_stopping && is_in_time) {
        is_in_time = wait_until(gate, &deadline);
    }
    bool stands = gate->parked == gate->members;
    pthread_mutex_unlock(&gate->lock);
    return stands;
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_closed = false;
    gate->wants_checkpoint = false;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}
