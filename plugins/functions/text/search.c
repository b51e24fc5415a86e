/* SPDX-License-Identifier: MIT */
/*
 * length, starts_with, ends_with, contains, find: what can be told without making a new value.
 * Comparing bytes is comparing code points: UTF-8 has one form for each.
 */
#include "support/code_point.h"
#include "support/kind.h"
#include "support/lane.h"
#include "text_functions.h"

#include <string.h>

static weir_status length_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    *ret = weir_int(v->tag == WEIR_TEXT ? (int64_t)code_point_count(v->as.text, v->len) : v->len);
    return WEIR_OK;
}

static weir_status evaluate_length(weir_call *call)
{
    return lanes_evaluate(call, length_lane);
}

const weir_factory length_function = {
    FUNCTION("length", "How many code points, bytes, items or members there are", NULL),
    .vtable =
        FUNCTION_TABLE(.signature = "(text|bytes|list|map) int", .example = "length(\"héllo\")",
                       .example_result = "5", .evaluate = evaluate_length),
};

static weir_status starts_with_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    const weir_value *prefix = lane_arg(call, 1, lane);
    *ret =
        weir_bool(prefix->len <= v->len && memcmp(v->as.text, prefix->as.text, prefix->len) == 0);
    return WEIR_OK;
}

static weir_status evaluate_starts_with(weir_call *call)
{
    return lanes_evaluate(call, starts_with_lane);
}

const weir_factory starts_with_function = {
    FUNCTION("starts_with", "Whether a text begins with another", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(text, text) bool",
                             .example = "starts_with(\"sensor-7\", \"sensor\")",
                             .example_result = "true", .evaluate = evaluate_starts_with),
};

static weir_status ends_with_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    const weir_value *suffix = lane_arg(call, 1, lane);
    *ret = weir_bool(suffix->len <= v->len && memcmp(v->as.text + (v->len - suffix->len),
                                                     suffix->as.text, suffix->len) == 0);
    return WEIR_OK;
}

static weir_status evaluate_ends_with(weir_call *call)
{
    return lanes_evaluate(call, ends_with_lane);
}

const weir_factory ends_with_function = {
    FUNCTION("ends_with", "Whether a text ends with another", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(text, text) bool",
                             .example = "ends_with(\"photo.jpg\", \".png\")",
                             .example_result = "false", .evaluate = evaluate_ends_with),
};

/* Byte offset of the first occurrence, or -1. */
static int64_t byte_offset(const weir_value *v, const weir_value *part)
{
    if (part->len == 0) {
        return 0;
    }
    const char *at = memmem(v->as.text, v->len, part->as.text, part->len);
    return at == NULL ? -1 : at - v->as.text;
}

static bool list_has(const weir_values_api *values, const weir_value *list, const weir_value *x)
{
    for (uint32_t i = 0; i < list->len; i++) {
        if (values->equal(&list->as.items[i], x)) {
            return true;
        }
    }
    return false;
}

static bool map_has(const weir_value *map, const weir_value *x)
{
    for (uint32_t i = 0; x->tag == WEIR_TEXT && i < map->len; i++) {
        const weir_member *m = &map->as.members[i];
        if (weir_same_bytes(m->key, m->key_len, x->as.text, x->len)) {
            return true;
        }
    }
    return false;
}

static weir_status contains_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    const weir_value *x = lane_arg(call, 1, lane);
    if (v->tag == WEIR_LIST) {
        *ret = weir_bool(list_has(lane_values(call), v, x));
        return WEIR_OK;
    }
    if (v->tag == WEIR_MAP) {
        *ret = weir_bool(map_has(v, x));
        return WEIR_OK;
    }
    if (x->tag != WEIR_TEXT) {
        return lane_fail(call, lane, "contains: a text cannot contain %s, only text", kind_name(x));
    }
    *ret = weir_bool(byte_offset(v, x) >= 0);
    return WEIR_OK;
}

static weir_status evaluate_contains(weir_call *call)
{
    return lanes_evaluate(call, contains_lane);
}

const weir_factory contains_function = {
    FUNCTION("contains", "Whether a text has a part, a list an item, a map a key",
             "`contains(x, y)` is `y in x`."),
    .vtable = FUNCTION_TABLE(.signature = "(text|list|map, any) bool",
                             .example = "contains([1, 2, 3], 2.0)", .example_result = "true",
                             .prepare = lane_prepare_values, .evaluate = evaluate_contains),
};

static weir_status find_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    int64_t at = byte_offset(v, lane_arg(call, 1, lane));
    *ret = weir_int(at < 0 ? -1 : (int64_t)code_point_count(v->as.text, (size_t)at));
    return WEIR_OK;
}

static weir_status evaluate_find(weir_call *call)
{
    return lanes_evaluate(call, find_lane);
}

const weir_factory find_function = {
    FUNCTION("find", "Where a text first stands in another", "Counted from 0; -1 if nowhere."),
    .vtable = FUNCTION_TABLE(.signature = "(text, text) int", .example = "find(\"été 24\", \"24\")",
                             .example_result = "4", .evaluate = evaluate_find),
};
