/* SPDX-License-Identifier: MIT */
/*
 * Runs a pipeline: from the log through the graph to its ends, with checkpoints, until told to stop.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/stopwatch.h"
#include "log/log.h"
#include "pipeline/pipeline.h"

/*
 * log                     an open log to use, which stays open; NULL: it is opened by its URL
 * log_url                 overrides the file's; NULL: the file's
 * folder                  what a relative log_url hangs on
 * checkpoint_interval_ms  overrides the file's; < 0: the file's
 * threads                 workers; < 0: the file's, 0: the cores
 * batch_size              most messages handled together; 0: 1024
 * count                   stop when so many records have arrived at ends; 0: never
 * timeout_ms              stop when no record came for so long; 0: never
 * is_until_end            stop when all sources have ended and all is processed
 * is_fresh                forget positions and results of earlier runs first
 * is_timed                measure where the time goes, for the report's timing
 * has_seats_by_partition  sinks get an instance for each partition of the input, as on a log whose
 *                         partitions move; for tests
 * stop                    becomes > 0 when the run is to stop with a checkpoint; may be NULL
 * progress                called about twice a second on the caller's thread; may be NULL
 */
struct engine_progress {
    uint64_t records_in;
    uint64_t records_out;
    double seconds;
};

struct engine_options {
    struct log *log;
    const char *log_url;
    const char *folder;
    int64_t checkpoint_interval_ms;
    int64_t threads;
    uint32_t batch_size;
    int64_t count;
    int64_t timeout_ms;
    bool is_until_end;
    bool is_fresh;
    bool is_timed;
    bool has_seats_by_partition;
    const atomic_int *stop;
    void (*progress)(void *self, const struct engine_progress *progress);
    void *self;
};

/* What one source has done. Texts are in the report's arena. */
struct report_source {
    const char *label;
    const char *stream;
    uint64_t records;
    uint64_t failed;
    const char *description; /* "nothing new in 'flights.jsonl'"; may be empty */
};

/*
 * What has come to one end.
 *
 * taken    records that entered its stream
 * dropped  filtered out on the stream's steps
 * failed   dropped by on_error, on the steps and at the end
 * arrived  records at the end
 */
struct report_end {
    const char *label;
    const char *target; /* "topic 'late'", "file" */
    uint64_t taken;
    uint64_t dropped;
    uint64_t failed;
    uint64_t arrived;
    const char *location; /* where the results lie; may be empty */
};

/* Where on_error has dropped records. */
struct report_drop {
    const char *label;
    enum on_error on_error; /* skip or dead_letter */
    uint64_t count;
    const char *first; /* "flights[0]@1: field 'delay' is missing" */
};

/* Offsets of a topic that the log had removed before they were read. */
struct report_loss {
    const char *topic;
    uint64_t offsets;
};

/*
 * A partition of which nothing came for long although the log had more.
 *
 * topic    NULL: none of those that came to this process could be begun
 * offset   of the message that was to come next
 * is_over  it goes on
 * why      what was told last of it
 */
struct report_stall {
    const char *topic;
    uint32_t partition;
    int64_t offset;
    double seconds; /* all in all */
    bool is_over;
    const char *why;
};

/*
 * What one node of the plan has done: a step, or a part of weir that decodes or encodes. What is filtered
 * out is `dropped`. time: of the plugin's calls.
 */
struct report_node {
    uint64_t in;
    uint64_t out;
    uint64_t dropped;
    uint64_t failed;
    struct lap time;
};

struct report_slot {
    const char *name; /* "write" */
    struct lap time;
};

/*
 * What the lane of a source or a sink has spent.
 *
 * slots         calls of the plugin by name, the others together as "other"; of a source also "encode"
 *               and "append" of the lane itself
 * full          sinks: how often and how long tasks waited for room in the queue
 * retries       sinks: the waits before further attempts
 * highest_fill  sinks: batches in the queue
 */
struct report_lane {
    const char *label;
    uint64_t records;
    struct report_slot slots[6];
    uint32_t slot_count;
    struct lap full;
    struct lap retries;
    uint32_t highest_fill;
};

/*
 * Where the time went.
 *
 * turns   of the workers, with nodes, read and append
 * read    from the log by the workers
 * append  to the log by the workers
 * steps   of checkpoints: gate, flush, commit, publish; they are a part of `checkpoints`
 */
struct report_timing {
    uint32_t worker_count;
    struct lap turns;
    struct lap read;
    struct lap append;
    struct report_node *nodes; /* by node of the plan */
    struct report_lane *sources;
    size_t source_count;
    struct report_lane *sinks;
    size_t sink_count;
    uint32_t queue_size; /* batches that a sink's queue takes */
    struct lap checkpoints;
    struct report_slot steps[4];
};

struct engine_report {
    struct arena arena;
    struct report_source *sources;
    size_t source_count;
    struct report_end *ends;
    size_t end_count;
    struct report_drop *drops;
    size_t drop_count;
    struct report_loss *losses;
    size_t loss_count;
    struct report_stall *stalls;
    size_t stall_count;
    struct report_end letters; /* label NULL: there were none */
    uint64_t records_in;
    uint64_t records_out;
    uint64_t failed;
    double seconds; /* from the first start to the last checkpoint */
    uint64_t checkpoints;
    struct report_timing *timing; /* NULL: nobody has measured */
    bool is_abandoned; /* a plugin did not come back: the process must end without clean-up */
};

/* Blocks until the run has ended. `report` is filled in any case; give it back to report_deinit. */
weir_status engine_run(struct pipeline *pipeline, const struct engine_options *options,
                       struct engine_report *report, struct error *error);
void report_deinit(struct engine_report *report);

#endif
