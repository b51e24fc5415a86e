/* SPDX-License-Identifier: MIT */
#include "engine/tasks/order.h"

#include <assert.h>

bool order_start(struct order *order, struct arena *arena, uint32_t capacity, uint32_t input_count)
{
    order->scopes = arena_alloc(arena, (capacity + 1u) * sizeof *order->scopes);
    if (order->scopes == NULL) {
        return false;
    }
    order->scopes[0] = (struct order_scope){ .first = 0, .width = 1 };
    order->scope_count = 1;
    order->scope_capacity = capacity + 1;
    order->next = input_count;
    return true;
}

/* The scope that gave this number. */
static uint32_t scope_of(const struct order *order, uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = order->scope_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (order->scopes[middle].first <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t outer_number(const struct order_scope *scope, uint32_t number)
{
    assert(scope->outer != NULL);
    return scope->outer[(number - scope->first) / scope->width];
}

/*
 * The runs that come to a branch point are in order, so numbers of one scope compare as they are.
 * Numbers of different scopes are traced back, the deeper one first, until one scope gave both.
 */
bool order_is_before(const struct order *order, uint32_t a, uint32_t b)
{
    uint32_t scope_a = scope_of(order, a);
    uint32_t scope_b = scope_of(order, b);
    while (scope_a != scope_b) {
        if (order->scopes[scope_a].depth >= order->scopes[scope_b].depth) {
            a = outer_number(&order->scopes[scope_a], a);
            scope_a = scope_of(order, a);
        } else {
            b = outer_number(&order->scopes[scope_b], b);
            scope_b = scope_of(order, b);
        }
    }
    return a < b;
}

/* The depth that a scope behind these entries has: beyond the deepest of them. */
static uint32_t next_depth(const struct order *order, struct run in)
{
    uint32_t depth = 0;
    uint32_t last_scope = UINT32_MAX;
    for (uint32_t i = 0; i < in.count; i++) {
        uint32_t scope = scope_of(order, in.entries[i].ordinal);
        if (scope != last_scope && order->scopes[scope].depth >= depth) {
            depth = order->scopes[scope].depth;
        }
        last_scope = scope;
    }
    return depth + 1;
}

/* Copies a run with the numbers of one branch of the scope that begins at order->next. */
static struct run numbered(const struct order *order, struct run in, uint32_t width,
                           uint32_t branch, weir_entry *room)
{
    for (uint32_t i = 0; i < in.count; i++) {
        room[i] = in.entries[i];
        room[i].ordinal = order->next + i * width + branch;
    }
    return (struct run){ room, in.count };
}

/* Keeps the numbers that records had before, in `outer`, and takes up in.count * width new ones. */
static void add_scope(struct order *order, struct run in, uint32_t width, uint32_t *outer)
{
    if (in.count == 0) {
        return;
    }
    for (uint32_t i = 0; i < in.count; i++) {
        outer[i] = in.entries[i].ordinal;
    }
    struct order_scope scope = { order->next, width, next_depth(order, in), outer };
    assert(order->scope_count < order->scope_capacity);
    order->scopes[order->scope_count++] = scope;
    order->next += in.count * width;
}

bool order_number(struct order *order, struct arena *arena, struct run in, uint32_t width,
                  struct run *ret_run)
{
    uint32_t *outer = arena_alloc(arena, (in.count + 1u) * sizeof *outer);
    weir_entry *entries = arena_alloc(arena, (in.count + 1u) * sizeof *entries);
    if (outer == NULL || entries == NULL) {
        return false;
    }
    *ret_run = numbered(order, in, width, 0, entries);
    add_scope(order, in, width, outer);
    return true;
}

void order_output(weir_entry *entries, uint32_t count, uint32_t output)
{
    for (uint32_t i = 0; i < count && output > 0; i++) {
        entries[i].ordinal += output;
    }
}

bool order_branch(struct order *order, struct arena *arena, struct run in, uint32_t width,
                  struct run *ret_runs)
{
    uint32_t *outer = arena_alloc(arena, (in.count + 1u) * sizeof *outer);
    weir_entry *entries = arena_alloc(arena, ((size_t)in.count * width + 1) * sizeof *entries);
    if (outer == NULL || entries == NULL) {
        return false;
    }
    for (uint32_t branch = 0; branch < width; branch++) {
        ret_runs[branch] = numbered(order, in, width, branch, entries + (size_t)branch * in.count);
    }
    add_scope(order, in, width, outer);
    return true;
}

/* The run whose next record comes first. At least one run is not at its end. */
static uint32_t first_run(const struct order *order, const struct run *runs, uint32_t run_count,
                          const uint32_t *positions)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < run_count; i++) {
        if (positions[i] == runs[i].count) {
            continue;
        }
        if (best == UINT32_MAX || order_is_before(order, runs[i].entries[positions[i]].ordinal,
                                                  runs[best].entries[positions[best]].ordinal)) {
            best = i;
        }
    }
    return best;
}

bool order_merge(const struct order *order, struct arena *arena, const struct run *runs,
                 uint32_t run_count, const uint16_t *ports, struct run *ret_run)
{
    size_t total = 0;
    for (uint32_t i = 0; i < run_count; i++) {
        total += runs[i].count;
    }
    weir_entry *merged = arena_alloc(arena, (total + 1) * sizeof *merged);
    uint32_t *positions = arena_zeroed(arena, run_count * sizeof *positions);
    if (merged == NULL || positions == NULL) {
        return false;
    }
    for (size_t i = 0; i < total; i++) {
        uint32_t run = first_run(order, runs, run_count, positions);
        merged[i] = runs[run].entries[positions[run]++];
        merged[i].input = ports != NULL ? ports[run] : 0;
    }
    *ret_run = (struct run){ merged, (uint32_t)total };
    return true;
}
