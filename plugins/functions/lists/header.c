/* SPDX-License-Identifier: MIT */
/*
 * header: one of a message's headers by its name.
 */
#include "lists_functions.h"
#include "support/code_point.h"
#include "support/lane.h"

static const weir_value *member(const weir_value *map, const char *key, uint32_t len)
{
    for (uint32_t i = 0; i < map->len; i++) {
        const weir_member *m = &map->as.members[i];
        if (weir_same_bytes(m->key, m->key_len, key, len)) {
            return &m->value;
        }
    }
    return NULL;
}

/* The value in an item `{name, value}` of this name; NULL: another name, or no such item. */
static const weir_value *named_value(const weir_value *item, const weir_value *name)
{
    if (item->tag != WEIR_MAP) {
        return NULL;
    }
    const weir_value *found = member(item, "name", 4);
    bool is_it = found != NULL && found->tag == WEIR_TEXT &&
                 weir_same_bytes(found->as.text, found->len, name->as.text, name->len);
    return is_it ? member(item, "value", 5) : NULL;
}

static weir_status header_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *headers = lane_arg(call, 0, lane);
    const weir_value *name = lane_arg(call, 1, lane);
    for (uint32_t i = headers->len; i > 0; i--) {
        const weir_value *value = named_value(&headers->as.items[i - 1], name);
        if (value == NULL) {
            continue;
        }
        *ret = *value;
        if (value->tag == WEIR_BYTES &&
            code_point_valid_prefix(value->as.text, value->len) == value->len) {
            *ret = weir_text_value(value->as.text, value->len);
        }
        return WEIR_OK;
    }
    return WEIR_OK; /* null */
}

static weir_status evaluate_header(weir_call *call)
{
    return lanes_evaluate(call, header_lane);
}

const weir_factory header_function = {
    FUNCTION(
        "header", "A message's header by its name",
        "`header($headers, \"trace\")`: the last header of that name, as text where it is UTF-8, "
        "else as bytes; null if there is none."),
    .vtable = FUNCTION_TABLE(.signature = "(list, text) any",
                             .example = "header([{name: \"a\", value: bytes(\"x\")}], \"a\")",
                             .example_result = "\"x\"", .evaluate = evaluate_header),
};
