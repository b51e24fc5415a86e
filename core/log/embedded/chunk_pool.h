/* SPDX-License-Identifier: MIT */
/*
 * Memory for chunks, mapped a mebibyte at a time and used again, so that a running log asks nothing
 * of the heap. A chunk goes back when its last holder gives it. Also the arrays of chunks, which grow in
 * mappings too. Thread-safe (the pool).
 */
#ifndef LOG_CHUNK_POOL_H
#define LOG_CHUNK_POOL_H

#include <pthread.h>

#include "log/embedded/chunk.h"

struct chunk_block;

struct chunk_pool {
    bool is_filled;
    pthread_mutex_t lock;
    struct chunk *free;
    size_t free_count;
    uint64_t warm_bytes; /* free chunks beyond these give their pages back */
    struct chunk_block *blocks;
    struct chunk *free_bare; /* chunks without memory for an image */
};

/* is_filled: most chunks will be filled and kept, so that huge pages pay. */
void chunk_pool_init(struct chunk_pool *pool, bool is_filled);
/* Every chunk of it becomes invalid. */
void chunk_pool_deinit(struct chunk_pool *pool);
/* An uncleared chunk whose image has room for `size` bytes; the caller holds it. NULL: no memory. */
struct chunk *chunk_pool_take(struct chunk_pool *pool, uint64_t size);
/* The same with an image that is somebody else's, who gets it back with the chunk. NULL: no memory; the
 * loan is then still the caller's. */
struct chunk *chunk_pool_wrap(struct chunk_pool *pool, const uint8_t *image, uint64_t size,
                              struct chunk_loan loan);
/* One holder more. */
void chunk_hold(struct chunk *chunk);
/* Has it other holders than the caller? */
bool chunk_is_shared(const struct chunk *chunk);
/* One holder less. NULL is allowed. */
void chunk_pool_give(struct chunk_pool *pool, struct chunk *chunk);

/* The chunks of a partition that are in memory, in order, without gaps. Zeroed: empty. */
struct chunk_list {
    struct chunk **items;
    size_t count;
    size_t capacity;
};

/* Gives the chunks back. */
void chunk_list_deinit(struct chunk_list *list, struct chunk_pool *pool);
/* False: no memory. */
bool chunk_list_push(struct chunk_list *list, struct chunk *chunk);
/* Gives the first or last `n` chunks back. */
void chunk_list_drop_first(struct chunk_list *list, size_t n, struct chunk_pool *pool);
void chunk_list_drop_last(struct chunk_list *list, size_t n, struct chunk_pool *pool);
void chunk_list_remove(struct chunk_list *list, size_t at, struct chunk_pool *pool);
/* Index of the chunk that holds the offset; it must be in one. */
size_t chunk_list_find(const struct chunk_list *list, int64_t offset);

static inline struct chunk *chunk_list_last(const struct chunk_list *list)
{
    return list->count > 0 ? list->items[list->count - 1] : NULL;
}

#endif
