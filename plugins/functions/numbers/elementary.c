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

static weir_status evaluate_sqrt(weir_call *call)
{
    return elementary(call, "sqrt", sqrt);
}

const weir_factory sqrt_function = {
    FUNCTION("sqrt", "The square root", "A negative number is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "sqrt(16)",
                             .example_result = "4.0", .evaluate = evaluate_sqrt),
};

static weir_status evaluate_exp(weir_call *call)
{
    return elementary(call, "exp", exp);
}

const weir_factory exp_function = {
    FUNCTION("exp", "e to the power of a number", "A result beyond float64 is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "exp(0)",
                             .example_result = "1.0", .evaluate = evaluate_exp),
};

static weir_status evaluate_ln(weir_call *call)
{
    return elementary(call, "ln", log);
}

const weir_factory ln_function = {
    FUNCTION("ln", "The natural logarithm", "Zero and negative numbers are errors."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "ln(1)",
                             .example_result = "0.0", .evaluate = evaluate_ln),
};

static weir_status evaluate_log10(weir_call *call)
{
    return elementary(call, "log10", log10);
}

const weir_factory log10_function = {
    FUNCTION("log10", "The logarithm to base 10", "Zero and negative numbers are errors."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "log10(1000)",
                             .example_result = "3.0", .evaluate = evaluate_log10),
};

static weir_status evaluate_log2(weir_call *call)
{
    return elementary(call, "log2", log2);
}

const weir_factory log2_function = {
    FUNCTION("log2", "The logarithm to base 2", "Zero and negative numbers are errors."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "log2(8)",
                             .example_result = "3.0", .evaluate = evaluate_log2),
};

static weir_status evaluate_sin(weir_call *call)
{
    return elementary(call, "sin", sin);
}

const weir_factory sin_function = {
    FUNCTION("sin", "The sine of an angle in radians", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "sin(0)",
                             .example_result = "0.0", .evaluate = evaluate_sin),
};

static weir_status evaluate_cos(weir_call *call)
{
    return elementary(call, "cos", cos);
}

const weir_factory cos_function = {
    FUNCTION("cos", "The cosine of an angle in radians", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "cos(0)",
                             .example_result = "1.0", .evaluate = evaluate_cos),
};

static weir_status evaluate_tan(weir_call *call)
{
    return elementary(call, "tan", tan);
}

const weir_factory tan_function = {
    FUNCTION("tan", "The tangent of an angle in radians", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "tan(0)",
                             .example_result = "0.0", .evaluate = evaluate_tan),
};

static weir_status evaluate_asin(weir_call *call)
{
    return elementary(call, "asin", asin);
}

const weir_factory asin_function = {
    FUNCTION("asin", "The angle in radians with this sine", "Numbers outside -1 to 1 are errors."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "degrees(asin(1))",
                             .example_result = "90.0", .evaluate = evaluate_asin),
};

static weir_status evaluate_acos(weir_call *call)
{
    return elementary(call, "acos", acos);
}

const weir_factory acos_function = {
    FUNCTION("acos", "The angle in radians with this cosine",
             "Numbers outside -1 to 1 are errors."),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "acos(1)",
                             .example_result = "0.0", .evaluate = evaluate_acos),
};

static weir_status evaluate_atan(weir_call *call)
{
    return elementary(call, "atan", atan);
}

const weir_factory atan_function = {
    FUNCTION("atan", "The angle in radians with this tangent", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "degrees(atan(1))",
                             .example_result = "45.0", .evaluate = evaluate_atan),
};

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

static weir_status evaluate_radians(weir_call *call)
{
    return elementary(call, "radians", to_radians);
}

const weir_factory radians_function = {
    FUNCTION("radians", "Degrees as radians", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "round(radians(180), 5)",
                             .example_result = "3.14159", .evaluate = evaluate_radians),
};

static double to_degrees(double radians)
{
    return radians * (180.0 / M_PI);
}

static weir_status evaluate_degrees(weir_call *call)
{
    return elementary(call, "degrees", to_degrees);
}

const weir_factory degrees_function = {
    FUNCTION("degrees", "Radians as degrees", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(num) float", .example = "degrees(acos(-1))",
                             .example_result = "180.0", .evaluate = evaluate_degrees),
};
