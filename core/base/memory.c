/* SPDX-License-Identifier: MIT */
/*
 * The heap behind one door, so that tests can count what is taken and make the k-th request fail.
 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Requests until the first that fails; it stays at 1 from then on. 0: none fails. */
static atomic_size_t fail_countdown;
static atomic_size_t allocation_count;

static bool must_fail(void)
{
    /* Relaxed throughout: nothing else is published by these counters. */
    size_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    while (left > 1) {
        if (atomic_compare_exchange_weak_explicit(&fail_countdown, &left, left - 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return false;
        }
    }
    return left == 1;
}

static void *counted(void *memory)
{
    if (memory != NULL) {
        atomic_fetch_add_explicit(&allocation_count, 1, memory_order_relaxed);
    }
    return memory;
}

void *memory_alloc(size_t size)
{
    return must_fail() ? NULL : counted(malloc(size > 0 ? size : 1));
}

void *memory_zeroed(size_t count, size_t size)
{
    if (must_fail() || (size > 0 && count > SIZE_MAX / size)) {
        return NULL;
    }
    return counted(count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1));
}

void *memory_resize(void *memory, size_t size)
{
    return must_fail() ? NULL : counted(realloc(memory, size > 0 ? size : 1));
}

void memory_free(void *memory)
{
    free(memory);
}

void *memory_map(size_t size)
{
    if (must_fail()) {
        return NULL;
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : counted(memory);
}

void memory_unmap(void *memory, size_t size)
{
    if (memory != NULL) {
        munmap(memory, size);
    }
}

void memory_fail_from(size_t k)
{
    atomic_store_explicit(&fail_countdown, k, memory_order_relaxed);
}

size_t memory_count(void)
{
    return atomic_load_explicit(&allocation_count, memory_order_relaxed);
}
