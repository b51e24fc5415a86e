/* SPDX-License-Identifier: MIT */
/*
 * Everything that one run holds. Built by setup.c, moved by engine.c, told by report/report.c.
 */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "engine/engine.h"
#include "engine/faults/stalls.h"
#include "engine/faults/watch.h"
#include "engine/limits.h"
#include "engine/sources/source_lane.h"
#include "engine/tasks/worker.h"

/* A fact that the next checkpoint writes or removes once. */
struct fact_change {
    struct fact_change *next;
    struct log_fact fact;
};

struct dry_run;

struct engine {
    struct dry_run
        *dry; /* a run that only looks, and goes on behind faults; NULL: it is one in earnest */
    struct pipeline *pipeline;
    const struct engine_options *options;
    struct arena arena;
    struct gate gate;
    struct run_faults faults;

    struct log *log;
    const char *log_name;          /* its URL, for people */
    struct log_topic **log_topics; /* by index of the pipeline's topics */
    uint32_t *partitions;          /* by the same index: that the topic has, or is made with */
    uint32_t default_partitions;   /* of a topic of which nobody says it; 0: not asked yet */
    bool *is_left_out; /* by the same: behind a step, and records need not go through it */
    struct plan *plan;
    struct meter *meters;        /* by node of the plan */
    struct meter *source_meters; /* by source lane */
    uint64_t kept_arrivals;      /* the pool's, when the last epoch was committed */
    struct timing *timing;       /* NULL: nobody measures */
    struct checkpoint_times checkpoint_times;

    bool has_seats_by_partition;     /* partitions move, so each has seats of its own: seating.h */
    struct sink_lane **lanes_by_end; /* NULL where the end is a topic */
    struct sink_lane *lanes;
    uint32_t lane_count;
    struct source_lane *sources;
    uint32_t source_count;    /* 0: another process runs them */
    uint32_t watched_sources; /* those whose places are watched */
    bool leads;               /* this process is to run the sources */
    bool has_started;         /* threads run */
    struct limits limits;
    struct dead_letters letters;
    struct task_parts parts;
    struct worker_pool pool;
    struct watch watch; /* over all threads that call plugins */
    struct stalls stalls;

    struct fact_change *changes; /* of names, since the start; none after the first checkpoint */
    size_t change_count;
    uint64_t sequence; /* of the source records at the last checkpoint */
    uint64_t checkpoints;
    uint32_t put_offs; /* checkpoints since the last one that were begun, and a sink was stuck */
    int64_t started_ns;
    int64_t checkpoint_ns;          /* when the last one was made */
    bool is_stopped_early;          /* before the start: there was nothing to lose */
    bool is_committing;             /* begun, and not yet known to all sinks: it may be durable */
    int64_t tidy_ns;                /* when the log is next asked to remove what it need not keep */
    bool lacks_positions;           /* until a checkpoint the log does not know what is unread */
    bool is_dropped;                /* the epoch was, and sources do not know yet */
    bool is_over;                   /* the last checkpoint is made */
    int64_t ending_ns;              /* when a run that is to stop began to make it; 0: not yet */
    uint64_t drops;                 /* of epochs */
    atomic_int_fast64_t stopped_ns; /* when it was first seen that the run is to stop */
    int64_t looked_ns;              /* when the thread that supervises has looked last */
    int64_t changed_ns;             /* when partitions came or went last */
    bool has_told_waiting;          /* that none has come yet */
    bool has_told_standby;          /* that others have all of them */
    bool is_abandoned;
};

/* Tells whom others wait for. To be called from time to time by the thread that supervises. */
void engine_look(struct engine *engine);

#endif
