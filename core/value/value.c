/* SPDX-License-Identifier: MIT */
/*
 * Kinds, truth, numbers and copies of values. Walks over lists and maps end at VALUE_DEPTH_LIMIT.
 */
#include "value/value.h"

#include <string.h>

#include "value/number.h"

uint32_t value_kind(const weir_value *v)
{
    switch (v->tag) {
    case WEIR_NULL:
        return KIND_NULL;
    case WEIR_BOOL:
        return KIND_BOOL;
    case WEIR_INT:
        return KIND_INT;
    case WEIR_FLOAT:
        return KIND_FLOAT;
    case WEIR_TEXT:
        return KIND_TEXT;
    case WEIR_BYTES:
        return KIND_BYTES;
    case WEIR_LIST:
        return KIND_LIST;
    case WEIR_MAP:
        return KIND_MAP;
    case WEIR_TIMESTAMP:
        return KIND_TIMESTAMP;
    case WEIR_NUMBER:
        return number_is_integer_text(v->as.text, v->len) ? KIND_INT : KIND_FLOAT;
    default:
        return 0;
    }
}

const char *value_kind_name(const weir_value *v)
{
    static const char *const names[] = { "null",  "bool", "int", "float",    "text",
                                         "bytes", "list", "map", "timestamp" };
    uint32_t kind = value_kind(v);
    return kind == 0 ? "unknown" : names[__builtin_ctz(kind)];
}

bool value_is_truthy(const weir_value *v)
{
    switch (v->tag) {
    case WEIR_NULL:
        return false;
    case WEIR_BOOL:
    case WEIR_INT:
        return v->as.i64 != 0;
    case WEIR_FLOAT:
        return v->as.f64 != 0; /* true of NaN */
    case WEIR_NUMBER:
        return number_to_float(v->as.text, v->len) != 0;
    case WEIR_TEXT:
    case WEIR_BYTES:
    case WEIR_LIST:
    case WEIR_MAP:
        return v->len > 0;
    default:
        return true;
    }
}

static bool read_number_text(const weir_value *v, weir_value *ret)
{
    if (number_is_integer_text(v->as.text, v->len)) {
        int64_t i;
        *ret = number_to_int(v->as.text, v->len, &i) ? weir_int(i) : *v;
        return true;
    }
    double f = number_to_float(v->as.text, v->len);
    *ret = __builtin_isinf(f) ? *v : weir_float(f);
    return true;
}

bool value_number(const weir_value *v, weir_value *ret)
{
    switch (v->tag) {
    case WEIR_INT:
    case WEIR_FLOAT:
        *ret = *v;
        return true;
    case WEIR_BOOL:
        *ret = weir_int(v->as.i64 != 0);
        return true;
    case WEIR_NUMBER:
        return read_number_text(v, ret);
    default:
        return false;
    }
}

/* ---- copying ----------------------------------------------------------------------------------- */

static bool copy(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret);

static bool copy_text(struct arena *arena, const weir_value *v, weir_value *ret)
{
    const char *text = arena_copy(arena, v->as.text, v->len);
    if (text == NULL) {
        return false;
    }
    *ret = *v;
    /* The same bytes stay plain; the text that they were decoded from is not copied. */
    ret->flags = v->flags & WEIR_VALUE_PLAIN;
    ret->as.text = text;
    return true;
}

static bool copy_list(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret)
{
    weir_value *items = arena_alloc(arena, v->len * sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        if (!copy(arena, &v->as.items[i], levels, &items[i])) {
            return false;
        }
    }
    *ret = weir_list_value(items, v->len);
    return true;
}

static bool copy_map(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret)
{
    weir_member *members = arena_alloc(arena, v->len * sizeof *members);
    if (members == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        const weir_member *from = &v->as.members[i];
        members[i].symbol = from->symbol;
        members[i].key_len = from->key_len;
        members[i].key = arena_copy(arena, from->key, from->key_len);
        if (members[i].key == NULL || !copy(arena, &from->value, levels, &members[i].value)) {
            return false;
        }
    }
    *ret = weir_map_value(members, v->len);
    return true;
}

/* levels: of nesting that may still follow */
static bool copy(struct arena *arena, const weir_value *v, unsigned levels, weir_value *ret)
{
    switch (v->tag) {
    case WEIR_TEXT:
    case WEIR_BYTES:
    case WEIR_NUMBER:
        return copy_text(arena, v, ret);
    case WEIR_LIST:
        return levels > 0 && copy_list(arena, v, levels - 1, ret);
    case WEIR_MAP:
        return levels > 0 && copy_map(arena, v, levels - 1, ret);
    default:
        *ret = *v;
        return true;
    }
}

bool value_copy(struct arena *arena, const weir_value *v, weir_value *ret)
{
    weir_value made;
    if (!copy(arena, v, VALUE_DEPTH_LIMIT, &made)) {
        return false;
    }
    *ret = made;
    return true;
}
