/* SPDX-License-Identifier: MIT */
/*
 * min, max, clamp: by the order that `<` has, for every kind that has one. NaN wins, so that it is
 * not lost; of equal values the first stays.
 */
#include "numbers_functions.h"
#include "support/kind.h"
#include "support/lane.h"

/*
 * Whether `candidate` takes the place of `best`: it lies on the wanted side (-1 smaller, 1 larger), or
 * a NaN is in it and not yet in `best`.
 */
static weir_status is_better(weir_call *call, uint32_t lane, const char *function,
                             const weir_value *best, const weir_value *candidate, int32_t side,
                             bool *ret)
{
    const weir_values_api *values = lane_values(call);
    int32_t order = 0;
    weir_status st = values->compare(candidate, best, &order);
    if (st != WEIR_OK) {
        return lane_fail(call, lane, "%s: %s and %s have no order", function, kind_name(best),
                         kind_name(candidate));
    }
    if (order == 2) { /* a value with NaN in it is unequal to itself */
        *ret = values->equal(best, best) != 0;
    } else {
        *ret = order == side;
    }
    return WEIR_OK;
}

static weir_status best_of_list(weir_call *call, uint32_t lane, const char *function, int32_t side,
                                weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    if (list->tag != WEIR_LIST) {
        return lane_fail(call, lane, "%s needs a list or two values, not one %s", function,
                         kind_name(list));
    }
    if (list->len == 0) {
        return lane_fail(call, lane, "%s: the list is empty", function);
    }
    const weir_value *best = &list->as.items[0];
    for (uint32_t i = 0; i < list->len; i++) { /* the first with itself: has its kind an order? */
        bool better = false;
        weir_status st = is_better(call, lane, function, best, &list->as.items[i], side, &better);
        if (st != WEIR_OK) {
            return st;
        }
        best = better ? &list->as.items[i] : best;
    }
    *ret = *best;
    return WEIR_OK;
}

static weir_status best_of(weir_call *call, uint32_t lane, const char *function, int32_t side,
                           weir_value *ret)
{
    if (call->arg_count == 1) {
        return best_of_list(call, lane, function, side, ret);
    }
    const weir_value *best = lane_arg(call, 0, lane);
    for (uint32_t i = 1; i < call->arg_count; i++) {
        bool better = false;
        weir_status st =
            is_better(call, lane, function, best, lane_arg(call, i, lane), side, &better);
        if (st != WEIR_OK) {
            return st;
        }
        best = better ? lane_arg(call, i, lane) : best;
    }
    *ret = *best;
    return WEIR_OK;
}

static weir_status smallest(weir_call *call, uint32_t lane, weir_value *ret)
{
    return best_of(call, lane, "min", -1, ret);
}

static weir_status evaluate_min(weir_call *call)
{
    return lanes_evaluate(call, smallest);
}

const weir_factory min_function = {
    FUNCTION(
        "min", "The smallest of several values, or of a list",
        "Of any kinds that `<` compares. NaN wins; of equal values the first is taken. An empty "
        "list is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(any, any...) any", .example = "min(3, 1.5)",
                             .example_result = "1.5", .prepare = lane_prepare_values,
                             .evaluate = evaluate_min),
};

static weir_status largest(weir_call *call, uint32_t lane, weir_value *ret)
{
    return best_of(call, lane, "max", 1, ret);
}

static weir_status evaluate_max(weir_call *call)
{
    return lanes_evaluate(call, largest);
}

const weir_factory max_function = {
    FUNCTION(
        "max", "The largest of several values, or of a list",
        "Of any kinds that `<` compares. NaN wins; of equal values the first is taken. An empty "
        "list is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(any, any...) any", .example = "max([2, 7, 5])",
                             .example_result = "7", .prepare = lane_prepare_values,
                             .evaluate = evaluate_max),
};

static weir_status clamp_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *x = lane_arg(call, 0, lane);
    const weir_value *low = lane_arg(call, 1, lane);
    const weir_value *high = lane_arg(call, 2, lane);
    bool is_crossed = false;
    bool is_below = false;
    bool is_above = false;
    weir_status st = is_better(call, lane, "clamp", high, low, 1, &is_crossed);
    if (st == WEIR_OK) {
        st = is_better(call, lane, "clamp", x, low, 1, &is_below);
    }
    if (st == WEIR_OK) {
        st = is_better(call, lane, "clamp", x, high, -1, &is_above);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (is_crossed) {
        return lane_fail(call, lane, "clamp: the lower bound %s is above the upper bound %s",
                         lane_excerpt(low).text, lane_excerpt(high).text);
    }
    *ret = is_below ? *low : is_above ? *high : *x;
    return WEIR_OK;
}

static weir_status evaluate_clamp(weir_call *call)
{
    return lanes_evaluate(call, clamp_lane);
}

const weir_factory clamp_function = {
    FUNCTION(
        "clamp", "A value moved into the range between two bounds",
        "`clamp(x, low, high)`: `low` where `x` is below it, `high` where it is above, else `x`."),
    .vtable = FUNCTION_TABLE(.signature = "(any, any, any) any", .example = "clamp(120, 0, 100)",
                             .example_result = "100", .prepare = lane_prepare_values,
                             .evaluate = evaluate_clamp),
};
