/* SPDX-License-Identifier: MIT */
#include "support/json_decode.h"

#include <stdio.h>
#include <stdlib.h>

#include <yyjson.h>

#include "support/json_number.h"

enum {
    PADDING = 32,         /* zeros behind the copy: YYJSON_PADDING_SIZE, and wide loads of keys */
    KEEP_LIMIT = 4 << 20, /* what a larger payload took is given back */
    PAIRWISE_LIMIT = 8    /* keys that are compared with each other rather than hashed */
};

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

void json_decoder_init(struct json_decoder *decoder, const weir_host *host, uint32_t max_depth)
{
    memset(decoder, 0, sizeof *decoder);
    json_shapes_init(&decoder->shapes, host);
    decoder->root = json_shape_create(&decoder->shapes);
    decoder->max_depth = max_depth == 0 ? JSON_DECODE_DEPTH : max_depth;
    decoder->seed = (uint64_t)(uintptr_t)decoder * 0x9E3779B97F4A7C15u;
}

static void decoder_shrink(struct json_decoder *decoder)
{
    free(decoder->copy);
    free(decoder->pool);
    free(decoder->slots);
    decoder->copy = NULL;
    decoder->pool = NULL;
    decoder->slots = NULL;
    decoder->copy_room = 0;
    decoder->pool_room = 0;
    decoder->slot_room = 0;
}

void json_decoder_deinit(struct json_decoder *decoder)
{
    decoder_shrink(decoder);
}

/* ---- yyjson's memory: one block, since a document read in place asks for one -------------------
 */

static void *pool_realloc(void *self, void *memory, size_t old_size, size_t size)
{
    struct json_decoder *decoder = self;
    (void)memory;
    (void)old_size;
    if (size > decoder->pool_room) {
        void *pool = realloc(decoder->pool, size);
        if (pool == NULL) {
            return NULL;
        }
        decoder->pool = pool;
        decoder->pool_room = size;
    }
    return decoder->pool;
}

static void *pool_malloc(void *self, size_t size)
{
    return pool_realloc(self, NULL, 0, size);
}

static void pool_free(void *self, void *memory)
{
    (void)self;
    (void)memory;
}

/* ---- faults ------------------------------------------------------------------------------------
 */

static weir_status fail(struct json_fault *fault, uint64_t byte, const char *message)
{
    fault->byte = byte;
    snprintf(fault->message, sizeof fault->message, "%s", message);
    return WEIR_E_DATA;
}

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

/* ---- equal keys --------------------------------------------------------------------------------
 */

static bool is_same_key(const weir_member *a, const weir_member *b)
{
    return weir_same_bytes(a->key, a->key_len, b->key, b->key_len);
}

static uint64_t hash_key(uint64_t seed, const weir_member *m)
{
    uint64_t hash = seed ^ m->key_len;
    const char *p = m->key;
    uint32_t left = m->key_len;
    while (left > 0) {
        uint64_t word = 0;
        uint32_t taken = left < sizeof word ? left : (uint32_t)sizeof word;
        memcpy(&word, p, taken);
        hash = (hash ^ word) * 0x9FB21C651E98DF25u;
        hash ^= hash >> 29;
        p += taken;
        left -= taken;
    }
    return hash;
}

/* The number of kept members, of the first `count`, that has this key; `count` if none. */
static uint32_t find_pairwise(const weir_member *members, uint32_t count, const weir_member *m)
{
    uint32_t i = 0;
    while (i < count && !is_same_key(&members[i], m)) {
        i++;
    }
    return i;
}

/* The same by the decoder's table, which takes in the member where it is new. */
static uint32_t find_hashed(const struct json_decoder *decoder, uint64_t mask,
                            const weir_member *members, uint32_t count, const weir_member *m)
{
    uint64_t slot = hash_key(decoder->seed, m) & mask;
    while (decoder->slots[slot] != 0) {
        uint32_t i = decoder->slots[slot] - 1;
        if (is_same_key(&members[i], m)) {
            return i;
        }
        slot = (slot + 1) & mask;
    }
    decoder->slots[slot] = count + 1;
    return count;
}

