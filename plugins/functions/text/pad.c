/* SPDX-License-Identifier: MIT */
/*
 * pad_start, pad_end: fills a text up to a length in code points. A text that is long enough stays.
 */
#include "support/code_point.h"
#include "support/lane.h"
#include "text_functions.h"

#include <string.h>

/* Writes `count` code points of the filling, over and over. */
static char *fill(char *out, const weir_value *filling, uint64_t count)
{
    size_t at = 0;
    for (; count > 0; count--) {
        size_t size = code_point_size(filling->as.text[at]);
        out = mempcpy(out, filling->as.text + at, size);
        at = at + size < filling->len ? at + size : 0;
    }
    return out;
}

static uint64_t filled_size(const weir_value *filling, uint64_t count)
{
    uint64_t points = code_point_count(filling->as.text, filling->len);
    size_t rest = code_point_offset(filling->as.text, filling->len, (size_t)(count % points));
    return count / points * filling->len + rest;
}

static weir_status pad(weir_call *call, uint32_t lane, const char *function, bool is_start,
                       weir_value *ret)
{
    static const weir_value blank = { .tag = WEIR_TEXT, .len = 1, .as = { .text = " " } };
    const weir_value *v = lane_arg(call, 0, lane);
    const weir_value *filling = call->arg_count > 2 ? lane_arg(call, 2, lane) : &blank;
    int64_t width;
    weir_status st = lane_int(call, lane, function, lane_arg(call, 1, lane), &width);
    if (st != WEIR_OK) {
        return st;
    }
    int64_t length = (int64_t)code_point_count(v->as.text, v->len);
    if (width <= length) {
        *ret = *v;
        return WEIR_OK;
    }
    if (filling->len == 0) {
        return lane_fail(call, lane, "%s: the text to fill with is empty", function);
    }
    uint64_t count = (uint64_t)(width - length);
    if (count > LANE_RESULT_LIMIT) {
        return lane_fail(call, lane, "%s: the result is larger than 16 MiB", function);
    }
    uint64_t size = v->len + filled_size(filling, count);
    char *room;
    st = lane_room(call, lane, function, size, &room);
    if (st != WEIR_OK) {
        return st;
    }
    if (is_start) {
        memcpy(fill(room, filling, count), v->as.text, v->len);
    } else {
        fill(mempcpy(room, v->as.text, v->len), filling, count);
    }
    *ret = weir_text_value(room, (uint32_t)size);
    return WEIR_OK;
}

static weir_status pad_start_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    return pad(call, lane, "pad_start", true, ret);
}

static weir_status evaluate_pad_start(weir_call *call)
{
    return lanes_evaluate(call, pad_start_lane);
}

const weir_factory pad_start_function = {
    FUNCTION("pad_start", "A text filled up at its start to a length",
             "With blanks, or with the third argument, over and over."),
    .vtable = FUNCTION_TABLE(.signature = "(text, int[, text]) text",
                             .example = "pad_start(\"7\", 3, \"0\")", .example_result = "\"007\"",
                             .evaluate = evaluate_pad_start),
};

static weir_status pad_end_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    return pad(call, lane, "pad_end", false, ret);
}

static weir_status evaluate_pad_end(weir_call *call)
{
    return lanes_evaluate(call, pad_end_lane);
}

const weir_factory pad_end_function = {
    FUNCTION("pad_end", "A text filled up at its end to a length",
             "With blanks, or with the third argument, over and over."),
    .vtable =
        FUNCTION_TABLE(.signature = "(text, int[, text]) text", .example = "pad_end(\"ab\", 4)",
                       .example_result = "\"ab  \"", .evaluate = evaluate_pad_end),
};
