/* SPDX-License-Identifier: MIT */
#include "engine/tasks/root.h"

#include "base/memory.h"

/* Large enough that a batch of usual size takes one chunk; such chunks are kept for reuse. */
enum { ROOT_CHUNK = 1 << 20 };

void root_pool_init(struct root_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->free = NULL;
    pool->free_bytes = 0;
    pool->free_limit = UINT64_MAX;
}

void root_pool_deinit(struct root_pool *pool)
{
    while (pool->free != NULL) {
        struct root *root = pool->free;
        pool->free = root->next;
        arena_deinit(&root->arena);
        memory_free(root);
    }
    pthread_mutex_destroy(&pool->lock);
}

static struct root *take_free(struct root_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct root *root = pool->free;
    if (root != NULL) {
        pool->free = root->next;
        pool->free_bytes -= arena_footprint(&root->arena);
    }
    pthread_mutex_unlock(&pool->lock);
    return root;
}

struct root *root_acquire(struct root_pool *pool)
{
    struct root *root = take_free(pool);
    if (root == NULL) {
        root = memory_zeroed(1, sizeof *root);
        if (root == NULL) {
            return NULL;
        }
        arena_init(&root->arena, ROOT_CHUNK);
        root->pool = pool;
    }
    root->next = NULL;
    root->messages = NULL;
    root->message_count = 0;
    root->turn_messages = 0;
    root->lease = (struct log_lease){ NULL, NULL };
    atomic_store_explicit(&root->holders, 1, memory_order_relaxed);
    return root;
}

const struct log_message *root_message(const struct root *root, int64_t offset)
{
    uint32_t low = 0;
    uint32_t high = root->message_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (root->messages[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found = low < root->message_count && root->messages[low].offset == offset;
    return is_found ? &root->messages[low] : NULL;
}

uint64_t root_turn_bytes(const struct root *root)
{
    uint64_t bytes = arena_footprint(&root->arena);
    bool is_part = root->turn_messages > 0 && root->turn_messages < root->message_count;
    return is_part ? bytes / root->message_count * root->turn_messages : bytes;
}

void root_hold(struct root *root)
{
    atomic_fetch_add_explicit(&root->holders, 1, memory_order_relaxed);
}

void root_release(struct root *root)
{
    /* Pairs with itself: the last holder must see what the others have read and written. */
    if (atomic_fetch_sub_explicit(&root->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    struct root_pool *pool = root->pool;
    log_lease_end(&root->lease);
    arena_reset(&root->arena);
    pthread_mutex_lock(&pool->lock);
    if (pool->free_bytes + arena_footprint(&root->arena) > pool->free_limit) {
        arena_deinit(&root->arena);
        arena_init(&root->arena, ROOT_CHUNK);
    }
    pool->free_bytes += arena_footprint(&root->arena);
    root->next = pool->free;
    pool->free = root;
    pthread_mutex_unlock(&pool->lock);
}
