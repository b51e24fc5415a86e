/* SPDX-License-Identifier: MIT */
/*
 * Nodes and places of a document. Places are byte ranges; lines and columns are only counted when
 * somebody is shown one.
 */
#include "base/document.h"

#include <string.h>

#include "base/utf8.h"

bool node_is(const struct node *scalar, const char *text)
{
    size_t len = strlen(text);
    return scalar != NULL && scalar->kind == NODE_SCALAR && scalar->text_len == len &&
           memcmp(scalar->text, text, len) == 0;
}

const struct node *node_get(const struct node *map, const char *key)
{
    if (map == NULL || map->kind != NODE_MAP) {
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (node_is(map->pairs[i].key, key)) {
            return map->pairs[i].value;
        }
    }
    return NULL;
}

struct place node_text_place(const struct node *scalar, size_t from, size_t to)
{
    if (scalar->kind != NODE_SCALAR || scalar->place.file == NULL) {
        return scalar->place;
    }
    size_t last = to < scalar->text_len ? to : scalar->text_len;
    size_t first = from < last ? from : last;
    if (scalar->offsets == NULL) {
        uint32_t offset = scalar->place.offset + (uint32_t)first;
        return (struct place){ scalar->place.file, offset, (uint32_t)(last - first) };
    }
    uint32_t offset = scalar->offsets[first];
    uint32_t end = scalar->offsets[last];
    return (struct place){ scalar->place.file, offset, end > offset ? end - offset : 0 };
}

struct document_position document_position(struct place place)
{
    if (place.file == NULL) {
        return (struct document_position){ 0, 0 };
    }
    const char *text = place.file->text;
    size_t offset = place.offset < place.file->size ? place.offset : place.file->size;
    uint32_t line = 1;
    size_t line_start = 0;
    for (size_t at = 0; at < offset;) {
        const char *found = memchr(text + at, '\n', offset - at);
        if (found == NULL) {
            break;
        }
        at = (size_t)(found - text) + 1;
        line_start = at;
        line++;
    }
    size_t column = utf8_length(text + line_start, offset - line_start);
    return (struct document_position){ line, (uint32_t)column + 1 };
}
