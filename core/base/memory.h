/* SPDX-License-Identifier: MIT */
/*
 * The only door to the heap. Tests count and fail allocations here.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* Uninitialised memory; NULL: none. size 0 gives a pointer that may be freed. Thread: any. */
void *memory_alloc(size_t size);
/* The same, zeroed; NULL too where count * size overflows. */
void *memory_zeroed(size_t count, size_t size);
/* Grows or shrinks; on failure the old block stays as it is. */
void *memory_resize(void *memory, size_t size);
/* NULL is allowed. */
void memory_free(void *memory);

/* Whole pages, zeroed, from the kernel: for large blocks that live long. NULL: none. */
void *memory_map(size_t size);
/* size: that of the map. NULL is allowed. */
void memory_unmap(void *memory, size_t size);

/* Makes every allocation from the k-th on (1 = the next) return NULL; 0 = never. For tests. */
void memory_fail_from(size_t k);
/* How many allocations have succeeded so far (resizes and maps included). For tests. */
size_t memory_count(void);

#endif
