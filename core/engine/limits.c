/* SPDX-License-Identifier: MIT */
#include "engine/limits.h"

#include "pipeline/memory_split.h"

#define MIB (UINT64_C(1) << 20)
/* What a payload becomes on its way through the graph: values, records, entries, messages; and, where all of
 * it may fail, letters. */
enum { GROWTH = 8, LETTER_GROWTH = 8, LEAST_READ = 64 * 1024, LEAST_KEPT = 4096 };

static uint64_t between(uint64_t least, uint64_t wanted, uint64_t most)
{
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* Of each batch that is read ahead. total: payloads of all of them. */
static uint64_t ahead_of(const struct limits *limits, uint64_t total, uint64_t batches)
{
    return between(LEAST_KEPT, total / (batches > 0 ? batches : 1), limits->read);
}

void limits_set(struct limits *limits, const struct pipeline *pipeline, uint32_t workers,
                uint64_t writers, uint64_t ahead)
{
    *limits = (struct limits){ .read = MIB,
                               .free_roots = UINT64_MAX,
                               .writer = UINT64_MAX,
                               .queue = UINT64_MAX,
                               .worker_pending = 64 * MIB,
                               .source_pending = 32 * MIB };
    limits->ahead = ahead_of(limits, 32 * MIB, ahead);
    if (pipeline->memory_bytes == 0) {
        return;
    }
    struct memory_split split;
    memory_split(pipeline, &split);
    uint32_t sinks = split.sink_count > 0 ? split.sink_count : 1;
    uint32_t sources = split.source_count > 0 ? split.source_count : 1;
    bool has_letters = pipeline->dead_letters != NULL;
    uint64_t growth = has_letters ? GROWTH + LETTER_GROWTH : GROWTH;
    uint32_t holders = (workers > 0 ? workers : 1) + (has_letters ? 1 : 0);
    uint64_t worker = split.batches / 2 / holders;
    limits->read = between(LEAST_READ, worker / growth, MIB);
    limits->ahead = ahead_of(limits, split.batches / 8 / growth, ahead);
    limits->free_roots = worker;
    limits->writer = between(LEAST_KEPT, split.batches / 16 / (writers > 0 ? writers : 1), MIB);
    limits->queue = split.batches / 2 / sinks;
    limits->poll = split.sources / sources / growth;
    limits->worker_pending = split.uncommitted;
    limits->source_pending = split.uncommitted / 2;
}
