/* SPDX-License-Identifier: MIT */
/*
 * Slices of CHUNK_BYTES are cut from big blocks and go back to a free list; a chunk for one huge
 * message has a mapping of its own and is unmapped at once. Of the free slices only the first few
 * keep their pages. A block of its own is cut into chunks without memory for an image.
 */
#include "log/embedded/chunk_pool.h"

#include <string.h>
#include <sys/mman.h>

enum {
    SLICES = 8,
    SLICE_BYTES = CHUNK_BYTES,
    BLOCK_BYTES = SLICES * SLICE_BYTES,
    WARM_BYTES = 64 * SLICE_BYTES,
    PAGE_BYTES = 4096
};

/* Stands in the first slice of a block, before its chunk. */
struct chunk_block {
    struct chunk_block *next;
    size_t bytes;
    uint64_t reserved[6];
};

/* The same in every slice, so that a full chunk fits into any other. */
enum { IMAGE_BYTES = SLICE_BYTES - sizeof(struct chunk_block) - sizeof(struct chunk) };
enum { BARE_CHUNKS = (PAGE_BYTES - sizeof(struct chunk_block)) / sizeof(struct chunk) };

static void *map_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void chunk_pool_init(struct chunk_pool *pool, bool is_filled)
{
    memset(pool, 0, sizeof *pool);
    pool->is_filled = is_filled;
    pool->warm_bytes = WARM_BYTES;
    pthread_mutex_init(&pool->lock, NULL);
}

void chunk_pool_deinit(struct chunk_pool *pool)
{
    while (pool->blocks != NULL) {
        struct chunk_block *block = pool->blocks;
        pool->blocks = block->next;
        munmap(block, block->bytes);
    }
    pthread_mutex_destroy(&pool->lock);
}

static void push_block(struct chunk_pool *pool, uint8_t *memory, size_t bytes)
{
    struct chunk_block *block = (struct chunk_block *)(void *)memory;
    block->next = pool->blocks;
    block->bytes = bytes;
    pool->blocks = block;
}

static void push_free(struct chunk_pool *pool, struct chunk *chunk)
{
    chunk->next_free = pool->free;
    pool->free = chunk;
    pool->free_count++;
}

/*
 * A block that begins at a multiple of its size, so that it can be one huge page: a log that keeps all
 * it gets would otherwise spend a fifth of a JSON pipeline's time on page faults. Where chunks come
 * back, each used a little for one of many partitions, small pages take less memory.
 */
static uint8_t *map_block(const struct chunk_pool *pool)
{
    if (!pool->is_filled) {
        return map_memory(BLOCK_BYTES);
    }
    uint8_t *memory = map_memory(2 * (size_t)BLOCK_BYTES);
    if (memory == NULL) {
        return NULL;
    }
    size_t before = (size_t)(-(uintptr_t)memory & (BLOCK_BYTES - 1));
    if (before > 0) {
        munmap(memory, before);
    }
    munmap(memory + before + BLOCK_BYTES, BLOCK_BYTES - before);
    madvise(memory + before, BLOCK_BYTES, MADV_HUGEPAGE);
    return memory + before;
}

/* Cuts a new block into slices. */
static bool add_block(struct chunk_pool *pool)
{
    uint8_t *memory = map_block(pool);
    if (memory == NULL) {
        return false;
    }
    push_block(pool, memory, BLOCK_BYTES);
    for (size_t i = SLICES; i-- > 0;) {
        size_t skipped = i == 0 ? sizeof(struct chunk_block) : 0;
        struct chunk *chunk = (struct chunk *)(void *)(memory + i * SLICE_BYTES + skipped);
        chunk->mapped = 0;
        chunk->capacity = IMAGE_BYTES;
        push_free(pool, chunk);
    }
    return true;
}

static struct chunk *take_slice(struct chunk_pool *pool)
{
    struct chunk *chunk = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->free != NULL || add_block(pool)) {
        chunk = pool->free;
        pool->free = chunk->next_free;
        pool->free_count--;
    }
    pthread_mutex_unlock(&pool->lock);
    return chunk;
}

static struct chunk *map_chunk(uint64_t size)
{
    size_t mapped = (size_t)size + sizeof(struct chunk);
    struct chunk *chunk = map_memory(mapped);
    if (chunk != NULL) {
        chunk->mapped = mapped;
        chunk->capacity = size;
    }
    return chunk;
}

struct chunk *chunk_pool_take(struct chunk_pool *pool, uint64_t size)
{
    struct chunk *chunk = size <= IMAGE_BYTES ? take_slice(pool) : map_chunk(size);
    if (chunk != NULL) {
        chunk->image = (uint8_t *)(chunk + 1);
        chunk->loan = (struct chunk_loan){ NULL, NULL };
        atomic_init(&chunk->holders, 1);
    }
    return chunk;
}

/* ---- chunks without memory ---------------------------------------------------------------------- */

