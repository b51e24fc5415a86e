/* SPDX-License-Identifier: MIT */
/*
 * trim, trim_start, trim_end: a part of the same text, nothing is copied.
 */
#include "support/code_point.h"
#include "support/lane.h"
#include "text_functions.h"

static size_t skip_start(const weir_value *v)
{
    size_t at = 0;
    while (at < v->len && code_point_is_space(code_point_read(v->as.text + at))) {
        at += code_point_size(v->as.text[at]);
    }
    return at;
}

/* Where the text ends without white space; not before `from`. */
static size_t skip_end(const weir_value *v, size_t from)
{
    size_t end = v->len;
    while (end > from) {
        size_t last = end - 1;
        while (!code_point_begins(v->as.text[last])) {
            last--;
        }
        if (!code_point_is_space(code_point_read(v->as.text + last))) {
            break;
        }
        end = last;
    }
    return end;
}

static weir_value part(const weir_value *v, size_t from, size_t to)
{
    return weir_text_value(v->as.text + from, (uint32_t)(to - from));
}

static weir_status trim_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    size_t from = skip_start(v);
    *ret = part(v, from, skip_end(v, from));
    return WEIR_OK;
}

static weir_status evaluate_trim(weir_call *call)
{
    return lanes_evaluate(call, trim_lane);
}

const weir_factory trim_function = {
    FUNCTION("trim", "A text without white space at both ends", "White space as Unicode has it."),
    .vtable = FUNCTION_TABLE(.signature = "(text) text", .example = "trim(\"  a b \\n\")",
                             .example_result = "\"a b\"", .evaluate = evaluate_trim),
};

static weir_status trim_start_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    *ret = part(v, skip_start(v), v->len);
    return WEIR_OK;
}

static weir_status evaluate_trim_start(weir_call *call)
{
    return lanes_evaluate(call, trim_start_lane);
}

const weir_factory trim_start_function = {
    FUNCTION("trim_start", "A text without white space at its start",
             "White space as Unicode has it."),
    .vtable = FUNCTION_TABLE(.signature = "(text) text", .example = "trim_start(\"  a \")",
                             .example_result = "\"a \"", .evaluate = evaluate_trim_start),
};

static weir_status trim_end_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    *ret = part(v, 0, skip_end(v, 0));
    return WEIR_OK;
}

static weir_status evaluate_trim_end(weir_call *call)
{
    return lanes_evaluate(call, trim_end_lane);
}

const weir_factory trim_end_function = {
    FUNCTION("trim_end", "A text without white space at its end", "White space as Unicode has it."),
    .vtable = FUNCTION_TABLE(.signature = "(text) text", .example = "trim_end(\" a  \")",
                             .example_result = "\" a\"", .evaluate = evaluate_trim_end),
};
