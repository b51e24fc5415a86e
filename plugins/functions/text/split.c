/* SPDX-License-Identifier: MIT */
/*
 * split, join, replace, chars, reverse: taking text apart and putting it together. The parts of a
 * split are the same bytes, nothing is copied.
 */
#include "support/code_point.h"
#include "support/kind.h"
#include "support/lane.h"
#include "text_functions.h"

#include <string.h>

/* How often `part` (not empty) stands in the text, without overlap, at most `limit` times. */
static uint64_t occurrences(const weir_value *v, const weir_value *part, uint64_t limit)
{
    const char *at = v->as.text;
    const char *end = at + v->len;
    uint64_t count = 0;
    while (count < limit) {
        at = memmem(at, (size_t)(end - at), part->as.text, part->len);
        if (at == NULL) {
            break;
        }
        at += part->len;
        count++;
    }
    return count;
}

static weir_status part_limit(weir_call *call, uint32_t lane, uint64_t *ret)
{
    int64_t parts;
    *ret = UINT64_MAX;
    if (call->arg_count < 3) {
        return WEIR_OK;
    }
    weir_status st = lane_int(call, lane, "split", lane_arg(call, 2, lane), &parts);
    if (st != WEIR_OK) {
        return st;
    }
    if (parts < 1) {
        return lane_fail(call, lane, "split: cannot make %lld parts, at least 1", (long long)parts);
    }
    *ret = (uint64_t)parts - 1;
    return WEIR_OK;
}

static weir_status split_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    const weir_value *separator = lane_arg(call, 1, lane);
    uint64_t cuts;
    weir_status st = part_limit(call, lane, &cuts);
    if (st != WEIR_OK) {
        return st;
    }
    if (separator->len == 0) {
        return lane_fail(call, lane, "split: the separator is empty; chars() takes a text apart");
    }
    cuts = occurrences(v, separator, cuts);
    weir_value *items;
    st = lane_items(call, cuts + 1, &items);
    if (st != WEIR_OK) {
        return st;
    }
    const char *from = v->as.text;
    const char *end = from + v->len;
    for (uint64_t i = 0; i < cuts; i++) {
        const char *cut = memmem(from, (size_t)(end - from), separator->as.text, separator->len);
        items[i] = weir_text_value(from, (uint32_t)(cut - from));
        from = cut + separator->len;
    }
    items[cuts] = weir_text_value(from, (uint32_t)(end - from));
    *ret = weir_list_value(items, (uint32_t)(cuts + 1));
    return WEIR_OK;
}

static weir_status evaluate_split(weir_call *call)
{
    return lanes_evaluate(call, split_lane);
}

const weir_factory split_function = {
    FUNCTION(
        "split", "The parts of a text between separators",
        "`split(x, separator, n)` makes at most `n` parts, the last has the rest. An empty text "
        "has one empty part. The separator must not be empty."),
    .vtable = FUNCTION_TABLE(.signature = "(text, text[, int]) list",
                             .example = "split(\"a,b,c\", \",\", 2)",
                             .example_result = "[\"a\",\"b,c\"]", .evaluate = evaluate_split),
};

static weir_status join_size(weir_call *call, uint32_t lane, uint64_t *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    const weir_value *separator = lane_arg(call, 1, lane);
    uint64_t size = list->len > 0 ? (uint64_t)separator->len * (list->len - 1) : 0;
    for (uint32_t i = 0; i < list->len; i++) {
        if (list->as.items[i].tag != WEIR_TEXT) {
            return lane_fail(
                call, lane, "join: item %u is %s, not text; write 'join(map(..., text($it)), ...)'",
                i, kind_name(&list->as.items[i]));
        }
        size += list->as.items[i].len;
    }
    *ret = size;
    return WEIR_OK;
}

static weir_status join_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *list = lane_arg(call, 0, lane);
    const weir_value *separator = lane_arg(call, 1, lane);
    uint64_t size = 0;
    char *room = NULL;
    weir_status st = join_size(call, lane, &size);
    if (st == WEIR_OK) {
        st = lane_room(call, lane, "join", size, &room);
    }
    if (st != WEIR_OK) {
        return st;
    }
    char *out = room;
    for (uint32_t i = 0; i < list->len; i++) {
        if (i > 0) {
            out = mempcpy(out, separator->as.text, separator->len);
        }
        out = mempcpy(out, list->as.items[i].as.text, list->as.items[i].len);
    }
    *ret = weir_text_value(room, (uint32_t)size);
    return WEIR_OK;
}

