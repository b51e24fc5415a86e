/* SPDX-License-Identifier: MIT */
/*
 * Everything that one run holds. Built by setup.c, moved by engine.c, told by report.c.
 */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "engine/engine.h"
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
    uint64_t drops;                 /* of epochs */
    atomic_int_fast64_t stopped_ns; /* when it was first seen that the run is to stop */
    int64_t looked_ns;              /* when the thread that supervises has looked last */
    int64_t changed_ns;             /* when partitions came or went last */
    bool has_told_waiting;          /* that none has come yet */
    bool is_abandoned;
};

/*
 * Whether a start goes on that has met a fault: only one that is to tell all of them does, and then the fault is
 * noted and `error` empty again. is_right: there was none.
 */
bool start_goes_on(struct engine *engine, bool is_right, struct place place, struct error *error);
/* Finds the pipeline's topics in the log, and what others are to be. */
bool find_topics(struct engine *engine, struct error *error);
/* Whether those that come to one step go together; the plan is there. */
bool match_topics(struct engine *engine, struct error *error);
/* Those whose records come to a topic, as far as they are in the log; in the engine's arena. */
bool topic_models(struct engine *engine, const struct topic *topic, struct log_models *ret_models,
                  struct error *error);
/* Makes those that are not there; the plan is. */
bool open_topics(struct engine *engine, struct error *error);
/* Opens the log, finds topics and makes the plan. */
bool setup_look(struct engine *engine, enum log_mode mode, struct error *error);
/* Opens the log and builds all of it; threads of sinks run, worker and sources do not yet. */
bool setup_engine(struct engine *engine, struct error *error);
/*
 * Ends the threads and closes sinks and sources; is_given_up: what was done since the last checkpoint is
 * not committed. False where one of them did not come back (then
 * is_abandoned) or a close failed: `error` says what.
 */
bool stop_engine(struct engine *engine, bool is_given_up, int64_t timeout_ms, struct error *error);
/* Ends the sinks' lanes, then frees all; or nothing where somebody did not come back. */
void teardown_engine(struct engine *engine);

/* Tells whom others wait for. To be called from time to time by the thread that supervises. */
void engine_look(struct engine *engine);

/*
 * CHECKPOINT_NORMAL    nothing where nothing has happened since the last one; put off where a sink is stuck,
 *                      until it is through
 * CHECKPOINT_HANDOVER  the same, but the gate stays closed: partitions go to another process
 * CHECKPOINT_FINAL     finishes open files too, and the gate stays closed
 */
enum checkpoint_kind { CHECKPOINT_NORMAL, CHECKPOINT_HANDOVER, CHECKPOINT_FINAL };

/*
 * One epoch becomes durable: everybody stands at a record boundary, sinks flush, then outputs,
 * positions and tokens are committed in one write, then sinks publish.
 * False after a fatal fault, or when the time was over.
 */
bool checkpoint_make(struct engine *engine, enum checkpoint_kind kind, struct error *error);
/* Closes the gate without a checkpoint; gate_open opens it. */
bool checkpoint_stand(struct engine *engine, struct error *error);

void report_fill(struct engine *engine, struct engine_report *report);
/* In the report's arena. NULL: nobody has measured, or no memory. */
struct report_timing *report_timing(const struct engine *engine, struct arena *arena);

#endif
