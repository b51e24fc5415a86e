/* SPDX-License-Identifier: MIT */
/*
 * Records counted at one place; written by the place's own thread, read by anybody. What was counted in an
 * epoch that is dropped is taken back, since it comes again: once more here, or in another process.
 */
#ifndef ENGINE_METER_H
#define ENGINE_METER_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * failed  dropped by on_error
 * kept    what in, out and failed were when the last epoch was committed
 */
struct meter {
    atomic_uint_fast64_t in;
    atomic_uint_fast64_t out;
    atomic_uint_fast64_t failed;
    struct {
        uint64_t in;
        uint64_t out;
        uint64_t failed;
    } kept;
};

static inline void meter_add(atomic_uint_fast64_t *count, uint64_t n)
{
    atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

static inline uint64_t meter_get(const atomic_uint_fast64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

struct engine;

/* The epoch is committed, or dropped: for all meters of a run, and for what its log has told. Everybody stands. */
void meters_keep(struct engine *engine);
void meters_take_back(struct engine *engine);

#endif
