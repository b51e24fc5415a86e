/* SPDX-License-Identifier: MIT */
/* Where records go in a plan whose nodes are complete: routes, branch points that must number. */
#ifndef GRAPH_PLAN_PATHS_H
#define GRAPH_PLAN_PATHS_H

#include "graph/plan.h"

/* Sets plan->routes and the nodes' is_numbering. False: no memory. */
bool plan_find_paths(struct plan *plan, const struct pipeline *pipeline, struct arena *arena);

#endif
