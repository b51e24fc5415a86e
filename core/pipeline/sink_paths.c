/* SPDX-License-Identifier: MIT */
/*
 * Two ends that write to one path would overwrite each other's files. Which option of a sink is a
 * path stands in its table.
 */
#include <string.h>

#include "base/buffer.h"
#include "pipeline/parts.h"

/* Appends a path without what does not matter: "//", "/./", a '/' at the end. `..` stays, since
 * links may stand before it. */
static void append_path(weir_buffer *out, const char *path)
{
    size_t start = out->size;
    for (const char *at = path; *at != '\0'; at++) {
        bool is_after_slash = at == path || at[-1] == '/';
        if (at[0] == '/' && at != path && is_after_slash) {
            continue;
        }
        if (at[0] == '.' && is_after_slash && (at[1] == '/' || at[1] == '\0')) {
            at += at[1] == '/' ? 1 : 0;
            continue;
        }
        (void)weir_buffer_append(out, at, 1);
    }
    if (out->size > start + 1 && out->data[out->size - 1] == '/') {
        out->size--;
    }
}

static void check_path(struct resolver *resolver, struct hashmap *seen, struct plugin_use *use,
                       const weir_option *option)
{
    const weir_text *path =
        (const weir_text *)(const void *)((const char *)use->config + option->offset);
    if (path->data == NULL) {
        return;
    }
    weir_buffer key;
    buffer_init(&key, path->size + 256);
    (void)buffer_printf(&key, "%s.%s %s ", use->factory->plugin->entry->id,
                        use->factory->spec->name, option->name);
    uint64_t start = key.size;
    append_path(&key, path->data);
    const char *text = buffer_c_string(&key);
    const struct plugin_use *other = text != NULL ? hashmap_get(seen, text, key.size) : NULL;
    if (other != NULL) {
        resolver_fault(resolver, use->place,
                       "%s and this end both write to '%s'; give each a path of its own",
                       other->label, text + start);
    } else if (text == NULL || !hashmap_put(seen, text, key.size, use)) {
        resolver->diagnostics->is_out_of_memory = true;
    }
    buffer_deinit(&key);
}

static void check_use(struct resolver *resolver, struct hashmap *seen, struct plugin_use *use)
{
    const weir_option *option = use->factory != NULL ? use->factory->spec->options : NULL;
    for (; option != NULL && option->name != NULL && use->config != NULL; option++) {
        if (option->type == WEIR_OPTION_TEXT && (option->flags & WEIR_OPTION_PATH) != 0) {
            check_path(resolver, seen, use, option);
        }
    }
}

void sink_paths_check(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    struct hashmap seen;
    hashmap_init(&seen);
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        for (size_t k = 0; k < stream->end_count; k++) {
            if (stream->ends[k].kind == END_SINK) {
                check_use(resolver, &seen, &stream->ends[k].plugin);
            }
        }
    }
    if (pipeline->dead_letters != NULL && pipeline->dead_letters->kind == END_SINK) {
        check_use(resolver, &seen, &pipeline->dead_letters->plugin);
    }
    hashmap_deinit(&seen);
}
