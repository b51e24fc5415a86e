/* SPDX-License-Identifier: MIT */
/*
 * Time that something takes, call by call. Where nobody wants to know, there is no stopwatch: a start
 * and a stop of NULL are one branch each.
 */
#ifndef BASE_STOPWATCH_H
#define BASE_STOPWATCH_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/clock.h"

/* May be used by several threads at once. */
struct stopwatch {
    atomic_uint_fast64_t calls;
    atomic_uint_fast64_t ns; /* of all calls */
    atomic_uint_fast64_t longest_ns;
};

/* What it has shown when it was read. */
struct lap {
    uint64_t calls;
    uint64_t ns;
    uint64_t longest_ns;
};

void stopwatch_add(struct stopwatch *watch, int64_t ns);
struct lap stopwatch_read(const struct stopwatch *watch); /* all 0 of NULL */

static inline int64_t stopwatch_start(const struct stopwatch *watch)
{
    return watch == NULL ? 0 : clock_monotonic_ns();
}

static inline void stopwatch_stop(struct stopwatch *watch, int64_t start_ns)
{
    if (watch != NULL) {
        stopwatch_add(watch, clock_monotonic_ns() - start_ns);
    }
}

#endif
