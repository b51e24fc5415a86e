/* SPDX-License-Identifier: MIT */
/*
 * sqrt, exp, logarithms, trigonometry: the C library's functions with a guard. NaN in gives NaN out;
 * any other argument for which there is no finite result is an error that names it.
 */
#include "numbers_functions.h"
#include "support/lane.h"

#include <math.h>

static weir_status guarded(weir_call *call, uint32_t lane, const char *function, double argument,
                           double result, weir_value *ret)
{
    weir_value v = weir_float(argument);
    if (isnan(result) && !isnan(argument)) {
        return lane_fail(call, lane, "%s is not defined for %s", function, lane_excerpt(&v).text);
    }
    if (isinf(result) && isfinite(argument)) {
        return lane_fail(call, lane, "%s of %s has no finite result", function,
                         lane_excerpt(&v).text);
    }
    *ret = weir_float(result);
    return WEIR_OK;
}

__attribute__((always_inline)) static inline weir_status elementary(weir_call *call,
                                                                    const char *function,
                                                                    double (*rule)(double))
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        double x;
        weir_status st = lane_double(call, lane, function, lane_arg(call, 0, lane), &x);
        if (st == WEIR_OK) {
            st = guarded(call, lane, function, x, rule(x), &call->results[lane]);
        }
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

/* A function of one number whose rule is `rule`: its evaluation and its factory. */
#define ELEMENTARY(id, rule, line, text, call_text, call_result)                                   \
 static weir_status evaluate_##id(weir_call *call)                                                 \
 {                                                                                                 \
  return elementary(call, #id, rule);                                                              \
 }                                                                                                 \
 const weir_factory id##_function = {                                                              \
     FUNCTION(#id, line, text),                                                                    \
     .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = (call_text),                  \
                              .example_result = (call_result), .evaluate = evaluate_##id),         \
 }

ELEMENTARY(sqrt, sqrt, "The square root", "A negative number is an error.", "sqrt(16)", "4.0");

ELEMENTARY(exp, exp, "e to the power of a number", "A result beyond float64 is an error.", "exp(0)",
           "1.0");

ELEMENTARY(ln, log, "The natural logarithm", "Zero and negative numbers are errors.", "ln(1)",
           "0.0");

ELEMENTARY(log10, log10, "The logarithm to base 10", "Zero and negative numbers are errors.",
           "log10(1000)", "3.0");

ELEMENTARY(log2, log2, "The logarithm to base 2", "Zero and negative numbers are errors.",
           "log2(8)", "3.0");

ELEMENTARY(sin, sin, "The sine of an angle in radians", NULL, "sin(0)", "0.0");

ELEMENTARY(cos, cos, "The cosine of an angle in radians", NULL, "cos(0)", "1.0");

ELEMENTARY(tan, tan, "The tangent of an angle in radians", NULL, "tan(0)", "0.0");

ELEMENTARY(asin, asin, "The angle in radians with this sine", "Numbers outside -1 to 1 are errors.",
           "degrees(asin(1))", "90.0");

ELEMENTARY(acos, acos, "The angle in radians with this cosine",
           "Numbers outside -1 to 1 are errors.", "acos(1)", "0.0");

ELEMENTARY(atan, atan, "The angle in radians with this tangent", NULL, "degrees(atan(1))", "45.0");

static weir_status atan2_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    double y;
    double x = 0;
    weir_status st = lane_double(call, lane, "atan2", lane_arg(call, 0, lane), &y);
    if (st == WEIR_OK) {
        st = lane_double(call, lane, "atan2", lane_arg(call, 1, lane), &x);
    }
    if (st == WEIR_OK) {
        *ret = weir_float(atan2(y, x));
    }
    return st;
}

static weir_status evaluate_atan2(weir_call *call)
{
    return lanes_evaluate(call, atan2_lane);
}

const weir_factory atan2_function = {
    FUNCTION("atan2", "The angle in radians of the point (x, y)",
             "`atan2(y, x)`: from -pi to pi, counted from the positive x axis."),
    .vtable = FUNCTION_TABLE(.signature = "(num, num) float", .example = "degrees(atan2(1, 0))",
                             .example_result = "90.0", .evaluate = evaluate_atan2),
};

static double to_radians(double degrees)
{
    return degrees * (M_PI / 180.0);
}

ELEMENTARY(radians, to_radians, "Degrees as radians", NULL, "round(radians(180), 5)", "3.14159");

static double to_degrees(double radians)
{
    return radians * (180.0 / M_PI);
}

ELEMENTARY(degrees, to_degrees, "Radians as degrees", NULL, "degrees(acos(-1))", "180.0");
