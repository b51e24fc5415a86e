/* SPDX-License-Identifier: MIT */
/*
 * floor, ceil, trunc, round, fixed. A float stands for the exact value of its bits: 2.675 lies below
 * the middle and rounds to 2.67. A true middle goes to the even neighbour.
 */
#include "decimal.h"
#include "numbers_functions.h"
#include "support/lane.h"

#include <math.h>

/* `whole` has no fraction; NaN and what int64 cannot hold fail. */
static weir_status whole_to_int(weir_call *call, uint32_t lane, const char *function, double whole,
                                weir_value *ret)
{
    if (!(whole >= -0x1p63 && whole < 0x1p63)) {
        weir_value v = weir_float(whole);
        return lane_fail(call, lane, "%s: %s does not fit in 64 bits", function,
                         lane_excerpt(&v).text);
    }
    *ret = weir_int((int64_t)whole);
    return WEIR_OK;
}

static inline weir_status to_whole(weir_call *call, uint32_t lane, const char *function,
                                   double (*rule)(double), weir_value *ret)
{
    weir_value number;
    weir_status st = lane_number(call, lane, function, lane_arg(call, 0, lane), &number);
    if (st != WEIR_OK) {
        return st;
    }
    if (number.tag == WEIR_INT) {
        *ret = number;
        return WEIR_OK;
    }
    return whole_to_int(call, lane, function, rule(number.as.f64), ret);
}

/* A function that rounds to an int by the C library's function of its name. */
#define TO_WHOLE(id, line, text, call_text, call_result)                                           \
 static weir_status id##_lane(weir_call *call, uint32_t lane, weir_value *ret)                     \
 {                                                                                                 \
  return to_whole(call, lane, #id, id, ret);                                                       \
 }                                                                                                 \
 static weir_status evaluate_##id(weir_call *call)                                                 \
 {                                                                                                 \
  return lanes_evaluate(call, id##_lane);                                                          \
 }                                                                                                 \
 const weir_factory id##_function = {                                                              \
     FUNCTION(#id, line, text),                                                                    \
     .vtable = FUNCTION_TABLE(.signature = "(num) int", .example = (call_text),                    \
                              .example_result = (call_result), .evaluate = evaluate_##id),         \
 }

TO_WHOLE(floor, "The largest int that is not above a number", NULL, "floor(-1.5)", "-2");

TO_WHOLE(ceil, "The smallest int that is not below a number", NULL, "ceil(-1.5)", "-1");

TO_WHOLE(trunc, "A number without its fraction", "Toward zero.", "trunc(-1.5)", "-1");

static weir_status round_to_digits(weir_call *call, uint32_t lane, const weir_value *number,
                                   weir_value *ret)
{
    int64_t digits;
    weir_status st = lane_int(call, lane, "round", lane_arg(call, 1, lane), &digits);
    if (st != WEIR_OK) {
        return st;
    }
    double rounded = number->tag == WEIR_INT ? decimal_round_int(number->as.i64, digits)
                                             : decimal_round(number->as.f64, digits);
    if (isinf(rounded) && !(number->tag == WEIR_FLOAT && isinf(number->as.f64))) {
        return lane_fail(call, lane, "round: %s rounded to %lld digits does not fit in a float",
                         lane_excerpt(number).text, (long long)digits);
    }
    *ret = weir_float(rounded);
    return WEIR_OK;
}

static weir_status round_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    weir_value number;
    weir_status st = lane_number(call, lane, "round", lane_arg(call, 0, lane), &number);
    if (st != WEIR_OK) {
        return st;
    }
    if (call->arg_count > 1) {
        return round_to_digits(call, lane, &number, ret);
    }
    if (number.tag == WEIR_INT) {
        *ret = number;
        return WEIR_OK;
    }
    return whole_to_int(call, lane, "round", decimal_round(number.as.f64, 0), ret);
}

static weir_status evaluate_round(weir_call *call)
{
    return lanes_evaluate(call, round_lane);
}

const weir_factory round_function = {
    FUNCTION(
        "round", "A number rounded to an int, or to digits after the point",
        "`round(x)` gives an int, `round(x, digits)` a float; negative digits round before the "
        "point. The exact value counts, a middle goes to the even side: `round(2.5)` is 2, "
        "`round(2.675, 2)` is 2.67 because the float 2.675 lies a little below. Money is better "
        "written with `fixed`."),
    .vtable = FUNCTION_TABLE(.signature = "(num[, int]) int|float", .example = "round(3.14159, 2)",
                             .example_result = "3.14", .evaluate = evaluate_round),
};

static weir_status fixed_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    weir_value number;
    int64_t digits = 0;
    weir_status st = lane_number(call, lane, "fixed", lane_arg(call, 0, lane), &number);
    if (st == WEIR_OK) {
        st = lane_int(call, lane, "fixed", lane_arg(call, 1, lane), &digits);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (digits < 0 || digits > DECIMAL_DIGITS_MAX) {
        return lane_fail(call, lane, "fixed: %lld digits are outside the range 0 to %d",
                         (long long)digits, DECIMAL_DIGITS_MAX);
    }
    if (number.tag == WEIR_FLOAT && !isfinite(number.as.f64)) {
        return lane_fail(call, lane, "fixed: %s has no digits", lane_excerpt(&number).text);
    }
    char room[DECIMAL_ROOM];
    size_t len = number.tag == WEIR_INT ? decimal_write_int(number.as.i64, (int)digits, room)
                                        : decimal_write(number.as.f64, (int)digits, room);
    return lane_copy_text(call, lane, "fixed", room, len, ret);
}

static weir_status evaluate_fixed(weir_call *call)
{
    return lanes_evaluate(call, fixed_lane);
}

const weir_factory fixed_function = {
    FUNCTION("fixed", "A number as text with a fixed count of digits after the point",
             "0 to 1000 digits, rounded as `round` does."),
    .vtable = FUNCTION_TABLE(.signature = "(num, int) text", .example = "fixed(1.5, 2)",
                             .example_result = "\"1.50\"", .evaluate = evaluate_fixed),
};
