/* SPDX-License-Identifier: MIT */
/*
 * sum, mean: over the numbers of a list, from left to right as `+` would. Ints stay exact until a
 * float joins them.
 */
#include "lists_functions.h"
#include "support/kind.h"
#include "support/lane.h"

/* The item as int or float, or the lane fails and names its place. */
static weir_status number_item(weir_call *call, uint32_t lane, const char *function, uint32_t i,
                               weir_value *ret)
{
    const weir_value *item = &lane_arg(call, 0, lane)->as.items[i];
    if (lane_values(call)->number(item, ret) != WEIR_OK) {
        return lane_fail(call, lane, "%s: item %u is %s, not a number", function, i,
                         kind_name(item));
    }
    if (ret->tag == WEIR_NUMBER) {
        return lane_fail(call, lane, "%s: item %u, %s, does not fit in 64 bits", function, i,
                         lane_excerpt(item).text);
    }
    return WEIR_OK;
}

static double as_double(const weir_value *number)
{
    return number->tag == WEIR_INT ? (double)number->as.i64 : number->as.f64;
}

static weir_status sum_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    weir_value sum = weir_int(0);
    for (uint32_t i = 0; i < list->len; i++) {
        weir_value item;
        weir_status st = number_item(call, lane, "sum", i, &item);
        if (st != WEIR_OK) {
            return st;
        }
        if (sum.tag == WEIR_FLOAT || item.tag == WEIR_FLOAT) {
            sum = weir_float(as_double(&sum) + as_double(&item));
        } else if (__builtin_add_overflow(sum.as.i64, item.as.i64, &sum.as.i64)) {
            return lane_fail(call, lane, "sum: the sum of the first %u items exceeds 64 bits",
                             i + 1);
        }
    }
    *ret = sum;
    return WEIR_OK;
}

static weir_status evaluate_sum(weir_call *call)
{
    return lanes_evaluate(call, sum_lane);
}

const weir_factory sum_function = {
    FUNCTION("sum", "The sum of a list of numbers",
             "0 of an empty list; an int unless a float is among them."),
    .vtable = FUNCTION_TABLE(.signature = "(list) num", .example = "sum([1, 2, 3.5])",
                             .example_result = "6.5", .prepare = lane_prepare_values,
                             .evaluate = evaluate_sum),
};

static weir_status mean_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    __int128 whole = 0; /* cannot overflow: fewer than 2^32 items */
    double floats = 0;
    bool has_float = false;
    for (uint32_t i = 0; i < list->len; i++) {
        weir_value item;
        weir_status st = number_item(call, lane, "mean", i, &item);
        if (st != WEIR_OK) {
            return st;
        }
        has_float |= item.tag == WEIR_FLOAT;
        floats += as_double(&item);
        whole += item.tag == WEIR_INT ? item.as.i64 : 0;
    }
    if (list->len > 0) { /* of an empty list the result stays null */
        *ret = weir_float((has_float ? floats : (double)whole) / list->len);
    }
    return WEIR_OK;
}

static weir_status evaluate_mean(weir_call *call)
{
    return lanes_evaluate(call, mean_lane);
}

const weir_factory mean_function = {
    FUNCTION("mean", "The mean of a list of numbers", "A float; null of an empty list."),
    .vtable = FUNCTION_TABLE(.signature = "(list) float?", .example = "mean([1, 2, 4, 5])",
                             .example_result = "3.0", .prepare = lane_prepare_values,
                             .evaluate = evaluate_mean),
};
