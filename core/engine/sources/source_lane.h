/* SPDX-License-Identifier: MIT */
/*
 * A source's lane: a thread of its own that polls the source and appends what it brings to the
 * source's topic. It passes the gate between polls, so its position and its topic agree at every
 * checkpoint.
 */
#ifndef ENGINE_SOURCE_LANE_H
#define ENGINE_SOURCE_LANE_H

#include "base/buffer.h"
#include "engine/faults/dead_letters.h"
#include "engine/faults/run_faults.h"
#include "engine/report/timing.h"
#include "engine/tasks/writer.h"

/*
 * How much a poll may bring. A source counts records, so their number follows from the size of those
 * that it has brought.
 *
 * poll_bytes     of one poll, as messages; 0: any
 * pending_limit  uncommitted bytes in the log that call for an early checkpoint
 * records        of the next poll
 */
struct poll_limit {
    uint64_t poll_bytes;
    uint64_t pending_limit;
    uint32_t records;
};

/*
 * position       what the log has of the source: running number (8 bytes, little-endian), then the
 *                source's own bytes
 * description    one line for the summary; empty where the source has none to give
 */
struct source_lane {
    const struct stream *stream;
    const struct pipeline *pipeline;
    const char *fact_key; /* "source/<stream>" */
    struct instance *instance;
    struct call call;
    struct call expression_call; /* for `key` and `event_time` */
    struct arena arena;
    struct writer writer;
    struct meter *meter;
    struct lane_times *times; /* NULL: nobody measures */
    struct gate *gate;
    struct run_faults *faults;
    struct letter_box letters;
    uint32_t batch_size;
    struct poll_limit limit;
    bool is_until_end;

    uint64_t next_number;
    weir_buffer position;
    weir_buffer description;

    struct call_watch watch; /* set while the source or a serializer of its is called */
    pthread_t thread;
    bool has_thread;
    bool was_started;
    bool has_writer;
    atomic_bool is_ending; /* it goes no further than the gate */
};

/* What all source lanes of a run share. */
struct source_lane_parts {
    const struct pipeline *pipeline;
    struct gate *gate;
    struct run_faults *faults;
    struct dead_letters *letters;
    uint32_t batch_size;
    uint64_t poll_bytes;
    uint64_t pending_limit;
    bool is_until_end;
    struct lane_times *times; /* of the one that is made; NULL: nobody measures */
};

/* position: of the last checkpoint, size 0 if there was none; copied. Does not start the thread. */
bool source_lane_init(struct source_lane *lane, const struct source_lane_parts *parts,
                      const struct stream *stream, const char *fact_key, weir_slice position,
                      struct log_topic *log_topic, struct meter *meter, struct error *error);
bool source_lane_start(struct source_lane *lane, struct error *error);
/* After gate_stop. False: the source did not come back in time. */
bool source_lane_join(struct source_lane *lane, int64_t timeout_ms);
void source_lane_deinit(struct source_lane *lane);

#endif
