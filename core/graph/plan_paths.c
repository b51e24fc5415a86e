/* SPDX-License-Identifier: MIT */
#include "graph/plan_paths.h"

/* Marks every node that records leaving `from` may come to. from_output UINT32_MAX: any output. */
static void mark_reachable(const struct plan *plan, uint32_t from, uint32_t from_output,
                           bool *is_reached)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        is_reached[i] = false;
    }
    for (uint32_t i = from + 1; i < plan->node_count; i++) {
        const struct plan_node *node = &plan->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            const struct plan_edge *edge = &node->inputs[k];
            bool is_start =
                edge->node == from && (from_output == UINT32_MAX || edge->output == from_output);
            is_reached[i] = is_reached[i] || is_start || is_reached[edge->node];
        }
    }
}

/* A BRANCH, or a STEP with several outputs: paths part here. */
static bool is_branch_point(const struct plan_node *node)
{
    return node->kind == PLAN_BRANCH || (node->kind == PLAN_STEP && node->output_count > 1);
}

/* A branch point must number its records where two of its branches come to one MERGE. */
static bool mark_numbering(struct plan *plan, struct arena *arena)
{
    bool *is_reached = arena_alloc(arena, plan->node_count);
    bool *is_reached_before = arena_alloc(arena, plan->node_count);
    if (is_reached == NULL || is_reached_before == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        struct plan_node *node = &plan->nodes[i];
        if (!is_branch_point(node)) {
            continue;
        }
        for (uint32_t k = 0; k < plan->node_count; k++) {
            is_reached_before[k] = false;
        }
        for (uint32_t output = 0; output < node->output_count && !node->is_numbering; output++) {
            mark_reachable(plan, i, output, is_reached);
            for (uint32_t k = 0; k < plan->node_count; k++) {
                bool is_merge = plan->nodes[k].kind == PLAN_MERGE;
                node->is_numbering |= is_merge && is_reached[k] && is_reached_before[k];
                is_reached_before[k] |= is_reached[k];
            }
        }
    }
    return true;
}

/* A route is an INPUT and what its records may come to, in order. */
static bool build_routes(struct plan *plan, const struct pipeline *pipeline, struct arena *arena)
{
    bool *is_reached = arena_alloc(arena, plan->node_count);
    plan->routes = arena_alloc(arena, (pipeline->topic_count + 1) * sizeof *plan->routes);
    if (is_reached == NULL || plan->routes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i].kind != PLAN_INPUT) {
            continue;
        }
        uint32_t *nodes = arena_alloc(arena, plan->node_count * sizeof *nodes);
        if (nodes == NULL) {
            return false;
        }
        mark_reachable(plan, i, UINT32_MAX, is_reached);
        uint32_t count = 0;
        nodes[count++] = i;
        for (uint32_t k = i + 1; k < plan->node_count; k++) {
            if (is_reached[k]) {
                nodes[count++] = k;
            }
        }
        struct topic *topic = plan->nodes[i].topic;
        plan->routes[plan->route_count++] = (struct plan_route){ topic, nodes, count };
    }
    return true;
}

bool plan_find_paths(struct plan *plan, const struct pipeline *pipeline, struct arena *arena)
{
    return mark_numbering(plan, arena) && build_routes(plan, pipeline, arena) &&
           plan_find_groups(plan, arena);
}
