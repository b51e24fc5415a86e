/* SPDX-License-Identifier: MIT */
/*
 * The program's own malloc family: counts over all threads, then does what the C library's does.
 */
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "engine_bench.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static atomic_uint_fast64_t allocations;

static void count(void)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count();
    return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    count();
    return __libc_realloc(memory, size);
}

uint64_t bench_allocations(void)
{
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}
