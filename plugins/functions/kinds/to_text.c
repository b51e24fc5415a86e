/* SPDX-License-Identifier: MIT */
/*
 * text, to_json, bytes: values as text, text as bytes.
 */
#include "kinds_functions.h"
#include "support/code_point.h"
#include "support/kind.h"
#include "support/lane.h"

#include <math.h>

static weir_status write_json(weir_call *call, uint32_t lane, const char *function, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    struct lane_buffer buffer;
    lane_buffer_init(&buffer, call->ctx);
    const char *fault = NULL;
    weir_status st = lane_values(call)->write_json(v, WEIR_JSON_ANEW, 0, &buffer.base, &fault);
    if (st == WEIR_E_DATA) {
        return lane_fail(call, lane, "%s: cannot write %s as JSON: %s", function, kind_name(v),
                         fault != NULL ? fault : "no such form");
    }
    if (st == WEIR_OK) {
        *ret = lane_buffer_text(&buffer);
    }
    return lane_buffer_status(call, lane, function, st);
}

static weir_status evaluate_lane_to_json(weir_call *call, uint32_t lane, weir_value *ret)
{
    return write_json(call, lane, "to_json", ret);
}

static weir_status evaluate_to_json(weir_call *call)
{
    return lanes_evaluate(call, evaluate_lane_to_json);
}

const weir_factory to_json_function = {
    FUNCTION(
        "to_json", "A value as JSON text",
        "Compact, members in their order, whatever blanks and escapes the value came with; numbers "
        "keep their digits. NaN and infinities become `null`; bytes have no JSON "
        "form and are an error (`base64` makes a text of them)."),
    .vtable = FUNCTION_TABLE(.signature = "(any) text", .example = "to_json({a: [1, null]})",
                             .example_result = "\"{\\\"a\\\":[1,null]}\"",
                             .prepare = lane_prepare_values, .evaluate = evaluate_to_json),
};

static weir_status text_of_bytes(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    size_t valid = code_point_valid_prefix(v->as.text, v->len);
    if (valid < v->len) {
        return lane_fail(call, lane, "text: the bytes are not UTF-8 from byte %zu on", valid);
    }
    *ret = weir_text_value(v->as.text, v->len);
    return WEIR_OK;
}

static weir_status to_text(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    weir_status st;
    switch (v->tag) {
    case WEIR_TEXT:
        *ret = *v;
        return WEIR_OK;
    case WEIR_BYTES:
        return text_of_bytes(call, lane, ret);
    case WEIR_NULL:
        return lane_fail(call, lane, "text: null has no text; write 'text(x ?? ...)'");
    case WEIR_FLOAT:
        if (!isfinite(v->as.f64)) {
            return lane_fail(call, lane, "text: %s has no text", lane_excerpt(v).text);
        }
        return write_json(call, lane, "text", ret);
    case WEIR_TIMESTAMP:
        st = write_json(call, lane, "text", ret);
        if (st == WEIR_OK) { /* without JSON's quotes */
            *ret = weir_text_value(ret->as.text + 1, ret->len - 2);
        }
        return st;
    default:
        return write_json(call, lane, "text", ret);
    }
}

static weir_status evaluate_text(weir_call *call)
{
    return lanes_evaluate(call, to_text);
}

const weir_factory text_function = {
    FUNCTION(
        "text", "Any value but null as a text",
        "A text stays as it is; numbers and bools as in JSON; bytes must be UTF-8; lists and maps "
        "as with `to_json`; a timestamp in the form of RFC 3339. Null, NaN and infinities are "
        "errors."),
    .vtable = FUNCTION_TABLE(.signature = "(any) text", .example = "text(1.50) + \" km\"",
                             .example_result = "\"1.5 km\"", .prepare = lane_prepare_values,
                             .evaluate = evaluate_text),
};

static weir_status to_bytes(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    *ret = weir_bytes_value(v->as.text, v->len);
    return WEIR_OK;
}

static weir_status evaluate_bytes(weir_call *call)
{
    return lanes_evaluate(call, to_bytes);
}

const weir_factory bytes_function = {
    FUNCTION("bytes", "The UTF-8 bytes of a text", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(text) bytes", .example = "bytes(\"hé\")[1]",
                             .example_result = "195", .evaluate = evaluate_bytes),
};
