/* SPDX-License-Identifier: MIT */
/*
 * keys, values, merge, without: maps as lists, maps from maps.
 */
#include "lists_functions.h"
#include "support/lane.h"

/* A list of one part of each member. */
static weir_status list_parts(weir_call *call, uint32_t lane,
                              weir_value (*part_of)(const weir_member *), weir_value *ret)
{
    const weir_value *map = lane_arg(call, 0, lane);
    weir_value *items;
    weir_status st = lane_items(call, map->len, &items);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < map->len; i++) {
        items[i] = part_of(&map->as.members[i]);
    }
    *ret = weir_list_value(items, map->len);
    return WEIR_OK;
}

static weir_value key_of(const weir_member *member)
{
    return weir_text_value(member->key, member->key_len);
}

static weir_status keys_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    return list_parts(call, lane, key_of, ret);
}

static weir_status evaluate_keys(weir_call *call)
{
    return lanes_evaluate(call, keys_lane);
}

const weir_factory keys_function = {
    FUNCTION("keys", "The keys of a map, in its order", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(map) list", .example = "keys({b: 1, a: 2})",
                             .example_result = "[\"b\",\"a\"]", .evaluate = evaluate_keys),
};

static weir_value value_of(const weir_member *member)
{
    return member->value;
}

static weir_status values_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    return list_parts(call, lane, value_of, ret);
}

static weir_status evaluate_values(weir_call *call)
{
    return lanes_evaluate(call, values_lane);
}

const weir_factory values_function = {
    FUNCTION("values", "The values of a map, in its order", NULL),
    .vtable = FUNCTION_TABLE(.signature = "(map) list", .example = "values({b: 1, a: 2})",
                             .example_result = "[1,2]", .evaluate = evaluate_values),
};

static bool same_key(const weir_member *a, const weir_member *b)
{
    return weir_same_bytes(a->key, a->key_len, b->key, b->key_len);
}

/* Replaces the member of the same key among the first `count`, or appends; returns the new count. */
static uint32_t put(weir_member *members, uint32_t count, const weir_member *m)
{
    for (uint32_t i = 0; i < count; i++) {
        if (same_key(&members[i], m)) {
            members[i].value = m->value;
            return count;
        }
    }
    members[count] = *m;
    return count + 1;
}

static weir_status merge_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        total += lane_arg(call, i, lane)->len;
    }
    weir_member *members;
    weir_status st = lane_members(call, total, &members);
    if (st != WEIR_OK) {
        return st;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const weir_value *map = lane_arg(call, i, lane);
        for (uint32_t k = 0; k < map->len; k++) {
            count = put(members, count, &map->as.members[k]);
        }
    }
    *ret = weir_map_value(members, count);
    return WEIR_OK;
}

static weir_status evaluate_merge(weir_call *call)
{
    return lanes_evaluate(call, merge_lane);
}

const weir_factory merge_function = {
    FUNCTION("merge", "One map from several",
             "Where a key stands in several, the last value stands at the first's place."),
    .vtable =
        FUNCTION_TABLE(.signature = "(map, map...) map",
                       .example = "merge({a: 1, b: 2}, {c: 3, a: 4})",
                       .example_result = "{\"a\":4,\"b\":2,\"c\":3}", .evaluate = evaluate_merge),
};

static bool is_named(const weir_call *call, uint32_t lane, const weir_member *m)
{
    for (uint32_t i = 1; i < call->arg_count; i++) {
        const weir_value *name = lane_arg(call, i, lane);
        if (weir_same_bytes(m->key, m->key_len, name->as.text, name->len)) {
            return true;
        }
    }
    return false;
}

static weir_status without_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *map = lane_arg(call, 0, lane);
    weir_member *members;
    weir_status st = lane_members(call, map->len, &members);
    if (st != WEIR_OK) {
        return st;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->len; i++) {
        if (!is_named(call, lane, &map->as.members[i])) {
            members[count++] = map->as.members[i];
        }
    }
    *ret = weir_map_value(members, count);
    return WEIR_OK;
}

static weir_status evaluate_without(weir_call *call)
{
    return lanes_evaluate(call, without_lane);
}

const weir_factory without_function = {
    FUNCTION("without", "A map without some of its members",
             "Names that the map does not have do no harm."),
    .vtable = FUNCTION_TABLE(.signature = "(map, text...) map",
                             .example = "without({a: 1, b: 2, c: 3}, \"a\", \"c\")",
                             .example_result = "{\"b\":2}", .evaluate = evaluate_without),
};
