/* SPDX-License-Identifier: MIT */
#include "engine/tasks/run_queue.h"

enum run_state {
    RUN_IDLE,
    RUN_QUEUED,
    RUN_TAKEN,
    RUN_TAKEN_READY, /* something has come for it meanwhile */
    RUN_WAITING,
    RUN_HELD
};

struct run_slot {
    enum run_state state;
    uint32_t next;
};

/* Thread: holds the lock. */
static void push(struct run_queue *queue, uint32_t task)
{
    queue->slots[task] = (struct run_slot){ RUN_QUEUED, RUN_QUEUE_NONE };
    if (queue->first == RUN_QUEUE_NONE) {
        queue->first = task;
    } else {
        queue->slots[queue->last].next = task;
    }
    queue->last = task;
}

bool run_queue_init(struct run_queue *queue, struct arena *arena, uint32_t count)
{
    *queue = (struct run_queue){ .count = count, .first = RUN_QUEUE_NONE, .busy = count };
    pthread_mutex_init(&queue->lock, NULL);
    queue->slots = arena_zeroed(arena, (count + 1u) * sizeof *queue->slots);
    if (queue->slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        push(queue, i);
    }
    return true;
}

void run_queue_deinit(struct run_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
}

bool run_queue_ready(struct run_queue *queue, uint32_t task)
{
    pthread_mutex_lock(&queue->lock);
    struct run_slot *slot = &queue->slots[task];
    bool was_at_rest =
        slot->state == RUN_IDLE || slot->state == RUN_WAITING || slot->state == RUN_HELD;
    if (was_at_rest) {
        queue->busy += slot->state == RUN_IDLE;
        queue->held -= slot->state == RUN_HELD;
        push(queue, task);
    } else if (slot->state == RUN_TAKEN) {
        slot->state = RUN_TAKEN_READY;
    }
    pthread_mutex_unlock(&queue->lock);
    return was_at_rest;
}

uint32_t run_queue_take(struct run_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint32_t task = queue->first;
    if (task != RUN_QUEUE_NONE) {
        queue->first = queue->slots[task].next;
        queue->slots[task].state = RUN_TAKEN;
    }
    pthread_mutex_unlock(&queue->lock);
    return task;
}

void run_queue_give(struct run_queue *queue, uint32_t task, enum run_rest rest)
{
    pthread_mutex_lock(&queue->lock);
    if (rest == RUN_MORE || queue->slots[task].state == RUN_TAKEN_READY) {
        push(queue, task);
    } else if (rest == RUN_WAIT) {
        queue->slots[task].state = RUN_WAITING;
    } else if (rest == RUN_HOLD) {
        queue->slots[task].state = RUN_HELD;
        queue->held++;
    } else {
        queue->slots[task].state = RUN_IDLE;
        queue->busy--;
    }
    pthread_mutex_unlock(&queue->lock);
}

void run_queue_room(struct run_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = 0; i < queue->count; i++) {
        if (queue->slots[i].state == RUN_WAITING) {
            push(queue, i);
        } else if (queue->slots[i].state == RUN_TAKEN) {
            queue->slots[i].state = RUN_TAKEN_READY;
        }
    }
    pthread_mutex_unlock(&queue->lock);
}

static enum run_place place_of(enum run_state state)
{
    switch (state) {
    case RUN_QUEUED:
        return RUN_PLACE_QUEUE;
    case RUN_TAKEN:
    case RUN_TAKEN_READY:
        return RUN_PLACE_WORKER;
    case RUN_IDLE:
    case RUN_WAITING:
    case RUN_HELD:
        break;
    }
    return RUN_PLACE_REST;
}

enum run_place run_queue_place(struct run_queue *queue, uint32_t task)
{
    pthread_mutex_lock(&queue->lock);
    enum run_place place = place_of(queue->slots[task].state);
    pthread_mutex_unlock(&queue->lock);
    return place;
}

bool run_queue_is_at_work(struct run_queue *queue)
{
    bool is_at_work = false;
    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = 0; i < queue->count && !is_at_work; i++) {
        is_at_work = place_of(queue->slots[i].state) == RUN_PLACE_WORKER;
    }
    pthread_mutex_unlock(&queue->lock);
    return is_at_work;
}

bool run_queue_is_idle(struct run_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool is_idle = queue->busy == 0;
    pthread_mutex_unlock(&queue->lock);
    return is_idle;
}

bool run_queue_release(struct run_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool is_still = queue->held > 0 && queue->held == queue->busy;
    queue->stage += is_still;
    for (uint32_t i = 0; is_still && i < queue->count; i++) {
        if (queue->slots[i].state == RUN_HELD) {
            push(queue, i);
        }
    }
    queue->held = is_still ? 0 : queue->held;
    pthread_mutex_unlock(&queue->lock);
    return is_still;
}

uint32_t run_queue_stage(struct run_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint32_t stage = queue->stage;
    pthread_mutex_unlock(&queue->lock);
    return stage;
}
