/* SPDX-License-Identifier: MIT */
/* Where records go in a plan whose nodes are complete: routes, branch points that must number. */
#ifndef GRAPH_PLAN_PATHS_H
#define GRAPH_PLAN_PATHS_H

#include "graph/plan.h"

/* Sets plan->routes, plan->groups and the nodes' is_numbering. False: no memory. */
bool plan_find_paths(struct plan *plan, const struct pipeline *pipeline, struct arena *arena);
/* Sets plan->groups; the routes are there. False: no memory. */
bool plan_find_groups(struct plan *plan, struct arena *arena);

#endif
