/* SPDX-License-Identifier: MIT */
/*
 * Which routes meet. Where several only write to one topic they do not: nobody works on what the one brings
 * together with what the other does.
 */
#include "graph/plan_paths.h"

static bool is_on_route(const struct plan_route *route, uint32_t node)
{
    for (uint32_t i = 0; i < route->node_count; i++) {
        if (route->nodes[i] == node) {
            return true;
        }
    }
    return false;
}

/* A MERGE in front of a WRITE brings together what goes out. */
static bool is_meeting(const struct plan *plan, uint32_t node)
{
    if (plan->nodes[node].kind != PLAN_MERGE) {
        return false;
    }
    for (uint32_t i = node + 1; i < plan->node_count; i++) {
        const struct plan_node *reader = &plan->nodes[i];
        if (reader->kind == PLAN_WRITE && reader->inputs[0].node == node) {
            return false;
        }
    }
    return true;
}

/* Everybody in the group of `from` comes into that of `to`. numbers: of the groups, by route. */
static void join(const struct plan *plan, uint32_t *numbers, uint32_t to, uint32_t from)
{
    for (uint32_t i = 0; i < plan->route_count; i++) {
        if (numbers[i] == from) {
            numbers[i] = to;
        }
    }
}

/* Numbers each group by its first route. */
static void number_groups(const struct plan *plan, uint32_t *numbers)
{
    for (uint32_t i = 0; i < plan->route_count; i++) {
        numbers[i] = i;
    }
    for (uint32_t node = 0; node < plan->node_count; node++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; is_meeting(plan, node) && i < plan->route_count; i++) {
            if (!is_on_route(&plan->routes[i], node)) {
                continue;
            }
            uint32_t a = first == UINT32_MAX ? numbers[i] : first;
            uint32_t b = numbers[i];
            first = a < b ? a : b;
            join(plan, numbers, first, a < b ? b : a);
        }
    }
}

static bool add_group(struct plan *plan, struct arena *arena, const uint32_t *numbers,
                      uint32_t number)
{
    uint32_t *routes = arena_alloc(arena, plan->route_count * sizeof *routes);
    struct plan_group *group = &plan->groups[plan->group_count++];
    if (routes == NULL) {
        return false;
    }
    *group = (struct plan_group){ .routes = routes };
    for (uint32_t i = number; i < plan->route_count; i++) {
        if (numbers[i] == number) {
            routes[group->route_count++] = i;
        }
    }
    return true;
}

/* ---- how deep ------------------------------------------------------------------------------------ */

static bool fills_topic(const struct plan *plan, const struct plan_group *group,
                        const struct topic *topic)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        const struct plan_route *route = &plan->routes[group->routes[i]];
        for (uint32_t k = 0; k < route->node_count; k++) {
            const struct plan_node *node = &plan->nodes[route->nodes[k]];
            if (node->kind == PLAN_WRITE && node->topic == topic) {
                return true;
            }
        }
    }
    return false;
}

static bool fills(const struct plan *plan, const struct plan_group *from,
                  const struct plan_group *to)
{
    for (uint32_t i = 0; from != to && i < to->route_count; i++) {
        if (fills_topic(plan, from, plan->routes[to->routes[i]].topic)) {
            return true;
        }
    }
    return false;
}

/* As often as there are groups: then also those behind all others have their depth. Where records go round
 * it grows no further. */
static void find_depths(struct plan *plan)
{
    bool has_changed = true;
    for (uint32_t turn = 0; turn < plan->group_count && has_changed; turn++) {
        has_changed = false;
        for (uint32_t i = 0; i < plan->group_count; i++) {
            struct plan_group *to = &plan->groups[i];
            for (uint32_t k = 0; k < plan->group_count; k++) {
                const struct plan_group *from = &plan->groups[k];
                if (from->depth >= to->depth && fills(plan, from, to)) {
                    to->depth = from->depth + 1;
                    has_changed = true;
                }
            }
        }
    }
}

bool plan_find_groups(struct plan *plan, struct arena *arena)
{
    uint32_t *numbers = arena_alloc(arena, (plan->route_count + 1u) * sizeof *numbers);
    plan->groups = arena_zeroed(arena, (plan->route_count + 1u) * sizeof *plan->groups);
    if (numbers == NULL || plan->groups == NULL) {
        return false;
    }
    number_groups(plan, numbers);
    for (uint32_t i = 0; i < plan->route_count; i++) {
        if (numbers[i] == i && !add_group(plan, arena, numbers, i)) {
            return false;
        }
    }
    find_depths(plan);
    return true;
}

static bool holds(const struct plan *plan, const struct plan_group *group,
                  const struct plan_route *route)
{
    for (uint32_t i = 0; i < group->route_count; i++) {
        if (&plan->routes[group->routes[i]] == route) {
            return true;
        }
    }
    return false;
}

const struct plan_group *plan_group_of(const struct plan *plan, const struct plan_route *route)
{
    const struct plan_group *group = plan->groups;
    while (!holds(plan, group, route)) {
        group++;
    }
    return group;
}
