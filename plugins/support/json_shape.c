/* SPDX-License-Identifier: MIT */
#include "support/json_shape.h"

enum {
    BYTES_LIMIT = 1 << 20, /* of all shapes of a decoder */
    KEYS_LIMIT = 1024,     /* of one shape */
    LEARN_LIMIT = 2048,    /* keys that one shape ever takes in */
    SCORE_LIMIT = 256,
    REST = 4096
};

void json_shapes_init(struct json_shapes *shapes, const weir_host *host)
{
    memset(shapes, 0, sizeof *shapes);
    shapes->host = host;
    if (host != NULL) {
        shapes->memory = host->get_extension(host, WEIR_MEMORY);
        shapes->symbols = host->get_extension(host, WEIR_SYMBOLS);
        shapes->bytes_left = BYTES_LIMIT;
    }
}

static void *shapes_alloc(struct json_shapes *shapes, uint64_t size)
{
    if (shapes->memory == NULL || size > shapes->bytes_left) {
        return NULL;
    }
    shapes->bytes_left -= size;
    void *memory = shapes->memory->alloc(shapes->host, size);
    shapes->is_refused |= memory == NULL;
    return memory;
}

struct json_shape *json_shape_create(struct json_shapes *shapes)
{
    return shapes_alloc(shapes, sizeof(struct json_shape));
}

uint32_t json_symbol(const struct json_shapes *shapes, const char *text, uint32_t len,
                     bool is_plain)
{
    if (shapes->symbols == NULL) {
        return WEIR_SYMBOL_NONE;
    }
    uint32_t symbol = shapes->symbols->lookup(shapes->host, text, len);
    return symbol == WEIR_SYMBOL_NONE && is_plain ? WEIR_SYMBOL_PLAIN : symbol;
}

static bool shape_grow(struct json_shapes *shapes, struct json_shape *shape)
{
    if (shape->count < shape->capacity) {
        return true;
    }
    uint32_t capacity = shape->capacity == 0 ? 16 : shape->capacity * 2;
    struct json_key *keys =
        capacity > KEYS_LIMIT ? NULL : shapes_alloc(shapes, capacity * sizeof(struct json_key));
    if (keys == NULL) {
        return false;
    }
    if (shape->count > 0) {
        memcpy(keys, shape->keys, shape->count * sizeof *keys);
    }
    shape->keys = keys;
    shape->capacity = capacity;
    return true;
}

/* Puts a key in front of number `at`. NULL: there is no room for it. */
static struct json_key *shape_learn(struct json_shapes *shapes, struct json_shape *shape,
                                    uint32_t at, const char *text, uint32_t len)
{
    if (shape->learned >= LEARN_LIMIT || !shape_grow(shapes, shape)) {
        return NULL;
    }
    char *copy = shapes_alloc(shapes, (uint64_t)len + 1);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, text, len);
    memmove(&shape->keys[at + 1], &shape->keys[at], (shape->count - at) * sizeof *shape->keys);
    shape->count++;
    shape->learned++;
    struct json_key *key = &shape->keys[at];
    memset(key, 0, sizeof *key);
    uint32_t head = len < JSON_KEY_HEAD ? len : JSON_KEY_HEAD;
    memcpy(key->head, text, head);
    memset(key->mask, 0xFF, head);
    key->text = copy;
    key->len = len;
    key->symbol = json_symbol(shapes, text, len, true);
    return key;
}

static struct json_key *shape_find(const struct json_shape *shape, uint32_t from, uint32_t to,
                                   const char *text, uint32_t len)
{
    for (uint32_t i = from; i < to; i++) {
        if (json_key_is(&shape->keys[i], text, len)) {
            return &shape->keys[i];
        }
    }
    return NULL;
}

uint32_t json_pass_search(struct json_shapes *shapes, struct json_pass *pass, const char *text,
                          uint32_t len, struct json_key **ret_key)
{
    struct json_shape *shape = pass->shape;
    struct json_key *key = NULL;
    pass->misses++;
    if (shape != NULL) {
        key = shape_find(shape, pass->next, shape->count, text, len);
        if (key == NULL) {
            key = shape_find(shape, 0, pass->next, text, len);
            if (key != NULL) { /* out of order: it may have been met before */
                pass->is_ordered = false;
                *ret_key = key;
                return key->symbol;
            }
            key = shape_learn(shapes, shape, pass->next, text, len);
        }
    }
    *ret_key = key;
    if (key == NULL) {
        pass->is_ordered = false;
        return json_symbol(shapes, text, len, true);
    }
    pass->next = (uint32_t)(key - shape->keys) + 1;
    return key->symbol;
}

void json_pass_end(const struct json_pass *pass, uint32_t key_count)
{
    struct json_shape *shape = pass->shape;
    if (shape == NULL) {
        return;
    }
    if (pass->misses == 0) {
        shape->score += shape->score < SCORE_LIMIT;
        return;
    }
    if (pass->misses * 2 > key_count) {
        shape->score -= (int32_t)(key_count < SCORE_LIMIT ? key_count : SCORE_LIMIT);
    }
    if (shape->score < -SCORE_LIMIT) {
        shape->score = 0;
        shape->rest = REST;
    }
}
