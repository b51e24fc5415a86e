/* SPDX-License-Identifier: MIT */
/*
 * A root batch: the memory of one batch of input messages and of everything derived from it on its
 * way through the graph. It lives until the task and all sink lanes have let go of it, then returns
 * to its pool with its memory.
 */
#ifndef ENGINE_ROOT_H
#define ENGINE_ROOT_H

#include <pthread.h>
#include <stdatomic.h>

#include <weir/record.h>

#include "base/arena.h"
#include "log/log.h"

struct root_pool;

struct root {
    struct arena arena;
    weir_origin origin;                 /* the only one: topic and partition of the messages */
    const struct log_message *messages; /* that were read, by offset; NULL: none */
    uint32_t message_count;
    uint32_t turn_messages; /* those of them that the turn under way has taken; 0: all */
    struct log_lease lease; /* of what the messages point to */
    atomic_uint holders;
    struct root_pool *pool;
    struct root *next;
};

/* free_limit: bytes that the free ones may hold together; what is more goes back to the heap. */
struct root_pool {
    pthread_mutex_t lock;
    struct root *free;
    uint64_t free_bytes;
    uint64_t free_limit;
};

void root_pool_init(struct root_pool *pool);
/* All roots must have been released. */
void root_pool_deinit(struct root_pool *pool);
/* One holder. NULL: no memory. */
struct root *root_acquire(struct root_pool *pool);
void root_hold(struct root *root);
/*
 * The memory that what comes of the turn under way answers for. Where a batch is run in many short turns
 * each has its part, since together they hold it once. By the thread that runs the turn.
 */
uint64_t root_turn_bytes(const struct root *root);
/* The message of this offset, or NULL. */
const struct log_message *root_message(const struct root *root, int64_t offset);
/* Any thread; the last one gives the memory back to the pool. */
void root_release(struct root *root);

#endif