static weir_status evaluate_join(weir_call *call)
{
    return lanes_evaluate(call, join_lane);
}

const weir_factory join_function = {
    FUNCTION("join", "The texts of a list, with a separator between them",
             "Items that are not text are an error: `join(map(l, text($it)), \",\")`."),
    .vtable =
        FUNCTION_TABLE(.signature = "(list, text) text", .example = "join([\"a\", \"b\"], \"-\")",
                       .example_result = "\"a-b\"", .evaluate = evaluate_join),
};

static weir_status replace_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    const weir_value *old = lane_arg(call, 1, lane);
    const weir_value *new = lane_arg(call, 2, lane);
    if (old->len == 0) {
        return lane_fail(call, lane, "replace: the text to be replaced is empty");
    }
    uint64_t count = occurrences(v, old, UINT64_MAX);
    uint64_t size = v->len - count * old->len + count * new->len;
    char *room;
    weir_status st = lane_room(call, lane, "replace", size, &room);
    if (st != WEIR_OK) {
        return st;
    }
    char *out = room;
    const char *from = v->as.text;
    const char *end = from + v->len;
    for (uint64_t i = 0; i < count; i++) {
        const char *at = memmem(from, (size_t)(end - from), old->as.text, old->len);
        out = mempcpy(out, from, (size_t)(at - from));
        out = mempcpy(out, new->as.text, new->len);
        from = at + old->len;
    }
    memcpy(out, from, (size_t)(end - from));
    *ret = weir_text_value(room, (uint32_t)size);
    return WEIR_OK;
}

static weir_status evaluate_replace(weir_call *call)
{
    return lanes_evaluate(call, replace_lane);
}

const weir_factory replace_function = {
    FUNCTION("replace", "A text with every occurrence of one text replaced by another",
             "From left to right, without overlap. `replace_all` takes a regular expression."),
    .vtable = FUNCTION_TABLE(.signature = "(text, text, text) text",
                             .example = "replace(\"a.b.c\", \".\", \"/\")",
                             .example_result = "\"a/b/c\"", .evaluate = evaluate_replace),
};

static weir_status chars_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    size_t count = code_point_count(v->as.text, v->len);
    weir_value *items;
    if (count > LANE_ITEM_LIMIT) {
        return lane_fail(call, lane, "chars: %zu code points are more than a million", count);
    }
    weir_status st = lane_items(call, count, &items);
    if (st != WEIR_OK) {
        return st;
    }
    const char *at = v->as.text;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = (uint32_t)code_point_size(*at);
        items[i] = weir_text_value(at, size);
        at += size;
    }
    *ret = weir_list_value(items, (uint32_t)count);
    return WEIR_OK;
}

static weir_status evaluate_chars(weir_call *call)
{
    return lanes_evaluate(call, chars_lane);
}

const weir_factory chars_function = {
    FUNCTION("chars", "The code points of a text, each a text of its own", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(text) list", .example = "chars(\"été\")",
                             .example_result = "[\"é\",\"t\",\"é\"]", .evaluate = evaluate_chars),
};

static weir_status reverse_text(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    char *room;
    weir_status st = lane_room(call, lane, "reverse", v->len, &room);
    if (st != WEIR_OK) {
        return st;
    }
    char *out = room + v->len;
    for (size_t at = 0; at < v->len;) {
        size_t size = code_point_size(v->as.text[at]);
        out -= size;
        memcpy(out, v->as.text + at, size);
        at += size;
    }
    *ret = weir_text_value(room, v->len);
    return WEIR_OK;
}

static weir_status reverse_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    if (v->tag == WEIR_TEXT) {
        return reverse_text(call, lane, ret);
    }
    weir_value *items;
    weir_status st = lane_items(call, v->len, &items);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        items[i] = v->as.items[v->len - 1 - i];
    }
    *ret = weir_list_value(items, v->len);
    return WEIR_OK;
}

static weir_status evaluate_reverse(weir_call *call)
{
    return lanes_evaluate(call, reverse_lane);
}

const weir_factory reverse_function = {
    FUNCTION("reverse", "A text or a list from its end to its start", "A text by code points."),
    .vtable = FUNCTION_TABLE(.signature = "(text|list) text|list", .example = "reverse(\"été!\")",
                             .example_result = "\"!été\"", .evaluate = evaluate_reverse),
};
