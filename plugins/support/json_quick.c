/* SPDX-License-Identifier: MIT */
/*
 * Reads lists and maps whose texts have no escapes, in one pass and without a document in between.
 * Keys that come as they came last time are not even looked at one by one.
 *
 * It takes nothing that is no JSON; whatever it does not take, faults among it, is left to yyjson,
 * which tells what is wrong and where. A reading function returns what follows, or NULL: then
 * status tells whether there was no memory.
 */
#include "support/json_quick.h"

#include <endian.h>
#include <stdlib.h>

#include "support/code_point.h"
#include "support/json_container.h"
#include "support/json_number.h"

/*
 * One payload on its way.
 *
 * to_text  what leads from a place in the copy to the same place in the payload
 * end      of the copy
 * used     bytes of decoder->stack
 * dropped  members that gave way to a later one of the same key
 */
struct quick {
    struct json_decoder *decoder;
    weir_context *ctx;
    uintptr_t to_text;
    const char *end;
    uint64_t used;
    uint64_t dropped;
    weir_status status;
};

static const char *no_memory(struct quick *q)
{
    q->status = WEIR_E_NOMEM;
    return NULL;
}

static const char *in_text(const struct quick *q, const char *in_copy)
{
    return (const char *)((uintptr_t)in_copy + q->to_text);
}

