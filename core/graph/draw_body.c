/* SPDX-License-Identifier: MIT */
/*
 * What stands behind a plugin's name in the file, from its filled config and its option table: so it
 * is right for every plugin, and secrets stay out.
 */
#include <string.h>

#include <weir/option.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "graph/draw.h"

enum { BODY_LIMIT = 1 << 16 };

/* One line: white space and control characters become one blank. */
static weir_status add_line(weir_buffer *out, const char *text, size_t len)
{
    weir_status st = WEIR_OK;
    bool is_gap = false;
    for (size_t i = 0; i < len && st == WEIR_OK; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c <= ' ' || c == 0x7f) {
            is_gap = i > 0;
            continue;
        }
        if (is_gap) {
            st = buffer_text(out, " ");
            is_gap = false;
        }
        if (st == WEIR_OK) {
            st = weir_buffer_append(out, &text[i], 1);
        }
    }
    return st;
}

static weir_status add_text(weir_buffer *out, weir_text text)
{
    return text.data == NULL ? WEIR_OK : add_line(out, text.data, (size_t)text.size);
}

static weir_status add_path(weir_buffer *out, weir_text text, const char *folder)
{
    size_t len = strlen(folder);
    if (text.data != NULL && text.size > len + 1 && memcmp(text.data, folder, len) == 0 &&
        text.data[len] == '/') {
        text = (weir_text){ text.data + len + 1, text.size - len - 1 };
    }
    return add_text(out, text);
}

/* A value that is neither list nor map; of other kinds nothing is told. */
static weir_status add_scalar(weir_buffer *out, const weir_option *option, uint32_t type,
                              const weir_option_value *value, const char *folder)
{
    switch (type) {
    case WEIR_OPTION_TEXT:
        return (option->flags & WEIR_OPTION_PATH) != 0 ? add_path(out, value->text, folder)
                                                       : add_text(out, value->text);
    case WEIR_OPTION_STREAM:
        return add_text(out, value->text);
    case WEIR_OPTION_EXPRESSION:
        return value->expression == NULL ? WEIR_OK : add_text(out, expr_text(value->expression));
    case WEIR_OPTION_TARGET:
        return value->target == NULL ? WEIR_OK : add_text(out, value->target->text);
    case WEIR_OPTION_ENUM:
        return buffer_text(out, option->enum_names[value->i64]);
    case WEIR_OPTION_INT:
        return buffer_printf(out, "%lld", (long long)value->i64);
    default:
        return WEIR_OK;
    }
}

static weir_status add_list(weir_buffer *out, const weir_option *option,
                            const weir_option_list *list, const char *folder)
{
    weir_status st = WEIR_OK;
    for (uint64_t i = 0; i < list->count && st == WEIR_OK; i++) {
        st = i > 0 ? buffer_text(out, ", ") : WEIR_OK;
        if (st == WEIR_OK) {
            st = add_scalar(out, option->element, option->element->type, &list->items[i], folder);
        }
    }
    return st;
}

/* The value behind a key; left out where it says nothing new (`select: [a]`). */
static weir_status add_pair_value(weir_buffer *out, const weir_option *option,
                                  const weir_option_pair *pair, uint64_t key_from,
                                  const char *folder)
{
    uint64_t key_size = out->size - key_from;
    weir_status st = buffer_text(out, ": ");
    uint64_t from = out->size;
    if (st == WEIR_OK) {
        st = add_scalar(out, option->element, option->element->type, &pair->value, folder);
    }
    uint64_t size = out->size - from;
    if (st == WEIR_OK &&
        (size == 0 ||
         (size == key_size && memcmp(out->data + key_from, out->data + from, (size_t)size) == 0))) {
        out->size = key_from + key_size;
    }
    return st;
}

static weir_status add_map(weir_buffer *out, const weir_option *option, const weir_option_map *map,
                           const char *folder, bool is_short)
{
    weir_status st = WEIR_OK;
    for (uint64_t i = 0; i < map->count && st == WEIR_OK; i++) {
        st = i > 0 ? buffer_text(out, ", ") : WEIR_OK;
        uint64_t key_from = out->size;
        if (st == WEIR_OK) {
            st = add_scalar(out, option, option->key_type, &map->items[i].key, folder);
        }
        if (st == WEIR_OK && (!is_short || map->count == 1)) {
            st = add_pair_value(out, option, &map->items[i], key_from, folder);
        }
    }
    return st;
}

/* Bytes that a value of this type takes in a config. */
static size_t size_of(uint32_t type)
{
    switch (type) {
    case WEIR_OPTION_TEXT:
    case WEIR_OPTION_STREAM:
        return sizeof(weir_text);
    case WEIR_OPTION_EXPRESSION:
    case WEIR_OPTION_TARGET:
        return sizeof(const void *);
    case WEIR_OPTION_ENUM:
    case WEIR_OPTION_INT:
        return sizeof(int64_t);
    default:
        return 0;
    }
}

static const weir_option *find_body(const struct plugin_use *use)
{
    if (use->factory == NULL || use->config == NULL) {
        return NULL;
    }
    const weir_option *option = use->factory->spec->options;
    while (option != NULL && option->name != NULL && (option->flags & WEIR_OPTION_BODY) == 0) {
        option++;
    }
    return option != NULL && option->name != NULL ? option : NULL;
}

static weir_status add_body(weir_buffer *out, const weir_option *option,
                            const struct plugin_use *use, const char *folder, bool is_short)
{
    const uint8_t *field = (const uint8_t *)use->config + option->offset;
    if (option->type == WEIR_OPTION_LIST) {
        weir_option_list list;
        memcpy(&list, field, sizeof list);
        return add_list(out, option, &list, folder);
    }
    if (option->type == WEIR_OPTION_MAP) {
        weir_option_map map;
        memcpy(&map, field, sizeof map);
        return add_map(out, option, &map, folder, is_short);
    }
    weir_option_value value = { 0 };
    memcpy(&value, field, size_of(option->type));
    return add_scalar(out, option, option->type, &value, folder);
}

const char *draw_body(const struct plugin_use *use, const char *folder, bool is_short,
                      struct arena *arena)
{
    const weir_option *option = find_body(use);
    if (option == NULL) {
        return "";
    }
    weir_buffer text;
    buffer_init(&text, BODY_LIMIT);
    weir_status st = add_body(&text, option, use, folder != NULL ? folder : "", is_short);
    const char *body = NULL;
    if (st == WEIR_OK || st == WEIR_E_LIMIT) { /* what does not fit is cut */
        const char *data = text.data != NULL ? (const char *)text.data : "";
        body = arena_copy(arena, data, utf8_valid_prefix(data, (size_t)text.size));
    }
    buffer_deinit(&text);
    return body;
}
