/* SPDX-License-Identifier: MIT */
/*
 * Plugins that do not come back from a call: found by looking from time to time whether a thread is still
 * in the call that it was in the last time, and named in the log, again at growing distances. Costs the
 * threads nothing but the note of what they call.
 */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include "base/arena.h"
#include "plugin/call.h"

/*
 * A thread.
 *
 * seen      number of its call at the last look
 * since_ns  when it was seen there first
 * told_ns   how long it had been there when it was named; 0: it was not
 * label     whom the log has named
 */
struct watched {
    struct call_watch *watch;
    uint64_t seen;
    int64_t since_ns;
    int64_t told_ns;
    const char *label;
};

struct watch {
    struct watched *list;
    uint32_t count;
    uint32_t capacity;
    int64_t patience_ns; /* before somebody is named */
};

/* False: no memory for so many. */
bool watch_init(struct watch *watch, struct arena *arena, uint32_t capacity);
void watch_add(struct watch *watch, struct call_watch *thread);
/* now_ns: monotonic. */
void watch_look(struct watch *watch, int64_t now_ns);
/* How long the thread has been in its call, as far as looks can tell; 0: in none. */
int64_t watch_time(const struct watch *watch, const struct call_watch *thread, int64_t now_ns);

#endif
