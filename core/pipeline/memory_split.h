/* SPDX-License-Identifier: MIT */
/*
 * One budget of memory (`memory: 512MiB`) split over those who hold records. It is kept whatever the
 * number of partitions; that of sources and sinks decides the least that works.
 */
#ifndef PIPELINE_MEMORY_SPLIT_H
#define PIPELINE_MEMORY_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipeline;

/*
 * All in bytes; all 0 where no budget is given: each then has its own size.
 *
 * log_cache     blocks of the log's tables
 * memtables     of the log, together
 * chunks        of the log in memory: read ahead, free, looked into by batches; each of the three
 * uncommitted   messages that call for a checkpoint; the commit holds them three times
 * batches       records on their way through the graph and in the queues of sinks
 * sources       what sources have brought and is not yet in the log
 */
struct memory_split {
    uint64_t log_cache;
    uint64_t memtables;
    uint64_t chunks;
    uint64_t uncommitted;
    uint64_t batches;
    uint64_t sources;
    uint32_t source_count;
    uint32_t sink_count;
};

enum { COMMIT_COPIES = 3 };

void memory_split(const struct pipeline *pipeline, struct memory_split *ret_split);
/* The least budget that this pipeline can work with. */
uint64_t memory_least(const struct pipeline *pipeline);

#endif