static bool clear_slots(struct json_decoder *decoder, uint64_t size)
{
    if (size > decoder->slot_room) {
        uint32_t *slots = realloc(decoder->slots, size * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        decoder->slots = slots;
        decoder->slot_room = size;
    }
    memset(decoder->slots, 0, size * sizeof *decoder->slots);
    return true;
}

/* Moves together what is left when the last of equal keys has taken the first's place. */
static bool drop_equal_keys(struct walk *w, weir_member *members, uint32_t *count)
{
    uint64_t size = 16;
    bool is_hashed = *count > PAIRWISE_LIMIT;
    if (is_hashed) {
        while (size < (uint64_t)*count * 2) {
            size *= 2;
        }
        if (!clear_slots(w->decoder, size)) {
            return no_memory(w);
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t k = is_hashed ? find_hashed(w->decoder, size - 1, members, kept, &members[i])
                               : find_pairwise(members, kept, &members[i]);
        if (k < kept) {
            members[k].value = members[i].value;
            w->dropped++;
        } else {
            members[kept] = members[i];
            kept++;
        }
    }
    *count = kept;
    return true;
}

/* ---- containers --------------------------------------------------------------------------------
 */

static bool take_container(struct walk *w, const yyjson_val *val, struct json_shape *shape,
                           uint32_t depth, weir_value *ret);

/* 16 bytes for the source, then `size` bytes for items or members. */
static void *container_room(struct walk *w, uint64_t size)
{
    uint8_t *memory = weir_alloc(w->ctx, sizeof(weir_slice) + size);
    if (memory == NULL) {
        no_memory(w);
        return NULL;
    }
    return memory + sizeof(weir_slice);
}

static void container_source(void *items, const char *begin, const char *end)
{
    weir_slice source = { (const uint8_t *)begin, (uint64_t)(end - begin) };
    memcpy((uint8_t *)items - sizeof source, &source, sizeof source);
}

static bool take_list(struct walk *w, uint32_t count, struct json_shape *shape, uint32_t depth,
                      weir_value *ret)
{
    weir_value *items = container_room(w, (uint64_t)count * sizeof *items);
    if (items == NULL) {
        return false;
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

static struct json_shape *child_shape(struct walk *w, struct json_key *key)
{
    if (key == NULL) {
        return NULL;
    }
    if (key->child == NULL) {
        key->child = json_shape_create(&w->decoder->shapes);
    }
    return key->child;
}

static bool take_map(struct walk *w, uint32_t count, struct json_shape *shape, uint32_t depth,
                     weir_value *ret)
{
    weir_member *members = container_room(w, (uint64_t)count * sizeof *members);
    if (members == NULL) {
        return false;
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
        bool is_taken = is_container(val)
                            ? take_container(w, val, child_shape(w, key), depth, &m->value)
                            : take_leaf(w, val, m->symbol >= WEIR_SYMBOL_FIRST, &m->value);
        if (!is_taken) {
            return false;
        }
    }
    json_pass_end(&pass, count);
    if (!pass.is_ordered && !drop_equal_keys(w, members, &count)) {
        return false;
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
        char message[64];
        snprintf(message, sizeof message, "nested deeper than %u levels", w->decoder->max_depth);
        w->st = fail(w->fault, (uint64_t)(begin - w->text), message);
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
        void *items = (void *)(uintptr_t)ret->as.bits;
        container_source(items, begin, w->at);
        ret->flags = WEIR_VALUE_SOURCE;
    }
    return true;
}

/* ---- a payload ---------------------------------------------------------------------------------
 */

static bool copy_payload(struct json_decoder *decoder, weir_slice payload)
{
    uint64_t room = payload.size + PADDING;
    if (room > decoder->copy_room) {
        room += room / 2;
        char *copy = realloc(decoder->copy, room);
        if (copy == NULL) {
            return false;
        }
        decoder->copy = copy;
        decoder->copy_room = room;
    }
    memcpy(decoder->copy, payload.data, payload.size);
    memset(decoder->copy + payload.size, 0, PADDING);
    return true;
}

static weir_status check_size(weir_slice payload, struct json_fault *fault)
{
    if (payload.size == 0) {
        return fail(fault, 0, "the payload is empty");
    }
    if (payload.size > UINT32_MAX) {
        return fail(fault, UINT32_MAX, "the payload is larger than 4 GiB");
    }
    if (payload.size >= 3 && memcmp(payload.data, "\xEF\xBB\xBF", 3) == 0) {
        return fail(fault, 0, "a byte order mark (EF BB BF) stands at the start; remove it");
    }
    return WEIR_OK;
}

static weir_status walk_document(struct json_decoder *decoder, weir_context *ctx,
                                 weir_slice payload, const yyjson_doc *doc, weir_value *ret,
                                 struct json_fault *fault)
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

weir_status json_decode(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                        weir_value *ret_value, struct json_fault *ret_fault)
{
    weir_status st = check_size(payload, ret_fault);
    if (st != WEIR_OK) {
        return st;
    }
    if (!copy_payload(decoder, payload)) {
        return WEIR_E_NOMEM;
    }
    yyjson_alc alc = { pool_malloc, pool_realloc, pool_free, decoder };
    yyjson_read_err err;
    yyjson_doc *doc = yyjson_read_opts(decoder->copy, payload.size,
                                       YYJSON_READ_INSITU | YYJSON_READ_NUMBER_AS_RAW, &alc, &err);
    if (doc != NULL) {
        st = walk_document(decoder, ctx, payload, doc, ret_value, ret_fault);
    } else if (err.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) {
        st = WEIR_E_NOMEM;
    } else {
        st = fail(ret_fault, err.pos, err.msg);
    }
    if (decoder->copy_room > KEEP_LIMIT) {
        decoder_shrink(decoder);
    }
    return st;
}
