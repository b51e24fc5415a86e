/* SPDX-License-Identifier: MIT */
/*
 * What a decoder remembers of objects that it met at one place of a document: the sequence of their
 * keys with their symbols. As long as records look alike, a key costs one comparison, and keys that
 * come in the remembered order cannot repeat.
 *
 * The memory belongs to the instance and is bounded; what does not fit is looked up every time. A
 * shape that is met by objects of ever other keys rests for a while.
 */
#ifndef SUPPORT_JSON_SHAPE_H
#define SUPPORT_JSON_SHAPE_H

#include <stdbool.h>
#include <string.h>

#include <weir/host.h>

enum { JSON_KEY_HEAD = 16 }; /* bytes that may be read from where a key begins */

struct json_shape;

/*
 * head, mask  the first 16 bytes, and which of them are the key's
 * child       of the objects that stand under this key, also as items of lists; NULL until needed
 */
struct json_key {
    uint64_t head[2];
    uint64_t mask[2];
    const char *text;
    uint32_t len;
    uint32_t symbol;
    struct json_shape *child;
};

/*
 * keys     in the order of the objects, each once
 * learned  keys that were ever put in: bounds the work of learning
 * score    falls with keys that were not met where they were expected
 * rest     objects to let pass before the shape is tried again
 */
struct json_shape {
    struct json_key *keys;
    uint32_t count;
    uint32_t capacity;
    uint32_t learned;
    int32_t score;
    uint32_t rest;
};

/* host NULL: nothing is remembered and every symbol is WEIR_SYMBOL_NONE. */
struct json_shapes {
    const weir_host *host;
    const weir_memory_api *memory;
    const weir_symbols_api *symbols;
    uint64_t bytes_left;
    bool is_refused; /* the host had no memory: the call is to end with a fault */
};

/* The way through one object. */
struct json_pass {
    struct json_shape *shape; /* NULL: none, or it rests */
    uint32_t next;            /* the key expected */
    uint32_t misses;
    bool is_ordered; /* every key so far was met in the remembered order: none repeats */
};

void json_shapes_init(struct json_shapes *shapes, const weir_host *host);
/* NULL: the memory is used up. */
struct json_shape *json_shape_create(struct json_shapes *shapes);

/* The shape of objects under this key. NULL: the key is, or the memory is used up. */
static inline struct json_shape *json_key_child(struct json_shapes *shapes, struct json_key *key)
{
    if (key != NULL && key->child == NULL) {
        key->child = json_shape_create(shapes);
    }
    return key == NULL ? NULL : key->child;
}

/* shape: NULL is allowed. */
static inline struct json_pass json_pass_begin(struct json_shape *shape)
{
    struct json_pass pass = { shape, 0, 0, true };
    if (shape != NULL && shape->rest > 0) {
        shape->rest--;
        pass.shape = NULL;
    }
    return pass;
}

/* Judges the shape by this object. */
void json_pass_end(const struct json_pass *pass, uint32_t key_count);

/* The symbol of a key that needs no escaping and was not where it was expected. */
uint32_t json_pass_search(struct json_shapes *shapes, struct json_pass *pass, const char *text,
                          uint32_t len, struct json_key **ret_key);

/* The symbol of a key that was written with escapes. */
uint32_t json_symbol(const struct json_shapes *shapes, const char *text, uint32_t len,
                     bool is_plain);

static inline bool json_key_is(const struct json_key *key, const char *text, uint32_t len)
{
    if (key->len != len) {
        return false;
    }
    uint64_t head[2];
    memcpy(head, text, sizeof head);
    uint64_t differs =
        ((head[0] ^ key->head[0]) & key->mask[0]) | ((head[1] ^ key->head[1]) & key->mask[1]);
    return differs == 0 &&
           (len <= JSON_KEY_HEAD ||
            memcmp(text + JSON_KEY_HEAD, key->text + JSON_KEY_HEAD, len - JSON_KEY_HEAD) == 0);
}

/* The key that came here last time; NULL: none. */
static inline struct json_key *json_pass_expected(const struct json_pass *pass)
{
    const struct json_shape *shape = pass->shape;
    return shape != NULL && pass->next < shape->count ? &shape->keys[pass->next] : NULL;
}

/*
 * The symbol of the object's next key, which needs no escaping. JSON_KEY_HEAD bytes must be
 * readable at `text`, whatever its length. *ret_key: where it is remembered, or NULL; good until
 * the next call.
 */
static inline uint32_t json_pass_next(struct json_shapes *shapes, struct json_pass *pass,
                                      const char *text, uint32_t len, struct json_key **ret_key)
{
    struct json_key *key = json_pass_expected(pass);
    if (key != NULL && json_key_is(key, text, len)) {
        pass->next++;
        *ret_key = key;
        return key->symbol;
    }
    return json_pass_search(shapes, pass, text, len, ret_key);
}

#endif
