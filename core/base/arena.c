/* SPDX-License-Identifier: MIT */
/*
 * Chunks in two lists: those in use (the head is the one being bumped) and spare ones.
 *
 * A request that fits no ordinary chunk gets one of its own behind the head, so that the room left
 * in the head is not lost. Chunks of 1 MiB and more are mapped: they live long, and the heap would
 * be cut up by them. Under ASan free room is poisoned and a red zone follows every allocation.
 */
#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define ARENA_ASAN 1
# endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(ARENA_ASAN)
# define ARENA_ASAN 1
#endif

#if defined(ARENA_ASAN)
# include <sanitizer/asan_interface.h>
enum { RED_ZONE = 32 };
# define POISON(from, size)   __asan_poison_memory_region((from), (size))
# define UNPOISON(from, size) __asan_unpoison_memory_region((from), (size))
#else
enum { RED_ZONE = 0 };
# define POISON(from, size)   ((void)(from), (void)(size))
# define UNPOISON(from, size) ((void)(from), (void)(size))
#endif

enum { DEFAULT_CHUNK = 64 * 1024, MAPPED_FROM = 1024 * 1024, ALIGNMENT = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of the whole block, with this header */
};

_Static_assert(sizeof(struct arena_chunk) % ALIGNMENT == 0, "room behind the header is aligned");

static uint8_t *chunk_room(struct arena_chunk *chunk)
{
    return (uint8_t *)(chunk + 1);
}

static size_t chunk_capacity(const struct arena_chunk *chunk)
{
    return chunk->size - sizeof *chunk;
}

static struct arena_chunk *chunk_create(size_t size)
{
    struct arena_chunk *chunk = size >= MAPPED_FROM ? memory_map(size) : memory_alloc(size);
    if (chunk != NULL) {
        chunk->next = NULL;
        chunk->size = size;
        POISON(chunk_room(chunk), chunk_capacity(chunk));
    }
    return chunk;
}

static void chunk_destroy(struct arena_chunk *chunk)
{
    UNPOISON(chunk_room(chunk), chunk_capacity(chunk));
    if (chunk->size >= MAPPED_FROM) {
        memory_unmap(chunk, chunk->size);
    } else {
        memory_free(chunk);
    }
}

static void destroy_list(struct arena_chunk *list)
{
    while (list != NULL) {
        struct arena_chunk *next = list->next;
        chunk_destroy(list);
        list = next;
    }
}

void arena_init(struct arena *arena, size_t chunk_size)
{
    enum { SMALLEST = 256 };
    size_t size = chunk_size == 0 ? DEFAULT_CHUNK : chunk_size;
    size = size < SMALLEST ? SMALLEST : size & ~(size_t)(ALIGNMENT - 1);
    *arena = (struct arena){ .chunk_size = size };
}

void arena_deinit(struct arena *arena)
{
    destroy_list(arena->chunks);
    destroy_list(arena->spare);
    *arena = (struct arena){ .chunk_size = arena->chunk_size };
}

/* Oversized chunks that the round now ending had no use for. */
static void drop_idle_oversized(struct arena *arena)
{
    struct arena_chunk **link = &arena->spare;
    while (*link != NULL) {
        struct arena_chunk *chunk = *link;
        if (chunk->size > arena->chunk_size) {
            *link = chunk->next;
            chunk_destroy(chunk);
        } else {
            link = &chunk->next;
        }
    }
}

void arena_reset(struct arena *arena)
{
    drop_idle_oversized(arena);
    while (arena->chunks != NULL) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        POISON(chunk_room(chunk), chunk_capacity(chunk));
        chunk->next = arena->spare;
        arena->spare = chunk;
    }
    arena->next = NULL;
    arena->end = NULL;
}

/* Takes the smallest spare chunk that has the room; ordinary requests leave oversized ones alone.
 */
static struct arena_chunk *take_spare(struct arena *arena, size_t size)
{
    struct arena_chunk **best = NULL;
    for (struct arena_chunk **link = &arena->spare; *link != NULL; link = &(*link)->next) {
        if ((*link)->size >= size && (best == NULL || (*link)->size < (*best)->size)) {
            best = link;
            if ((*link)->size == size) {
                break;
            }
        }
    }
    if (best == NULL || (size <= arena->chunk_size && (*best)->size > arena->chunk_size)) {
        return NULL;
    }
    struct arena_chunk *chunk = *best;
    *best = chunk->next;
    return chunk;
}

static struct arena_chunk *obtain_chunk(struct arena *arena, size_t size)
{
    struct arena_chunk *chunk = take_spare(arena, size);
    return chunk != NULL ? chunk : chunk_create(size);
}

static void *alloc_oversized(struct arena *arena, size_t size, size_t span)
{
    struct arena_chunk *chunk = obtain_chunk(arena, span + sizeof *chunk);
    if (chunk == NULL) {
        return NULL;
    }
    struct arena_chunk **place = arena->chunks == NULL ? &arena->chunks : &arena->chunks->next;
    chunk->next = *place;
    *place = chunk;
    UNPOISON(chunk_room(chunk), size);
    return chunk_room(chunk);
}

static bool open_chunk(struct arena *arena)
{
    struct arena_chunk *chunk = obtain_chunk(arena, arena->chunk_size);
    if (chunk == NULL) {
        return false;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->next = chunk_room(chunk);
    arena->end = chunk_room(chunk) + chunk_capacity(chunk);
    return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size_t taken = size > 0 ? size : 1;
    size_t span = ((taken + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1)) + RED_ZONE;
    if (span < size || span > SIZE_MAX / 2) {
        return NULL;
    }
    if (span > (size_t)(arena->end - arena->next)) {
        if (span > arena->chunk_size - sizeof(struct arena_chunk)) {
            return alloc_oversized(arena, size, span);
        }
        if (!open_chunk(arena)) {
            return NULL;
        }
    }
    void *memory = arena->next;
    arena->next += span;
    UNPOISON(memory, size);
    return memory;
}

void *arena_zeroed(struct arena *arena, size_t size)
{
    void *memory = arena_alloc(arena, size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    char *copy = size < SIZE_MAX ? arena_alloc(arena, size + 1) : NULL;
    if (copy != NULL) {
        if (size > 0) {
            memcpy(copy, bytes, size);
        }
        copy[size] = '\0';
    }
    return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? arena_alloc(arena, (size_t)length + 1) : NULL;
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, args);
    }
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

size_t arena_footprint(const struct arena *arena)
{
    size_t total = 0;
    for (const struct arena_chunk *chunk = arena->chunks; chunk != NULL; chunk = chunk->next) {
        total += chunk->size;
    }
    for (const struct arena_chunk *chunk = arena->spare; chunk != NULL; chunk = chunk->next) {
        total += chunk->size;
    }
    return total;
}
