/* SPDX-License-Identifier: MIT */
#include "support/json_walk.h"

#include <stdio.h>

#include "support/json_container.h"
#include "support/json_number.h"

/*
 * One payload on its way.
 *
 * next     yyjson's next value; they lie in the order of the document
 * to_text  what leads from a place in the copy to the same place in the payload
 * at       in the payload, behind what has been read
 * dropped  members that gave way to a later one of the same key
 */
struct walk {
    struct json_decoder *decoder;
    weir_context *ctx;
    const yyjson_val *next;
    uintptr_t to_text;
    const char *text;
    const char *at;
    uint64_t dropped;
    weir_status st;
    struct json_fault *fault;
};

static bool no_memory(struct walk *w)
{
    w->st = WEIR_E_NOMEM;
    return false;
}

/* ---- the way through the text ------------------------------------------------------------------
 */

static const char *in_text(const struct walk *w, const char *in_copy)
{
    return (const char *)((uintptr_t)in_copy + w->to_text);
}

/* Behind the closing quote of the text whose first byte is `p`. */
static const char *behind_text(const char *p)
{
    while (*p != '"') {
        p += *p == '\\' ? 2 : 1;
    }
    return p + 1;
}

/* Only blanks and `,` and `:` stand between values. */
static const char *skip_between(const char *p)
{
    while (*p == ' ' || *p == ',' || *p == ':' || *p == '\n' || *p == '\r' || *p == '\t') {
        p++;
    }
    return p;
}

/* ---- leaves ------------------------------------------------------------------------------------
 */

static bool is_plain(const yyjson_val *val)
{
    return (val->tag & YYJSON_SUBTYPE_MASK) == YYJSON_SUBTYPE_NOESC;
}

static uint32_t length(const yyjson_val *val)
{
    return (uint32_t)(val->tag >> YYJSON_TAG_BIT);
}

/* A text with escapes: a copy, and before it where it was written. */
static bool take_escaped(struct walk *w, const yyjson_val *val, weir_value *ret)
{
    uint32_t len = length(val);
    const char *begin = in_text(w, val->uni.str) - 1;
    w->at = behind_text(begin + 1);
    weir_slice source = { (const uint8_t *)begin, (uint64_t)(w->at - begin) };
    char *memory = weir_alloc(w->ctx, sizeof source + len);
    if (memory == NULL) {
        return no_memory(w);
    }
    memcpy(memory, &source, sizeof source);
    memcpy(memory + sizeof source, val->uni.str, len);
    *ret = weir_text_value(memory + sizeof source, len);
    ret->flags = WEIR_VALUE_SOURCE;
    return true;
}

/* Everything but containers. is_asked: its key has a symbol, somebody may read it as a number. */
static inline bool take_leaf(struct walk *w, const yyjson_val *val, bool is_asked, weir_value *ret)
{
    switch (val->tag & YYJSON_TYPE_MASK) {
    case YYJSON_TYPE_STR: {
        if (!is_plain(val)) {
            return take_escaped(w, val, ret);
        }
        uint32_t len = length(val);
        *ret = weir_text_value(in_text(w, val->uni.str), len);
        ret->flags = WEIR_VALUE_PLAIN;
        w->at = ret->as.text + len + 1;
        return true;
    }
    case YYJSON_TYPE_RAW: {
        uint32_t len = length(val);
        const char *text = in_text(w, val->uni.str);
        *ret = is_asked ? json_number_read(text, len) : json_number_text(text, len);
        w->at = text + len;
        return true;
    }
    case YYJSON_TYPE_BOOL: {
        bool is_true = (val->tag & YYJSON_SUBTYPE_MASK) == YYJSON_SUBTYPE_TRUE;
        *ret = weir_bool(is_true);
        w->at = skip_between(w->at) + (is_true ? 4 : 5);
        return true;
    }
    default:
        *ret = weir_null();
        w->at = skip_between(w->at) + 4;
        return true;
    }
}

static bool is_container(const yyjson_val *val)
{
    const uint64_t both = YYJSON_TYPE_ARR & YYJSON_TYPE_OBJ; /* no other type has both these bits */
    return (val->tag & both) == both;
}

/* ---- containers --------------------------------------------------------------------------------
 */

static bool take_container(struct walk *w, const yyjson_val *val, struct json_shape *shape,
                           uint32_t depth, weir_value *ret);

