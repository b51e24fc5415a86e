/* SPDX-License-Identifier: MIT */
/*
 * A task: the graph's operators for one partition number. Tasks share nothing but the log, the sink
 * lanes and the meters.
 */
#ifndef ENGINE_TASK_H
#define ENGINE_TASK_H

#include "engine/faults/dead_letters.h"
#include "engine/faults/run_faults.h"
#include "engine/limits.h"
#include "engine/report/timing.h"
#include "engine/sinks/sink_lane.h"
#include "engine/tasks/align.h"
#include "engine/tasks/reader.h"
#include "engine/tasks/writer.h"
#include "graph/plan.h"

/*
 * What a task takes from the run.
 *
 * log_topics  by index of the pipeline's topics
 * meters      by node of the plan
 * lanes       by number of the end; NULL where the end is a topic
 * timing      NULL where nothing is measured
 */
struct task_parts {
    const struct pipeline *pipeline;
    const struct plan *plan;
    struct log_topic *const *log_topics;
    struct meter *meters;
    struct sink_lane *const *lanes;
    struct run_faults *faults;
    struct dead_letters *letters;
    atomic_uint_fast64_t *arrivals; /* records that have come to ends */
    const struct limits *limits;
    struct timing *timing;
};

struct task_node;

struct task {
    const struct task_parts *parts;
    uint32_t partition;
    struct task_node *nodes;  /* by node of the plan */
    struct reader *readers;   /* by route of the plan; those without this partition have no topic */
    struct align_head *heads; /* scratch, for the routes of a group */
    struct order order;
    struct letter_box letters;
};

/* Makes the instances for a partition number. In the arena and on the heap; see task_deinit. */
bool task_init(struct task *task, const struct task_parts *parts, uint32_t partition,
               struct arena *arena, struct error *error);
/* Also after a failed init. */
void task_deinit(struct task *task);
/*
 * Room at every sink that a batch of the route may reach; give it back after the turn. False: one of them
 * has none, nothing is claimed, and that is the reason why the route is paused.
 */
bool task_claim(struct task *task, uint32_t route);
void task_release(struct task *task, uint32_t route);
/*
 * Reads a batch of a route, where none waits. may_wait: it may have to, for those of other routes. False
 * after a fatal fault.
 */
bool task_fill(struct task *task, uint32_t route, uint32_t max_count, bool may_wait,
               struct root_pool *roots);
/*
 * Runs what waits of a route through the graph: at most max_count messages, no records that are newer than
 * `until`. *ret_messages: messages taken. False after a fatal fault.
 */
bool task_turn(struct task *task, uint32_t route, uint32_t max_count, int64_t until,
               uint32_t *ret_messages);

#endif
