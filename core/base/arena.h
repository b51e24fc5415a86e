/* SPDX-License-Identifier: MIT */
/*
 * A bump allocator with one lifetime. Not thread-safe; may be handed from thread to thread.
 *
 * `next` and `end` are open so that a plugin's context can bump them (see plugin/call.h). Under
 * ASan every allocation stands apart and what is reset is poisoned.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    uint8_t *next;
    uint8_t *end;
    struct arena_chunk *chunks; /* in use, newest first */
    struct arena_chunk *spare;  /* kept by reset for reuse */
    size_t chunk_size;
};

/* chunk_size  bytes asked from the heap at a time; 0 = 64 KiB. Allocates nothing. */
void arena_init(struct arena *arena, size_t chunk_size);
/* A zeroed arena is allowed. */
void arena_deinit(struct arena *arena);
/*
 * Forgets every allocation. Keeps ordinary chunks for reuse, and an oversized one as long as every
 * round between two resets needs it: a steady load never goes to the heap.
 */
void arena_reset(struct arena *arena);
/* Aligned to 16, uninitialised. NULL: no memory. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_zeroed(struct arena *arena, size_t size);
/* A copy of the bytes, with a NUL behind it. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Bytes held from the heap, for tests and metrics. */
size_t arena_footprint(const struct arena *arena);

#endif
