/* SPDX-License-Identifier: MIT */
/*
 * sort: by the order that `<` has, stable. Values with a NaN in them have no place in it and go to
 * the end as they stand.
 */
#include "lists_functions.h"
#include "support/kind.h"
#include "support/lane.h"

#include <string.h>

/* A merge sort's state: `fault_a`, `fault_b` are set where two items have no order. */
struct sorting {
    const weir_values_api *values;
    weir_value *spare;
    const weir_value *fault_a;
    const weir_value *fault_b;
};

static bool is_after(struct sorting *sorting, const weir_value *a, const weir_value *b)
{
    int32_t order = 0;
    if (sorting->values->compare(a, b, &order) != WEIR_OK) {
        sorting->fault_a = a;
        sorting->fault_b = b;
        return false;
    }
    return order == 1;
}

/* Merges the sorted runs [from, middle) and [middle, to); false: no order. */
static bool merge_runs(struct sorting *sorting, weir_value *items, uint64_t from, uint64_t middle,
                       uint64_t to)
{
    weir_value *out = sorting->spare;
    uint64_t a = from;
    uint64_t b = middle;
    while (a < middle && b < to) {
        bool takes_b = is_after(sorting, &items[a], &items[b]);
        if (sorting->fault_a != NULL) {
            return false;
        }
        *out++ = takes_b ? items[b++] : items[a++];
    }
    memcpy(out, &items[a], (size_t)(middle - a) * sizeof *items);
    memcpy(&items[from], sorting->spare,
           (size_t)((uint64_t)(out - sorting->spare) + (middle - a)) * sizeof *items);
    return true;
}

/* From short runs to long ones: no recursion. */
static bool sort_items(struct sorting *sorting, weir_value *items, uint64_t count)
{
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t from = 0; from + width < count; from += 2 * width) {
            uint64_t to = from + 2 * width < count ? from + 2 * width : count;
            if (!merge_runs(sorting, items, from, from + width, to)) {
                return false;
            }
        }
    }
    return true;
}

/* Copies the list, values that are unequal to themselves last; returns how many come before them. */
static uint32_t part_nan(const weir_values_api *values, const weir_value *list, weir_value *items)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->len; i++) {
        if (values->equal(&list->as.items[i], &list->as.items[i])) {
            items[count++] = list->as.items[i];
        }
    }
    uint32_t last = count;
    for (uint32_t i = 0; last < list->len && i < list->len; i++) {
        if (!values->equal(&list->as.items[i], &list->as.items[i])) {
            items[last++] = list->as.items[i];
        }
    }
    return count;
}

static weir_status sort_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    struct sorting sorting = { .values = lane_values(call) };
    weir_value *items = NULL;
    weir_status st = lane_items(call, list->len, &items);
    if (st == WEIR_OK) {
        st = lane_items(call, list->len, &sorting.spare);
    }
    if (st != WEIR_OK) {
        return st;
    }
    uint32_t count = part_nan(sorting.values, list, items);
    if (!sort_items(&sorting, items, count)) {
        return lane_fail(call, lane, "sort: %s and %s have no order", kind_name(sorting.fault_a),
                         kind_name(sorting.fault_b));
    }
    *ret = weir_list_value(items, list->len);
    return WEIR_OK;
}

static weir_status evaluate_sort(weir_call *call)
{
    return lanes_evaluate(call, sort_lane);
}

const weir_factory sort_function = {
    FUNCTION("sort", "The items of a list from small to large",
             "Of any kinds that `<` compares; equal items keep their order; NaN goes to the end."),
    .vtable = FUNCTION_TABLE(.signature = "(list) list", .example = "sort([3, 1.5, 2])",
                             .example_result = "[1.5,2,3]", .prepare = lane_prepare_values,
                             .evaluate = evaluate_sort),
};
