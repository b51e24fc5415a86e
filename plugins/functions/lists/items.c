/* SPDX-License-Identifier: MIT */
/*
 * first, last, flatten, range: items of lists and lists of items.
 */
#include "lists_functions.h"
#include "support/lane.h"

static weir_status first_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    if (list->len == 0) {
        return lane_fail(call, lane, "first: the list is empty; write 'x[0] ?? ...'");
    }
    *ret = list->as.items[0];
    return WEIR_OK;
}

static weir_status evaluate_first(weir_call *call)
{
    return lanes_evaluate(call, first_lane);
}

const weir_factory first_function = {
    FUNCTION("first", "The first item of a list",
             "An empty list is an error; `x[0] ?? y` accepts one."),
    .vtable = FUNCTION_TABLE(.signature = "(list) any", .example = "first([4, 5])",
                             .example_result = "4", .evaluate = evaluate_first),
};

static weir_status last_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    if (list->len == 0) {
        return lane_fail(call, lane, "last: the list is empty; write 'x[-1] ?? ...'");
    }
    *ret = list->as.items[list->len - 1];
    return WEIR_OK;
}

static weir_status evaluate_last(weir_call *call)
{
    return lanes_evaluate(call, last_lane);
}

const weir_factory last_function = {
    FUNCTION("last", "The last item of a list",
             "An empty list is an error; `x[-1] ?? y` accepts one."),
    .vtable = FUNCTION_TABLE(.signature = "(list) any", .example = "last([4, 5])",
                             .example_result = "5", .evaluate = evaluate_last),
};

static uint64_t flat_count(const weir_value *list)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->len; i++) {
        count += list->as.items[i].tag == WEIR_LIST ? list->as.items[i].len : 1;
    }
    return count;
}

static weir_status flatten_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    uint64_t count = flat_count(list);
    if (count > LANE_ITEM_LIMIT && count > list->len) {
        return lane_fail(call, lane, "flatten: more than a million items");
    }
    weir_value *items;
    weir_status st = lane_items(call, count, &items);
    if (st != WEIR_OK) {
        return st;
    }
    weir_value *out = items;
    for (uint32_t i = 0; i < list->len; i++) {
        const weir_value *item = &list->as.items[i];
        if (item->tag != WEIR_LIST) {
            *out++ = *item;
            continue;
        }
        for (uint32_t k = 0; k < item->len; k++) {
            *out++ = item->as.items[k];
        }
    }
    *ret = weir_list_value(items, (uint32_t)count);
    return WEIR_OK;
}

static weir_status evaluate_flatten(weir_call *call)
{
    return lanes_evaluate(call, flatten_lane);
}

const weir_factory flatten_function = {
    FUNCTION("flatten", "The items of the lists in a list, as one list",
             "One level; items that are no lists stay as they are."),
    .vtable = FUNCTION_TABLE(.signature = "(list) list", .example = "flatten([[1, 2], 3, [[4]]])",
                             .example_result = "[1,2,3,[4]]", .evaluate = evaluate_flatten),
};

static weir_status range_bounds(weir_call *call, uint32_t lane, int64_t *ret_from, int64_t *ret_to)
{
    *ret_from = 0;
    weir_status st = WEIR_OK;
    if (call->arg_count > 1) {
        st = lane_int(call, lane, "range", lane_arg(call, 0, lane), ret_from);
    }
    if (st == WEIR_OK) {
        st = lane_int(call, lane, "range", lane_arg(call, call->arg_count - 1, lane), ret_to);
    }
    return st;
}

static weir_status range_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    int64_t from = 0;
    int64_t to = 0;
    int64_t count = 0;
    weir_status st = range_bounds(call, lane, &from, &to);
    if (st != WEIR_OK) {
        return st;
    }
    if (to > from &&
        (__builtin_sub_overflow(to, from, &count) || count > (int64_t)LANE_ITEM_LIMIT)) {
        return lane_fail(call, lane, "range: from %lld to %lld are more than a million items",
                         (long long)from, (long long)to);
    }
    weir_value *items;
    st = lane_items(call, (uint64_t)count, &items);
    if (st != WEIR_OK) {
        return st;
    }
    for (int64_t i = 0; i < count; i++) {
        items[i] = weir_int(from + i);
    }
    *ret = weir_list_value(items, (uint32_t)count);
    return WEIR_OK;
}

static weir_status evaluate_range(weir_call *call)
{
    return lanes_evaluate(call, range_lane);
}

const weir_factory range_function = {
    FUNCTION(
        "range", "Ints in a row",
        "`range(n)` from 0 up to but without `n`, `range(a, b)` from `a` up to but without `b`; "
        "empty where there are none, at most a million."),
    .vtable = FUNCTION_TABLE(.signature = "(int[, int]) list", .example = "range(2, 5)",
                             .example_result = "[2,3,4]", .evaluate = evaluate_range),
};
