/* SPDX-License-Identifier: MIT */
/*
 * abs, sign, is_nan, is_finite: what can be told from a number's sign and exponent.
 */
#include "numbers_functions.h"
#include "support/lane.h"

#include <math.h>

static weir_status absolute(weir_call *call, uint32_t lane, weir_value *ret)
{
    weir_value number;
    weir_status st = lane_number(call, lane, "abs", lane_arg(call, 0, lane), &number);
    if (st != WEIR_OK) {
        return st;
    }
    if (number.tag == WEIR_FLOAT) {
        *ret = weir_float(fabs(number.as.f64));
        return WEIR_OK;
    }
    if (number.as.i64 == INT64_MIN) {
        return lane_fail(call, lane, "abs: %lld has no positive counterpart in 64 bits",
                         (long long)number.as.i64);
    }
    *ret = weir_int(number.as.i64 < 0 ? -number.as.i64 : number.as.i64);
    return WEIR_OK;
}

static weir_status evaluate_abs(weir_call *call)
{
    return lanes_evaluate(call, absolute);
}

const weir_factory abs_function = {
    FUNCTION("abs", "A number without its sign", "An int gives an int, a float a float."),
    .vtable = FUNCTION_TABLE(.signature = "(num) num", .example = "abs(-2.5)",
                             .example_result = "2.5", .evaluate = evaluate_abs),
};

static weir_status sign_of(weir_call *call, uint32_t lane, weir_value *ret)
{
    weir_value number;
    weir_status st = lane_number(call, lane, "sign", lane_arg(call, 0, lane), &number);
    if (st != WEIR_OK) {
        return st;
    }
    if (number.tag == WEIR_INT) {
        *ret = weir_int((number.as.i64 > 0) - (number.as.i64 < 0));
        return WEIR_OK;
    }
    if (isnan(number.as.f64)) {
        return lane_fail(call, lane, "sign: NaN has none");
    }
    *ret = weir_int((number.as.f64 > 0) - (number.as.f64 < 0));
    return WEIR_OK;
}

static weir_status evaluate_sign(weir_call *call)
{
    return lanes_evaluate(call, sign_of);
}

const weir_factory sign_function = {
    FUNCTION("sign", "-1, 0 or 1", "0 for `-0.0` too; NaN is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(num) int", .example = "sign(-0.5)",
                             .example_result = "-1", .evaluate = evaluate_sign),
};

static weir_status test_nan(weir_call *call, uint32_t lane, weir_value *ret)
{
    double number;
    weir_status st = lane_double(call, lane, "is_nan", lane_arg(call, 0, lane), &number);
    if (st == WEIR_OK) {
        *ret = weir_bool(isnan(number));
    }
    return st;
}

static weir_status evaluate_is_nan(weir_call *call)
{
    return lanes_evaluate(call, test_nan);
}

const weir_factory is_nan_function = {
    FUNCTION("is_nan", "Whether a number is NaN", "`x == x` is false for NaN alone, too."),
    .vtable = FUNCTION_TABLE(.signature = "(num) bool", .example = "is_nan(1.5)",
                             .example_result = "false", .evaluate = evaluate_is_nan),
};

static weir_status test_finite(weir_call *call, uint32_t lane, weir_value *ret)
{
    double number;
    weir_status st = lane_double(call, lane, "is_finite", lane_arg(call, 0, lane), &number);
    if (st == WEIR_OK) {
        *ret = weir_bool(isfinite(number));
    }
    return st;
}

static weir_status evaluate_is_finite(weir_call *call)
{
    return lanes_evaluate(call, test_finite);
}

const weir_factory is_finite_function = {
    FUNCTION("is_finite", "Whether a number is neither NaN nor infinite", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) bool", .example = "is_finite(1e308 * 10)",
                             .example_result = "false", .evaluate = evaluate_is_finite),
};
