/* SPDX-License-Identifier: MIT */
#include "engine/tasks/pauses.h"

#include "base/clock.h"

/* The bit comes last, so that who sees it sees the rest of the reason, or that of a later one. */
void pauses_put(struct pauses *pauses, enum pause reason, const char *whom, int64_t offset)
{
    struct pause_reason *at = &pauses->reasons[reason];
    bool is_new = !pauses_has(pauses, reason);
    if (is_new) {
        atomic_store_explicit(&at->since_ns, clock_monotonic_ns(), memory_order_relaxed);
    }
    atomic_store_explicit(&at->whom, whom, memory_order_relaxed);
    atomic_store_explicit(&at->offset, offset, memory_order_relaxed);
    if (is_new) {
        atomic_fetch_or_explicit(&pauses->set, 1u << reason, memory_order_release);
    }
}

/* Most turns find nothing to take out, and write nothing. */
void pauses_lift(struct pauses *pauses, enum pause reason)
{
    if (pauses_has(pauses, reason)) {
        atomic_fetch_and_explicit(&pauses->set, ~(1u << reason), memory_order_release);
    }
}

void pauses_clear(struct pauses *pauses)
{
    atomic_store_explicit(&pauses->set, 0, memory_order_release);
}
