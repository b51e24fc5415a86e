/* SPDX-License-Identifier: MIT */
/*
 * `from`: other streams by name, a topic, or a source.
 */
#include <string.h>

#include "pipeline/parts.h"

/* ---- streams --------------------------------------------------------------------------------- */

/* items: streams by name. */
static void read_streams(struct resolver *resolver, struct stream *stream,
                         const struct node *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind == NODE_SCALAR) {
            const char *name = resolver_name(resolver, items[i], "a stream");
            input_add(resolver, stream,
                      &(struct stream_input){ .name = name, .place = items[i]->place });
        } else {
            resolver_fault(resolver, items[i]->place,
                           "a list under 'from' joins streams by name; give this topic or source a "
                           "stream of its own and name that");
        }
    }
    stream->from_count = stream->input_count;
    inputs_check_doubles(resolver, stream, 0);
}

/* ---- topics and sources ---------------------------------------------------------------------- */

static void read_topic(struct resolver *resolver, struct stream *stream,
                       const struct written *written)
{
    for (size_t i = 0; i < written->map->count; i++) {
        const struct node *key = written->map->pairs[i].key;
        if (key != written->name && key_find(source_spot.siblings, key) != NULL) {
            resolver_fault(resolver, key->place,
                           "'%s' is for sources; remove it, or write it at the topic, under "
                           "'topics:'",
                           key->text);
        }
    }
    stream->topic = written_topic(resolver, written);
    if (stream->topic != NULL) {
        stream->topic->is_read = true;
    }
}

static void read_source(struct resolver *resolver, struct stream *stream,
                        const struct written *written)
{
    const char *where = resolver_text(resolver, "streams.%s.from", stream->name);
    struct source_use *source = resolver_alloc(resolver, 1, sizeof *source);
    if (where == NULL || source == NULL) {
        return;
    }
    struct draft *draft = stream_draft(resolver, stream);
    source->key = written->siblings.key;
    source->event_time = written->siblings.event_time;
    draft->partitions = written->siblings.partitions;
    draft->source = written->map;
    stream->source = source;
    source->plugin.stream = stream->name;
    if (written_use(resolver, &source_spot, written, where, &source->plugin) &&
        source->plugin.id == NULL) {
        source->plugin.id = source->plugin.factory->spec->name;
    }
}

void from_read(struct resolver *resolver, struct stream *stream, const struct node *from)
{
    stream_draft(resolver, stream)->from = from->place;
    if (from->kind == NODE_SCALAR) {
        read_streams(resolver, stream, &from, 1);
        return;
    }
    if (from->kind == NODE_LIST) {
        if (from->count == 0) {
            resolver_fault(resolver, from->place, "this list of streams is empty; name one");
        }
        read_streams(resolver, stream, from->items, from->count);
        return;
    }
    struct written written;
    if (!written_read(resolver, &source_spot, from, &written)) {
        return;
    }
    if (written_is_topic(&source_spot, &written)) {
        read_topic(resolver, stream, &written);
    } else {
        read_source(resolver, stream, &written);
    }
}
