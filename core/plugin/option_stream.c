/* SPDX-License-Identifier: MIT */
/*
 * Options that name a stream. Whether there is one of that name is for the pipeline to say: here the
 * names are gathered, with their places.
 */
#include <string.h>

#include "plugin/option_reader.h"

enum { MOST_BYTES = 401 }; /* of stream.output */

static struct option_stream *add_stream(const struct options_scope *scope)
{
    struct option_streams *streams = scope->streams;
    if (streams->count == streams->capacity) {
        size_t capacity = streams->capacity == 0 ? 4 : streams->capacity * 2;
        struct option_stream *items = arena_alloc(scope->arena, capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        if (streams->count > 0) {
            memcpy(items, streams->items, streams->count * sizeof *items);
        }
        streams->items = items;
        streams->capacity = capacity;
    }
    return &streams->items[streams->count++];
}

bool option_read_stream(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, weir_text *ret)
{
    const struct options_scope *scope = reader->scope;
    size_t len = 0;
    if (node->kind != NODE_SCALAR) {
        return option_mismatch(reader, option, node, NULL,
                               node->kind == NODE_LIST
                                   ? "write one name"
                                   : "give a topic or source a stream of its own and name that");
    }
    const char *text = option_substitute(scope, node, &len);
    if (text == NULL) {
        return false;
    }
    if (len == 0 || len > MOST_BYTES || strlen(text) != len) {
        return option_mismatch(reader, option, node, text, NULL);
    }
    *ret = (weir_text){ text, len };
    if (scope->streams == NULL) {
        return true; /* a plugin without inputs, which has been refused */
    }
    struct option_stream *stream = add_stream(scope);
    if (stream == NULL) {
        return option_out_of_memory(scope, node->place);
    }
    *stream = (struct option_stream){ reader->name, text, node->place };
    return true;
}
