/* SPDX-License-Identifier: MIT */
/*
 * How many bytes each part of a run may hold: by the budget of memory where the file gives one, else of
 * ordinary sizes.
 */
#ifndef ENGINE_LIMITS_H
#define ENGINE_LIMITS_H

#include "pipeline/pipeline.h"

/*
 * read         payloads of a turn
 * ahead        payloads of a batch that may wait until another topic's records have gone first
 * free_roots   memory of batches that are done, kept by a worker for the next ones; by all threads together
 *              for dead letters
 * writer       each buffer of a task's writer, kept between batches
 * queue        batches in the queue of a sink
 * poll         messages of one poll of a source; 0: any
 * pending      uncommitted bytes in the log that call for an early checkpoint, by workers and by sources
 */
struct limits {
    uint64_t read;
    uint64_t ahead;
    uint64_t free_roots;
    uint64_t writer;
    uint64_t queue;
    uint64_t poll;
    uint64_t worker_pending;
    uint64_t source_pending;
};

/* writers: of all tasks together; ahead: batches that may wait, of all too. */
void limits_set(struct limits *limits, const struct pipeline *pipeline, uint32_t workers,
                uint64_t writers, uint64_t ahead);

#endif
