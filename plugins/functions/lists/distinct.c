/* SPDX-License-Identifier: MIT */
/*
 * distinct: the first of items that are equal, found through a hash table in the batch's memory.
 */
#include "lists_functions.h"
#include "support/lane.h"

#include <string.h>

/* Open addressing: slots hold 1 + an index into `items`, 0 is empty. */
struct seen {
    const weir_values_api *values;
    weir_value *items;
    uint32_t count;
    uint32_t *slots;
    uint64_t mask;
};

/* Room for twice the items at least, so that probing ends. */
static weir_status seen_init(struct seen *seen, weir_call *call, uint32_t items)
{
    uint64_t slots = 8;
    while (slots < (uint64_t)items * 2) {
        slots *= 2;
    }
    seen->mask = slots - 1;
    seen->slots = weir_alloc(call->ctx, slots * sizeof *seen->slots);
    if (seen->slots == NULL) {
        return WEIR_E_NOMEM;
    }
    memset(seen->slots, 0, (size_t)(slots * sizeof *seen->slots));
    return lane_items(call, items, &seen->items);
}

static void add(struct seen *seen, const weir_value *item)
{
    uint64_t at = seen->values->hash(item) & seen->mask;
    while (seen->slots[at] != 0) {
        if (seen->values->equal(&seen->items[seen->slots[at] - 1], item)) {
            return;
        }
        at = (at + 1) & seen->mask;
    }
    seen->items[seen->count++] = *item;
    seen->slots[at] = seen->count;
}

static weir_status distinct_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    struct seen seen = { .values = lane_values(call) };
    weir_status st = seen_init(&seen, call, list->len);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < list->len; i++) {
        add(&seen, &list->as.items[i]);
    }
    *ret = weir_list_value(seen.items, seen.count);
    return WEIR_OK;
}

static weir_status evaluate_distinct(weir_call *call)
{
    return lanes_evaluate(call, distinct_lane);
}

const weir_factory distinct_function = {
    FUNCTION("distinct", "The items of a list without those that are equal to an earlier one",
             "Equal as `==` has it: 1, 1.0 and true are. NaN equals nothing and stays."),
    .vtable = FUNCTION_TABLE(.signature = "(list) list", .example = "distinct([1, 2, 1.0, \"1\"])",
                             .example_result = "[1,2,\"1\"]", .prepare = lane_prepare_values,
                             .evaluate = evaluate_distinct),
};
