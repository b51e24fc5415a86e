/* SPDX-License-Identifier: MIT */
/*
 * Partitions of which nothing comes although the log has more: "alive but doing nothing". The log finds them
 * and knows why; here they are told, each once, then at growing distances, and when it goes on; and kept for the
 * summary.
 */
#ifndef ENGINE_STALLS_H
#define ENGINE_STALLS_H

#include "log/log.h"

enum { STALL_WHY_ROOM = 400 };

/*
 * A partition that was told at least once.
 *
 * topic     NULL: all that have come
 * offset    of the message that is to come next
 * since_ns  of the stall under way, or the last one
 * told_ns   how long it had lasted when it was told; 0: none is under way
 * past_ns   how long those before have lasted, together
 */
struct stall {
    struct stall *next;
    const struct log_topic *topic;
    uint32_t partition;
    int64_t offset;
    int64_t since_ns;
    int64_t told_ns;
    int64_t past_ns;
    bool is_seen; /* at the last look */
    char why[STALL_WHY_ROOM];
};

struct stalls {
    struct stall *list;
    int64_t patience_ms;
    int64_t looked_ns;
};

void stalls_init(struct stalls *stalls);
/*
 * Asks the log, about once a second. To be called by the thread that supervises.
 *
 * epoch_ms  how long results stay uncommitted
 * arena     of what is kept for the summary; grows by what is told for the first time
 */
void stalls_look(struct stalls *stalls, struct log *log, int64_t now_ns, int64_t epoch_ms,
                 struct arena *arena);
/* How long the partition has stood still, all in all. */
int64_t stall_time(const struct stall *stall, int64_t now_ns);

#endif
