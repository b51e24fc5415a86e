/* SPDX-License-Identifier: MIT */
/*
 * Why a partition is not read: a set of reasons. It is read where the set is empty, and only there, so nothing
 * has to remember what was paused before: whoever puts a reason in takes it out again.
 */
#ifndef ENGINE_PAUSES_H
#define ENGINE_PAUSES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * PAUSE_ABSENT  it is not this process's own. Put in and taken out by the thread that supervises, while everybody
 *               stands
 * PAUSE_ROOM    a sink that its records may reach has no room. By the worker that has the task, who tries again
 *               at each turn
 * PAUSE_ORDER   records of another topic may have to go first, and have not come yet. By the same
 */
enum pause { PAUSE_ABSENT, PAUSE_ROOM, PAUSE_ORDER, PAUSE_COUNT };

/*
 * since_ns  when the reason was put in, monotonic
 * whom      what is waited for; lives as long as the run. NULL: nobody in particular
 * offset    of the message that is to be read next
 */
struct pause_reason {
    atomic_int_fast64_t since_ns;
    _Atomic(const char *) whom;
    atomic_int_fast64_t offset;
};

/* Zeroed: empty. One thread at a time puts in and takes out; any may look. */
struct pauses {
    atomic_uint set; /* bits by reason */
    struct pause_reason reasons[PAUSE_COUNT];
};

/* One that is in keeps its time. */
void pauses_put(struct pauses *pauses, enum pause reason, const char *whom, int64_t offset);
void pauses_lift(struct pauses *pauses, enum pause reason);
/* All are taken out: what held back an earlier owner does not hold back the next. */
void pauses_clear(struct pauses *pauses);

static inline bool pauses_has(const struct pauses *pauses, enum pause reason)
{
    return (atomic_load_explicit(&pauses->set, memory_order_acquire) >> reason & 1u) != 0;
}

static inline bool pauses_is_empty(const struct pauses *pauses)
{
    return atomic_load_explicit(&pauses->set, memory_order_acquire) == 0;
}

#endif
