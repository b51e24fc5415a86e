/* SPDX-License-Identifier: MIT */
/*
 * One form for what is the same: 1.10 and 1.1, "caf\u00e9" and "café". Keys are written in it, since the
 * partition of a key hangs on its bytes.
 */
#include "value/value.h"

static bool make(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret);

static weir_value number_of(const weir_value *v)
{
    weir_value number = *v;
    (void)value_number(v, &number);
    if (number.tag == WEIR_FLOAT && number.as.f64 == 0) {
        number.as.f64 = 0; /* not -0.0, which is the same */
    }
    return number;
}

/* With as few digits of the second as suffice. */
static weir_value time_of(const weir_value *v)
{
    weir_value time = *v;
    while (time.aux >= 3 && time.as.i64 % 1000 == 0) {
        time.as.i64 /= 1000;
        time.aux = (uint16_t)(time.aux - 3);
    }
    return time;
}

static bool list_of(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret)
{
    weir_value *items = arena_alloc(arena, v->len * sizeof *items);
    bool is_right = items != NULL;
    for (uint32_t i = 0; is_right && i < v->len; i++) {
        is_right = make(arena, &v->as.items[i], levels, &items[i]);
    }
    *ret = weir_list_value(items, v->len);
    return is_right;
}

static bool map_of(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret)
{
    weir_member *members = arena_alloc(arena, v->len * sizeof *members);
    bool is_right = members != NULL;
    for (uint32_t i = 0; is_right && i < v->len; i++) {
        members[i] = v->as.members[i];
        is_right = make(arena, &v->as.members[i].value, levels, &members[i].value);
    }
    *ret = weir_map_value(members, v->len);
    return is_right;
}

/* levels: of nesting that may still follow; what lies deeper stays as it is */
static bool make(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret)
{
    *ret = *v;
    switch (v->tag) {
    case WEIR_FLOAT:
    case WEIR_NUMBER:
        *ret = number_of(v);
        return true;
    case WEIR_TIMESTAMP:
        *ret = time_of(v);
        return true;
    case WEIR_TEXT:
        ret->flags = v->flags & WEIR_VALUE_PLAIN;
        return true;
    case WEIR_LIST:
        return levels == 0 || list_of(arena, v, levels - 1, ret);
    case WEIR_MAP:
        return levels == 0 || map_of(arena, v, levels - 1, ret);
    default:
        return true;
    }
}

/* Most keys are, and cost no more than this look. */
static bool is_canonical(const weir_value *v)
{
    switch (v->tag) {
    case WEIR_TEXT:
        return (v->flags & WEIR_VALUE_SOURCE) == 0;
    case WEIR_FLOAT:
    case WEIR_NUMBER:
    case WEIR_TIMESTAMP:
    case WEIR_LIST:
    case WEIR_MAP:
        return false;
    default:
        return true;
    }
}

bool value_canonical(struct arena *arena, const weir_value *v, const weir_value **ret)
{
    *ret = v;
    if (is_canonical(v)) {
        return true;
    }
    weir_value *made = arena_alloc(arena, sizeof *made);
    if (made == NULL || !make(arena, v, VALUE_DEPTH_LIMIT, made)) {
        return false;
    }
    *ret = made;
    return true;
}
