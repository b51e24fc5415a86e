/* SPDX-License-Identifier: MIT */
/*
 * type, bool: what a value is, and whether it counts as true.
 */
#include "kinds_functions.h"
#include "support/kind.h"
#include "support/lane.h"

#include <string.h>

static weir_status type_of(weir_call *call, uint32_t lane, weir_value *ret)
{
    const char *name = kind_name(lane_arg(call, 0, lane));
    *ret = weir_text_value(name, (uint32_t)strlen(name));
    return WEIR_OK;
}

static weir_status evaluate_type(weir_call *call)
{
    return lanes_evaluate(call, type_of);
}

const weir_factory type_function = {
    FUNCTION("type", "The kind of a value, as a text",
             "One of `null`, `bool`, `int`, `float`, `text`, `bytes`, `list`, `map`, `timestamp`."),
    .vtable = FUNCTION_TABLE(.signature = "(any) text", .example = "type([1, 2])",
                             .example_result = "\"list\"", .evaluate = evaluate_type),
};

/* A number whose digits are all zero, whatever its form: 0, -0.00, 0e5. */
static bool is_zero_number(const weir_value *v)
{
    for (uint32_t i = 0; i < v->len && v->as.text[i] != 'e' && v->as.text[i] != 'E'; i++) {
        if (v->as.text[i] >= '1' && v->as.text[i] <= '9') {
            return false;
        }
    }
    return true;
}

static bool is_truthy(const weir_value *v)
{
    switch (v->tag) {
    case WEIR_NULL:
        return false;
    case WEIR_BOOL:
    case WEIR_INT:
        return v->as.i64 != 0;
    case WEIR_FLOAT:
        return v->as.f64 != 0.0; /* NaN is truthy */
    case WEIR_TEXT:
    case WEIR_BYTES:
    case WEIR_LIST:
    case WEIR_MAP:
        return v->len > 0;
    case WEIR_NUMBER:
        return !is_zero_number(v);
    default:
        return true;
    }
}

static weir_status to_bool(weir_call *call, uint32_t lane, weir_value *ret)
{
    *ret = weir_bool(is_truthy(lane_arg(call, 0, lane)));
    return WEIR_OK;
}

static weir_status evaluate_bool(weir_call *call)
{
    return lanes_evaluate(call, to_bool);
}

const weir_factory bool_function = {
    FUNCTION("bool", "Whether a value counts as true",
             "False are `null`, `false`, zero, and the empty text, bytes, list and map. Everything "
             "else is true, NaN and the text `\"false\"` too."),
    .vtable = FUNCTION_TABLE(.signature = "(any) bool", .example = "bool(\"no\")",
                             .example_result = "true", .evaluate = evaluate_bool),
};
