/* SPDX-License-Identifier: MIT */
/*
 * Which tasks have something to do: those that are ready, first come first served. A task is never in
 * two hands: one that becomes ready while a worker has it is queued again when the worker gives it back.
 * One that has something to do, but no room at a sink, waits until there is room.
 */
#ifndef ENGINE_RUN_QUEUE_H
#define ENGINE_RUN_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define RUN_QUEUE_NONE UINT32_MAX

struct run_slot;

/* How a worker leaves a task. */
enum run_rest {
    RUN_DONE, /* it has read all that there is */
    RUN_MORE, /* it goes to the end of the queue */
    RUN_WAIT, /* for room */
    RUN_HOLD  /* for others: until they have come to rest, or something comes for it */
};

/* Where a task is. */
enum run_place {
    RUN_PLACE_REST,  /* it waits for something to come, or for others */
    RUN_PLACE_QUEUE, /* for a worker */
    RUN_PLACE_WORKER /* it has one */
};

struct run_queue {
    pthread_mutex_t lock;
    struct run_slot *slots; /* by task */
    uint32_t count;
    uint32_t first; /* of the queue; RUN_QUEUE_NONE: it is empty */
    uint32_t last;
    uint32_t busy; /* tasks that are queued, taken, waiting or held */
    uint32_t held;
    uint32_t stage; /* how often all that was left was held */
};

/* All tasks are ready. False: no memory. */
bool run_queue_init(struct run_queue *queue, struct arena *arena, uint32_t count);
void run_queue_deinit(struct run_queue *queue);
/* There is something for the task. True: it was at rest and is queued now, which a worker should hear of. */
bool run_queue_ready(struct run_queue *queue, uint32_t task);
/* The next task, which is the caller's until it gives it back. RUN_QUEUE_NONE: none is ready. */
uint32_t run_queue_take(struct run_queue *queue);
/* A task that has become ready meanwhile is queued in any case. */
void run_queue_give(struct run_queue *queue, uint32_t task, enum run_rest rest);
/* There is room at a sink: those that wait are queued, those that are taken may have asked in vain. */
void run_queue_room(struct run_queue *queue);
enum run_place run_queue_place(struct run_queue *queue, uint32_t task);
/* A worker has a task. */
bool run_queue_is_at_work(struct run_queue *queue);
/* No task is queued, taken, waiting or held. */
bool run_queue_is_idle(struct run_queue *queue);
/* Where nothing but held tasks is left: begins the next stage and queues them. False: there is more. */
bool run_queue_release(struct run_queue *queue);
uint32_t run_queue_stage(struct run_queue *queue);

#endif