static bool add_bare(struct chunk_pool *pool)
{
    uint8_t *memory = map_memory(PAGE_BYTES);
    if (memory == NULL) {
        return false;
    }
    push_block(pool, memory, PAGE_BYTES);
    struct chunk *chunks = (struct chunk *)(void *)(memory + sizeof(struct chunk_block));
    for (size_t i = BARE_CHUNKS; i-- > 0;) {
        chunks[i].next_free = pool->free_bare;
        pool->free_bare = &chunks[i];
    }
    return true;
}

struct chunk *chunk_pool_wrap(struct chunk_pool *pool, const uint8_t *image, uint64_t size,
                              struct chunk_loan loan)
{
    struct chunk *chunk = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->free_bare != NULL || add_bare(pool)) {
        chunk = pool->free_bare;
        pool->free_bare = chunk->next_free;
    }
    pthread_mutex_unlock(&pool->lock);
    if (chunk != NULL) {
        chunk->capacity = size;
        chunk->image = (uint8_t *)(uintptr_t)image;
        chunk->loan = loan;
        atomic_init(&chunk->holders, 1);
    }
    return chunk;
}

static void give_bare(struct chunk_pool *pool, struct chunk *chunk)
{
    chunk->loan.give_back(chunk->loan.self);
    pthread_mutex_lock(&pool->lock);
    chunk->next_free = pool->free_bare;
    pool->free_bare = chunk;
    pthread_mutex_unlock(&pool->lock);
}

/* ---- giving back --------------------------------------------------------------------------------- */

/* The first page holds the chunk's own fields and stays. */
static void release_pages(struct chunk *chunk)
{
    uintptr_t from =
        ((uintptr_t)chunk + sizeof *chunk + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t to =
        ((uintptr_t)chunk + sizeof *chunk + chunk->capacity) & ~(uintptr_t)(PAGE_BYTES - 1);
    if (to > from) {
        madvise((uint8_t *)chunk + (from - (uintptr_t)chunk), to - from, MADV_DONTNEED);
    }
}

static void give_slice(struct chunk_pool *pool, struct chunk *chunk)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->free_count >= pool->warm_bytes / SLICE_BYTES) {
        release_pages(chunk);
    }
    push_free(pool, chunk);
    pthread_mutex_unlock(&pool->lock);
}

void chunk_hold(struct chunk *chunk)
{
    atomic_fetch_add_explicit(&chunk->holders, 1, memory_order_relaxed);
}

bool chunk_is_shared(const struct chunk *chunk)
{
    /* Pairs with the end of the others' holds: what they have read may be written then. */
    return atomic_load_explicit(&chunk->holders, memory_order_acquire) > 1;
}

void chunk_pool_give(struct chunk_pool *pool, struct chunk *chunk)
{
    if (chunk == NULL || atomic_fetch_sub_explicit(&chunk->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (chunk->loan.give_back != NULL) {
        give_bare(pool, chunk);
    } else if (chunk->mapped > 0) {
        munmap(chunk, (size_t)chunk->mapped);
    } else {
        give_slice(pool, chunk);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool grow_list(struct chunk_list *list)
{
    size_t old_bytes = list->capacity * sizeof(struct chunk *);
    size_t new_bytes = old_bytes == 0 ? PAGE_BYTES : old_bytes * 2;
    void *memory = old_bytes == 0 ? map_memory(new_bytes)
                                  : mremap(list->items, old_bytes, new_bytes, MREMAP_MAYMOVE);
    if (memory == NULL || memory == MAP_FAILED) {
        return false;
    }
    list->items = memory;
    list->capacity = new_bytes / sizeof(struct chunk *);
    return true;
}

bool chunk_list_push(struct chunk_list *list, struct chunk *chunk)
{
    if (list->count == list->capacity && !grow_list(list)) {
        return false;
    }
    list->items[list->count++] = chunk;
    return true;
}

void chunk_list_drop_first(struct chunk_list *list, size_t n, struct chunk_pool *pool)
{
    if (n == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        chunk_pool_give(pool, list->items[i]);
    }
    list->count -= n;
    memmove(list->items, list->items + n, list->count * sizeof(struct chunk *));
}

void chunk_list_drop_last(struct chunk_list *list, size_t n, struct chunk_pool *pool)
{
    for (; n > 0; n--) {
        chunk_pool_give(pool, list->items[--list->count]);
    }
}

void chunk_list_remove(struct chunk_list *list, size_t at, struct chunk_pool *pool)
{
    chunk_pool_give(pool, list->items[at]);
    list->count--;
    memmove(list->items + at, list->items + at + 1, (list->count - at) * sizeof(struct chunk *));
}

size_t chunk_list_find(const struct chunk_list *list, int64_t offset)
{
    size_t low = 0;
    size_t high = list->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle]->base <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void chunk_list_deinit(struct chunk_list *list, struct chunk_pool *pool)
{
    chunk_list_drop_last(list, list->count, pool);
    if (list->items != NULL) {
        munmap(list->items, list->capacity * sizeof(struct chunk *));
    }
    memset(list, 0, sizeof *list);
}
