/* SPDX-License-Identifier: MIT */
/*
 * Partitions of which nothing comes although there is more, or that are held back for long: "alive but doing
 * nothing". Others find them and know why (stall_search.h); here they are told, each once, then at growing
 * distances, and when it goes on; and kept for the summary. Those of one topic with one reason share a line.
 */
#ifndef ENGINE_STALLS_H
#define ENGINE_STALLS_H

#include "log/log.h"

enum { STALL_WHY_ROOM = 400 };

/* Who has found it: each has a story of its own to tell of a partition. */
enum stall_kind { STALL_OF_LOG, STALL_OF_PAUSE };

/*
 * A partition that was told at least once.
 *
 * topic     NULL: all that have come
 * offset    of the message that is to come next
 * since_ns  of the stall under way, or the last one
 * told_ns   how long it had lasted when it was told; 0: none is under way
 * past_ns   how long those before have lasted, together
 * is_seen   at the last look
 * is_due    there is something to tell of it now
 */
struct stall {
    struct stall *next;
    enum stall_kind kind;
    const struct log_topic *topic;
    uint32_t partition;
    int64_t offset;
    int64_t since_ns;
    int64_t told_ns;
    int64_t past_ns;
    bool is_seen;
    bool is_due;
    char why[STALL_WHY_ROOM];
};

struct stalls {
    struct stall *list;
    int64_t patience_ms;
    int64_t looked_ns;
};

void stalls_init(struct stalls *stalls);
/* It is time to look again: about once a second. */
bool stalls_are_due(struct stalls *stalls, int64_t now_ns);
/*
 * What one look has found. To be called by the thread that supervises.
 *
 * found  all of this kind that stand still, and with why NULL those that go on; of a topic in the order of
 *        partitions
 * arena  of what is kept for the summary; grows by what is told for the first time
 */
void stalls_take(struct stalls *stalls, enum stall_kind kind, const struct log_stall *found,
                 size_t count, int64_t now_ns, struct arena *arena);
/* How long the partition has stood still, all in all. */
int64_t stall_time(const struct stall *stall, int64_t now_ns);

#endif
