/* SPDX-License-Identifier: MIT */
/*
 * A seat: one instance of a sink with all that is known of it, and the calls into it. The token is what
 * the instance has flushed; whoever takes the records of the same partitions later begins with it. A
 * lane (sink_lane.h) has one seat for all partitions, or one for each. The contract of the calls stands
 * in weir/sink.h; all of them but create, assign and destroy are made on the lane's thread.
 *
 * The seat of a partition that has gone stays, vacant: it may come again.
 */
#ifndef ENGINE_SEAT_H
#define ENGINE_SEAT_H

#include "base/buffer.h"
#include "engine/faults/run_faults.h"
#include "engine/tasks/order.h"
#include "engine/tasks/root.h"

struct sink_lane;

/*
 * Where a seat begins.
 *
 * origin       whose records it takes; topic NULL: those of all partitions
 * shown_as     what the sink sees as their origin; topic NULL: that of the records
 * log_topic    its facts belong to that partition; NULL: to the whole group
 * token_key    where the log keeps its token; NULL: it has none
 * letters_key  where the log keeps how many letters it was given; NULL: it is given none
 * token        of the last commit
 * letters      of the last commit
 * is_fresh     what it has published before is removed first
 *
 * Everything is copied.
 */
struct seat_start {
    weir_origin origin;
    weir_origin shown_as;
    struct log_topic *log_topic;
    const char *token_key;
    const char *letters_key;
    weir_slice token;
    int64_t letters;
    bool is_fresh;
};

/* What the last commit knows of a seat, or the next one is to know. */
struct seat_state {
    weir_buffer token;
    int64_t letters; /* that it was given: they number the next ones */
};

struct seat {
    struct sink_lane *lane;
    struct arena names; /* what follows, up to the keys */
    weir_origin origin;
    weir_origin shown_as;
    const char *label; /* "streams.late.to (file)", of one partition "... flights[3]" */
    struct log_topic *log_topic;
    const char *token_key;
    const char *letters_key;
    struct instance *instance; /* NULL: the seat is vacant */
    bool is_fresh;
    bool is_beginning;   /* with what the log has told of its partition, and is not open yet */
    bool is_leaving;     /* the next flush is its last one; it is closed and vacated */
    atomic_bool is_lost; /* its partition is another's already: nothing more is written */
    struct seat *next;   /* of the lane */

    /* Of the lane's own thread; of others while the lane is idle. */
    struct seat_state now;       /* after the last flush, or what the log had at the start */
    struct seat_state committed; /* where it begins again when an epoch is dropped */
    bool is_open;                /* only then is it closed */
    bool is_dirty;               /* records were written since the last publish */
    bool is_flushed;             /* and flushed: a commit may know of them */
    bool is_committed;           /* one does, and they are not published yet */
    bool is_finished;            /* it takes no more records */
    uint32_t flush_flags;        /* of the flush under way */
    int64_t tick_ms;             /* when `tick` is due, by the wall clock; INT64_MAX: never */
    struct seat
        *next_taken; /* of those that the thread has been given; before that, of the new ones */
};

/* Makes a vacant seat. NULL: `error` says why. */
struct seat *seat_create(struct sink_lane *lane, const struct seat_start *start,
                         struct error *error);
/* Its instance is destroyed, not closed. */
void seat_destroy(struct seat *seat);
/* Makes the instance of a vacant seat, which begins with this state. */
bool seat_take(struct seat *seat, const struct seat_start *start, struct error *error);
/* Destroys the instance, which is closed. */
void seat_vacate(struct seat *seat);
/* Another instance, which begins at the last commit. The old one is closed. */
bool seat_renew(struct seat *seat, struct error *error);
/* Puts it behind the others of a list by next_taken. */
void seat_append(struct seat **list, struct seat *seat);
/* True: it takes the records of this origin. */
bool seat_takes(const struct seat *seat, const weir_origin *origin);
/* What was flushed is committed. While the lane has nothing to do. */
void seat_commit(struct seat *seat);

/* ---- on the lane's thread ---------------------------------------------------------------------- */

/*
 * Removes what was published where the seat is fresh, then opens and publishes. Where what the token names is
 * not there, and the log has told the token of its partition, that is the lane's refusal and no fault of the
 * run: it may be a token of before.
 */
void seat_open(struct seat *seat);
void seat_write(struct seat *seat, struct root *root, struct run run);
void seat_flush(struct seat *seat, uint32_t flags);
void seat_publish(struct seat *seat);
/* Where records have been written whose epoch is given up, and not what is committed. */
void seat_discard(struct seat *seat);
void seat_close(struct seat *seat);
/* When `tick` is due, by the sink's clock; INT64_MAX: never. */
int64_t seat_tick_due(const struct seat *seat);
void seat_tick(struct seat *seat);

#endif
