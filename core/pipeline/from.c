/* SPDX-License-Identifier: MIT */
/*
 * `from`: other streams by name, a topic, or a source.
 */
#include <string.h>

#include <weir/source.h>

#include "base/buffer.h"
#include "pipeline/names.h"
#include "pipeline/parts.h"

/* ---- streams --------------------------------------------------------------------------------- */

/* Names of the outputs of a stream's last step; NULL: it has none. */
static const char *const *named_outputs(const struct stream *stream)
{
    if (stream->step_count == 0) {
        return NULL;
    }
    const struct factory *factory = stream->steps[stream->step_count - 1].factory;
    return factory != NULL ? factory->spec->outputs : NULL;
}

/* `stream.output` where the stream exists. */
static void report_output(struct resolver *resolver, struct place place,
                          const struct stream *stream, const char *output)
{
    const char *const *outputs = named_outputs(stream);
    if (outputs == NULL || outputs[0] == NULL) {
        resolver_fault(resolver, place,
                       "stream '%s' has no output '%s', it has one without a name; write '%s'",
                       stream->name, output, stream->name);
        return;
    }
    weir_buffer list;
    buffer_init(&list, 4096);
    for (size_t i = 0; outputs[i] != NULL; i++) {
        (void)buffer_printf(&list, "%s%s", i > 0 ? ", " : "", outputs[i]);
    }
    const char *names = buffer_c_string(&list);
    resolver_fault(resolver, place,
                   "named outputs come with a later version; the last step of stream '%s' has: %s",
                   stream->name, names != NULL ? names : "");
    buffer_deinit(&list);
}

static void report_no_stream(struct resolver *resolver, struct place place, const char *name)
{
    const char *dot = strchr(name, '.');
    const struct stream *before = NULL;
    if (dot != NULL) {
        before = hashmap_get(&resolver->streams, name, (size_t)(dot - name));
    }
    const char *near = nearest_key(&resolver->streams, name);
    const char *near_topic = nearest_key(&resolver->topics, name);
    if (before != NULL) {
        report_output(resolver, place, before, dot + 1);
    } else if (hashmap_get(&resolver->topics, name, strlen(name)) != NULL) {
        resolver_fault(resolver, place,
                       "'%s' is a topic, and a name alone is a stream; write {topic: %s}", name,
                       name);
    } else if (registry_find(resolver->pipeline->registry, WEIR_KIND_SOURCE, name, strlen(name)) !=
               NULL) {
        resolver_fault(resolver, place,
                       "'%s' is a source, and a name alone is a stream; write {%s: OPTIONS}", name,
                       name);
    } else if (near != NULL) {
        resolver_fault(resolver, place, "unknown stream '%s'; did you mean '%s'?", name, near);
    } else if (near_topic != NULL) {
        resolver_fault(resolver, place, "unknown stream '%s'; did you mean {topic: %s}?", name,
                       near_topic);
    } else {
        resolver_fault(resolver, place,
                       "unknown stream '%s'; a topic is written {topic: NAME}, a source {NAME: "
                       "OPTIONS}",
                       name);
    }
}

static void add_parent(struct resolver *resolver, struct stream *stream, const struct node *item)
{
    const char *name = resolver_name(resolver, item, "a stream");
    if (name == NULL) {
        return;
    }
    struct stream *parent = hashmap_get(&resolver->streams, name, strlen(name));
    if (parent == NULL) {
        report_no_stream(resolver, item->place, name);
        return;
    }
    if (parent != stream) {
        parent->is_read = true;
    }
    stream->parents[stream->parent_count] = parent;
    stream->parent_places[stream->parent_count++] = item->place;
}

/* A stream that stands twice in a list would bring each record twice, at equal places in order. */
static void check_doubles(struct resolver *resolver, const struct stream *stream)
{
    struct hashmap seen;
    hashmap_init(&seen);
    for (size_t i = 0; i < stream->parent_count; i++) {
        struct stream *parent = stream->parents[i];
        size_t len = strlen(parent->name);
        if (hashmap_get(&seen, parent->name, len) != NULL) {
            resolver_fault(resolver, stream->parent_places[i],
                           "stream '%s' stands twice in this list; remove one of them",
                           parent->name);
        } else if (!hashmap_put(&seen, parent->name, len, parent)) {
            resolver->diagnostics->is_out_of_memory = true;
        }
    }
    hashmap_deinit(&seen);
}

/* items: streams by name. */
static void read_streams(struct resolver *resolver, struct stream *stream,
                         const struct node *const *items, size_t count)
{
    stream->parents = resolver_alloc(resolver, count, sizeof(struct stream *));
    stream->parent_places = resolver_alloc(resolver, count, sizeof *stream->parent_places);
    if (stream->parents == NULL || stream->parent_places == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind == NODE_SCALAR) {
            add_parent(resolver, stream, items[i]);
        } else {
            resolver_fault(resolver, items[i]->place,
                           "a list under 'from' joins streams by name; give this topic or source a "
                           "stream of its own and name that");
        }
    }
    check_doubles(resolver, stream);
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