static bool take_list(struct walk *w, uint32_t count, struct json_shape *shape, uint32_t depth,
                      weir_value *ret)
{
    weir_value *items = json_container_room(w->ctx, (uint64_t)count * sizeof *items);
    if (items == NULL) {
        return no_memory(w);
    }
    for (uint32_t i = 0; i < count; i++) {
        const yyjson_val *val = w->next++;
        bool is_taken = is_container(val) ? take_container(w, val, shape, depth, &items[i])
                                          : take_leaf(w, val, false, &items[i]);
        if (!is_taken) {
            return false;
        }
    }
    *ret = weir_list_value(items, count);
    return true;
}

/* Key and symbol of a member. */
static inline bool take_key(struct walk *w, struct json_pass *pass, const yyjson_val *val,
                            weir_member *m, struct json_key **ret_key)
{
    uint32_t len = length(val);
    m->key_len = len;
    if (is_plain(val)) {
        m->symbol = json_pass_next(&w->decoder->shapes, pass, val->uni.str, len, ret_key);
        m->key = in_text(w, val->uni.str);
        w->at = m->key + len + 1;
        return true;
    }
    *ret_key = NULL;
    pass->is_ordered = false;
    w->at = behind_text(in_text(w, val->uni.str));
    char *copy = weir_alloc(w->ctx, len);
    if (copy == NULL) {
        return no_memory(w);
    }
    memcpy(copy, val->uni.str, len);
    m->key = copy;
    m->symbol = json_symbol(&w->decoder->shapes, copy, len, false);
    return true;
}

static bool take_map(struct walk *w, uint32_t count, struct json_shape *shape, uint32_t depth,
                     weir_value *ret)
{
    weir_member *members = json_container_room(w->ctx, (uint64_t)count * sizeof *members);
    if (members == NULL) {
        return no_memory(w);
    }
    struct json_pass pass = json_pass_begin(shape);
    for (uint32_t i = 0; i < count; i++) {
        weir_member *m = &members[i];
        struct json_key *key;
        if (!take_key(w, &pass, w->next, m, &key)) {
            return false;
        }
        const yyjson_val *val = w->next + 1;
        w->next += 2;
        bool is_taken =
            is_container(val)
                ? take_container(w, val, json_key_child(&w->decoder->shapes, key), depth, &m->value)
                : take_leaf(w, val, m->symbol >= WEIR_SYMBOL_FIRST, &m->value);
        if (!is_taken) {
            return false;
        }
    }
    json_pass_end(&pass, count);
    if (!pass.is_ordered) {
        uint64_t dropped = json_drop_equal_keys(w->decoder, members, &count);
        if (dropped == UINT64_MAX) {
            return no_memory(w);
        }
        w->dropped += dropped;
    }
    *ret = weir_map_value(members, count);
    return true;
}

/* shape: of the objects here, or of those that are items here. */
static bool take_container(struct walk *w, const yyjson_val *val, struct json_shape *shape,
                           uint32_t depth, weir_value *ret)
{
    const char *begin = skip_between(w->at);
    if (depth >= w->decoder->max_depth) {
        w->st = WEIR_E_DATA;
        w->fault->byte = (uint64_t)(begin - w->text);
        snprintf(w->fault->message, sizeof w->fault->message, "nested deeper than %u levels",
                 w->decoder->max_depth);
        return false;
    }
    w->at = begin + 1;
    uint64_t dropped = w->dropped;
    uint32_t count = length(val);
    bool is_map = (val->tag & YYJSON_TYPE_MASK) == YYJSON_TYPE_OBJ;
    bool is_taken = is_map ? take_map(w, count, shape, depth + 1, ret)
                           : take_list(w, count, shape, depth + 1, ret);
    if (!is_taken) {
        return false;
    }
    w->at = skip_between(w->at) + 1;
    if (w->dropped == dropped) {
        json_container_source(ret, begin, w->at);
    }
    return true;
}

/* ---- the document ------------------------------------------------------------------------------ */

weir_status json_walk(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                      const yyjson_doc *doc, weir_value *ret, struct json_fault *fault)
{
    struct walk w = {
        .decoder = decoder,
        .ctx = ctx,
        .next = doc->root + 1,
        .to_text = (uintptr_t)payload.data - (uintptr_t)decoder->copy,
        .text = (const char *)payload.data,
        .at = (const char *)payload.data,
        .st = WEIR_OK,
        .fault = fault,
    };
    const yyjson_val *root = doc->root;
    weir_value value;
    bool is_taken = is_container(root) ? take_container(&w, root, decoder->root, 0, &value)
                                       : take_leaf(&w, root, false, &value);
    if (!is_taken) {
        return w.st;
    }
    *ret = value;
    return WEIR_OK;
}
