/* SPDX-License-Identifier: MIT */
/*
 * Where a run's time goes: the stopwatches of one run, and who holds which. Only a run that is asked to
 * has them; every other one has NULL in their places.
 */
#ifndef ENGINE_TIMING_H
#define ENGINE_TIMING_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/stopwatch.h"

enum { SLOT_TIMES = 3 }; /* those of a source or a sink that are told by name */

struct slot_time {
    const char *slot; /* "write" */
    struct stopwatch watch;
};

/* Of a source's or a sink's lane. */
struct lane_times {
    struct slot_time slots[SLOT_TIMES]; /* unused ones have no name */
    struct stopwatch rest;              /* all other calls */
    struct stopwatch encode;            /* sources: serializers of the topic */
    struct stopwatch append;            /* sources: into the log */
    struct stopwatch full;              /* sinks: while tasks waited for room in the queue */
    struct stopwatch retries;           /* sinks: until the next attempt */
    uint32_t highest_fill;              /* sinks: batches in the queue; under the lane's lock */
};

/*
 * nodes    by node of the plan: the plugin's calls; of an input and a write those of the serializers,
 *          of an end the expressions that choose topic and key
 * read     from the log by workers
 * append   to the log by workers
 * turns    of workers, with all of the above
 * sinks    by sink lane
 * sources  by source lane
 */
struct timing {
    struct stopwatch *nodes;
    struct stopwatch read;
    struct stopwatch append;
    struct stopwatch turns;
    struct lane_times *sinks;
    struct lane_times *sources;
};

/* The parts of checkpoints. They are few, so these run always. */
struct checkpoint_times {
    struct stopwatch whole;
    struct stopwatch gate; /* until everybody stands */
    struct stopwatch flush;
    struct stopwatch commit;
    struct stopwatch publish;
};

/* In the arena. NULL: no memory. */
struct timing *timing_create(struct arena *arena, uint32_t nodes, uint32_t sinks, uint32_t sources);
/* The stopwatch of a node; NULL where nothing is measured. */
static inline struct stopwatch *timing_node(struct timing *timing, uint32_t node)
{
    return timing == NULL ? NULL : &timing->nodes[node];
}
/* The stopwatch of a plugin's slot. */
struct stopwatch *lane_times_slot(struct lane_times *times, const char *slot);

#endif
