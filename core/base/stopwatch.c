/* SPDX-License-Identifier: MIT */
#include "base/stopwatch.h"

void stopwatch_add(struct stopwatch *watch, int64_t ns)
{
    uint64_t time = ns > 0 ? (uint64_t)ns : 0;
    atomic_fetch_add_explicit(&watch->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&watch->ns, time, memory_order_relaxed);
    uint64_t longest = atomic_load_explicit(&watch->longest_ns, memory_order_relaxed);
    while (time > longest &&
           !atomic_compare_exchange_weak_explicit(&watch->longest_ns, &longest, time,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

struct lap stopwatch_read(const struct stopwatch *watch)
{
    if (watch == NULL) {
        return (struct lap){ .calls = 0 };
    }
    return (struct lap){ atomic_load_explicit(&watch->calls, memory_order_relaxed),
                         atomic_load_explicit(&watch->ns, memory_order_relaxed),
                         atomic_load_explicit(&watch->longest_ns, memory_order_relaxed) };
}
