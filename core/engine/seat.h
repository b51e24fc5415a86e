/* SPDX-License-Identifier: MIT */
/*
 * A seat: one instance of a sink with all that is known of it, and the calls into it. The token is what
 * the instance has flushed; whoever takes the records of the same partitions later begins with it. A
 * lane (sink_lane.h) has one seat for all partitions, or one for each. The contract of the calls stands
 * in weir/sink.h; all of them are made on the lane's thread.
 */
#ifndef ENGINE_SEAT_H
#define ENGINE_SEAT_H

#include "base/buffer.h"
#include "engine/order.h"
#include "engine/root.h"
#include "engine/run_faults.h"

struct sink_lane;

/*
 * Where a seat begins.
 *
 * origin    whose records it takes; topic NULL: those of all partitions. The name of the topic is
 *           borrowed, and it is the very name that root batches bear
 * fact_key  where the log keeps its token; copied
 * token     of the last commit; copied
 * is_fresh  what it has published before is removed first
 */
struct seat_start {
    weir_origin origin;
    const char *fact_key;
    weir_slice token;
    bool is_fresh;
};

struct seat {
    struct sink_lane *lane;
    weir_origin origin;
    char *label;               /* "streams.late.to (file)", of one partition "... flights[3]" */
    char *fact_key;            /* "sink/<stream>.<id>": where its token is kept */
    struct instance *instance; /* NULL: the seat is vacant */
    bool is_fresh;
    weir_buffer token; /* of the last flush, or what the log had at the start */
    struct seat *next; /* of the lane */

    /* Of the lane's own thread. */
    bool is_open;         /* only then is it closed */
    bool is_dirty;        /* records were written since the last publish */
    bool is_flushed;      /* and flushed: a commit may know of them */
    bool is_finished;     /* it takes no more records */
    uint32_t flush_flags; /* of the flush under way */
    int64_t tick_ms;      /* when `tick` is due, by the wall clock; INT64_MAX: never */
    struct seat
        *next_taken; /* of those that the thread has been given; before that, of the new ones */
};

/* Makes a seat with its instance. NULL: `error` says why. */
struct seat *seat_create(struct sink_lane *lane, const struct seat_start *start,
                         struct error *error);
/* Its instance is destroyed, not closed. */
void seat_destroy(struct seat *seat);
/* Puts it behind the others of a list by next_taken. */
void seat_append(struct seat **list, struct seat *seat);
/* True: it takes the records of this origin. */
bool seat_takes(const struct seat *seat, const weir_origin *origin);

/* ---- on the lane's thread ---------------------------------------------------------------------- */

/* Removes what was published where the seat is fresh, then opens and publishes. */
void seat_open(struct seat *seat);
/* Releases the root. */
void seat_write(struct seat *seat, struct root *root, struct run run);
void seat_flush(struct seat *seat, uint32_t flags);
void seat_publish(struct seat *seat);
/* Where records have been written whose epoch is given up. */
void seat_discard(struct seat *seat);
void seat_close(struct seat *seat);
/* When `tick` is due, by the sink's clock; INT64_MAX: never. */
int64_t seat_tick_due(const struct seat *seat);
int64_t seat_now_ms(const struct seat *seat);
void seat_tick(struct seat *seat);

#endif