static inline const char *skip_blanks(const char *p)
{
    /* One comparison where there is none. */
    while ((unsigned char)*p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    return p;
}

/* ---- the stack: items and members whose list or map is not yet read to its end ------------------ */

__attribute__((noinline)) static bool stack_grow(struct json_decoder *decoder, uint64_t size)
{
    uint64_t room = size < 4096 ? 4096 : size * 2;
    void *stack = realloc(decoder->stack, room);
    if (stack == NULL) {
        return false;
    }
    decoder->stack = stack;
    decoder->stack_room = room;
    return true;
}

/* Where it lies changes with the next push. NULL: no memory. */
static inline void *stack_push(struct quick *q, uint64_t size)
{
    struct json_decoder *decoder = q->decoder;
    uint64_t at = q->used;
    if (at + size > decoder->stack_room && !stack_grow(decoder, at + size)) {
        return NULL;
    }
    q->used = at + size;
    return decoder->stack + at;
}

/* What was pushed since, in memory of the batch. NULL: no memory. */
static void *stack_take(struct quick *q, uint64_t since)
{
    uint64_t size = q->used - since;
    void *items = json_container_room(q->ctx, size);
    if (items != NULL && size > 0) {
        memcpy(items, q->decoder->stack + since, size);
    }
    q->used = since;
    return items;
}

/* ---- texts ------------------------------------------------------------------------------------- */

typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef uint64_t words_2 __attribute__((vector_size(16)));

static inline bytes_16 load_16(const char *from)
{
    bytes_16 bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

static inline uint32_t first_of(words_2 found)
{
    uint64_t low = le64toh(found[0]);
    uint64_t high = le64toh(found[1]);
    return (uint32_t)(low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high)) / 8;
}

/* The closing quote of the text that begins here. */
static inline const char *text_end(const char *text)
{
    const char *p = text;
    bytes_16 all = { 0 };
    for (;; p += sizeof(bytes_16)) {
        bytes_16 bytes = load_16(p);
        words_2 stops = (words_2)((bytes == '"') | (bytes == '\\') | (bytes < 0x20));
        all |= bytes;
        if ((stops[0] | stops[1]) != 0) {
            p += first_of(stops);
            break;
        }
    }
    if (*p != '"') {
        return NULL;
    }
    words_2 words = (words_2)all;
    bool is_ascii = ((words[0] | words[1]) & UINT64_C(0x8080808080808080)) == 0;
    size_t len = (size_t)(p - text);
    return is_ascii || code_point_valid_prefix(text, len) == len ? p : NULL;
}

static inline const char *read_text(const struct quick *q, const char *text, weir_value *ret)
{
    const char *end = text_end(text);
    if (end == NULL) {
        return NULL;
    }
    *ret = weir_text_value(in_text(q, text), (uint32_t)(end - text));
    ret->flags = WEIR_VALUE_PLAIN;
    return end + 1;
}

/* ---- numbers and words ------------------------------------------------------------------------- */

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Behind at least one digit, or NULL. */
static inline const char *skip_digits(const char *p)
{
    if (!is_digit(*p)) {
        return NULL;
    }
    do {
        p++;
    } while (is_digit(*p));
    return p;
}

static inline const char *number_end(const char *p)
{
    p += *p == '-';
    p = *p == '0' ? p + 1 : skip_digits(p);
    if (p != NULL && *p == '.') {
        p = skip_digits(p + 1);
    }
    if (p != NULL && (*p == 'e' || *p == 'E')) {
        p++;
        p = skip_digits(*p == '-' || *p == '+' ? p + 1 : p);
    }
    return p;
}

static inline const char *read_number(const struct quick *q, const char *p, bool is_asked,
                                      weir_value *ret)
{
    const char *end = number_end(p);
    if (end == NULL) {
        return NULL;
    }
    const char *text = in_text(q, p);
    uint32_t len = (uint32_t)(end - p);
    *ret = is_asked ? json_number_read(text, len) : json_number_text(text, len);
    return end;
}

static const char *read_word(const char *p, weir_value *ret)
{
    if (memcmp(p, "true", 4) == 0) {
        *ret = weir_bool(1);
        return p + 4;
    }
    if (memcmp(p, "false", 5) == 0) {
        *ret = weir_bool(0);
        return p + 5;
    }
    *ret = weir_null();
    return memcmp(p, "null", 4) == 0 ? p + 4 : NULL;
}

/* is_asked: its key has a symbol, somebody may read it as a number. */
static inline __attribute__((always_inline)) const char *read_leaf(const struct quick *q,
                                                                   const char *p, bool is_asked,
                                                                   weir_value *ret)
{
    if (*p == '"') {
        return read_text(q, p + 1, ret);
    }
    return is_digit(*p) || *p == '-' ? read_number(q, p, is_asked, ret) : read_word(p, ret);
}

/* ---- lists and maps ---------------------------------------------------------------------------- */

static const char *read_container(struct quick *q, const char *p, struct json_shape *shape,
                                  uint32_t depth, weir_value *ret);

static inline bool is_container(char c)
{
    return c == '{' || c == '[';
}

/* The items behind `[`, up to `]`. */
static const char *read_items(struct quick *q, const char *p, struct json_shape *shape,
                              uint32_t depth)
{
    for (;; p++) {
        weir_value item;
        p = skip_blanks(p);
        p = is_container(*p) ? read_container(q, p, shape, depth, &item)
                             : read_leaf(q, p, false, &item);
        if (p == NULL) {
            return NULL;
        }
        weir_value *pushed = stack_push(q, sizeof *pushed);
        if (pushed == NULL) {
            return no_memory(q);
        }
        *pushed = item;
        p = skip_blanks(p);
        if (*p != ',') {
            return p;
        }
    }
}

static const char *read_list(struct quick *q, const char *p, struct json_shape *shape,
                             uint32_t depth, weir_value *ret)
{
    uint64_t since = q->used;
    p = skip_blanks(p + 1);
    p = *p == ']' ? p : read_items(q, p, shape, depth);
    if (p == NULL || *p != ']') {
        return NULL;
    }
    uint32_t count = (uint32_t)((q->used - since) / sizeof(weir_value));
    const weir_value *items = stack_take(q, since);
    *ret = weir_list_value(items, count);
    return items == NULL ? no_memory(q) : p + 1;
}

/* What follows the closing quote. p: the key's first byte */
static inline const char *read_key(struct quick *q, struct json_pass *pass, const char *p,
                                   weir_member *m, struct json_key **ret_key)
{
    struct json_key *expected = json_pass_expected(pass);
    m->key = in_text(q, p);
    if (expected != NULL && expected->len < (uint64_t)(q->end - p) && p[expected->len] == '"' &&
        json_key_is(expected, p, expected->len)) {
        pass->next++;
        m->symbol = expected->symbol;
        m->key_len = expected->len;
        *ret_key = expected;
        return p + expected->len + 1;
    }
    const char *end = text_end(p);
    if (end == NULL) {
        return NULL;
    }
    m->key_len = (uint32_t)(end - p);
    m->symbol = json_pass_search(&q->decoder->shapes, pass, p, m->key_len, ret_key);
    return end + 1;
}

/* The list or map that is the value of the member at `at` of the stack. */
static const char *read_inner(struct quick *q, const char *p, struct json_key *key, uint64_t at,
                              uint32_t depth)
{
    weir_value value;
    p = read_container(q, p, json_key_child(&q->decoder->shapes, key), depth, &value);
    if (p != NULL) {
        weir_member *m = (weir_member *)(void *)(q->decoder->stack + at);
        m->value = value;
    }
    return p;
}

/* A member, pushed. p: its opening quote */
static inline __attribute__((always_inline)) const char *read_member(struct quick *q,
                                                                     struct json_pass *pass,
                                                                     const char *p, uint32_t depth)
{
    struct json_key *key = NULL;
    uint64_t at = q->used;
    weir_member *m = stack_push(q, sizeof *m);
    if (m == NULL) {
        return no_memory(q);
    }
    p = *p == '"' ? read_key(q, pass, p + 1, m, &key) : NULL;
    if (p == NULL || *(p = skip_blanks(p)) != ':') {
        return NULL;
    }
    p = skip_blanks(p + 1);
    return is_container(*p) ? read_inner(q, p, key, at, depth)
                            : read_leaf(q, p, m->symbol >= WEIR_SYMBOL_FIRST, &m->value);
}

/* The members behind `{`, up to `}`. */
static const char *read_members(struct quick *q, struct json_pass *pass, const char *p,
                                uint32_t depth)
{
    for (;; p++) {
        p = read_member(q, pass, skip_blanks(p), depth);
        if (p == NULL || *(p = skip_blanks(p)) != ',') {
            return p;
        }
    }
}

static const char *read_map(struct quick *q, const char *p, struct json_shape *shape,
                            uint32_t depth, weir_value *ret)
{
    uint64_t since = q->used;
    struct json_pass pass = json_pass_begin(shape);
    p = skip_blanks(p + 1);
    p = *p == '}' ? p : read_members(q, &pass, p, depth);
    if (p == NULL || *p != '}') {
        return NULL;
    }
    uint32_t count = (uint32_t)((q->used - since) / sizeof(weir_member));
    weir_member *members = stack_take(q, since);
    if (members == NULL) {
        return no_memory(q);
    }
    json_pass_end(&pass, count);
    if (!pass.is_ordered) {
        uint64_t dropped = json_drop_equal_keys(q->decoder, members, &count);
        if (dropped == UINT64_MAX) {
            return no_memory(q);
        }
        q->dropped += dropped;
    }
    *ret = weir_map_value(members, count);
    return p + 1;
}

/* shape: of the objects here, or of those that are items here. */
static const char *read_container(struct quick *q, const char *p, struct json_shape *shape,
                                  uint32_t depth, weir_value *ret)
{
    const char *begin = p;
    uint64_t dropped = q->dropped;
    if (depth >= q->decoder->max_depth) {
        return NULL;
    }
    p = *p == '{' ? read_map(q, p, shape, depth + 1, ret) : read_list(q, p, shape, depth + 1, ret);
    if (p != NULL && q->dropped == dropped) {
        json_container_source(ret, in_text(q, begin), in_text(q, p));
    }
    return p;
}

/* ---- a payload --------------------------------------------------------------------------------- */

weir_status json_quick(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                       weir_value *ret)
{
    struct quick q = { .decoder = decoder,
                       .ctx = ctx,
                       .to_text = (uintptr_t)payload.data - (uintptr_t)decoder->copy,
                       .end = decoder->copy + payload.size,
                       .status = WEIR_AGAIN };
    weir_value value = weir_null();
    const char *p = skip_blanks(decoder->copy);
    p = is_container(*p) ? read_container(&q, p, decoder->root, 0, &value) : NULL;
    if (p == NULL || skip_blanks(p) != q.end) {
        return q.status;
    }
    *ret = value;
    return WEIR_OK;
}
