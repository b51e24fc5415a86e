/* SPDX-License-Identifier: MIT */
/* What a task holds of one node of the plan. Of task.c, which makes it, and task_run.c, which runs it. */
#ifndef ENGINE_TASK_NODE_H
#define ENGINE_TASK_NODE_H

#include "engine/tasks/task.h"

/*
 * State of one node of the plan.
 *
 * runs      what it emitted for the batch under way, by output; empty where the route leaves it out
 * places    WRITE: whom a record concerns, by writer
 */
struct task_node {
    const struct plan_node *plan;
    struct instance *instance;
    struct call call;
    bool has_call;
    struct writer *writer;
    struct writer_place *places;
    struct run *runs;
    struct run *inputs; /* MERGE: scratch */
};

#endif
