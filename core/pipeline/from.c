/* SPDX-License-Identifier: MIT */
/*
 * `from`: other streams by name, a topic, or a source.
 */
#include <string.h>

#include <weir/source.h>

#include "pipeline/names.h"
#include "pipeline/parts.h"

/* ---- streams --------------------------------------------------------------------------------- */

static void report_no_stream(struct resolver *resolver, struct place place, const char *name)
{
    const char *dot = strchr(name, '.');
    const char *head =
        dot != NULL ? resolver_text(resolver, "%.*s", (int)(dot - name), name) : name;
    const char *near = nearest_key(&resolver->streams, head != NULL ? head : name);
    const char *near_topic = nearest_key(&resolver->topics, name);
    if (hashmap_get(&resolver->topics, name, strlen(name)) != NULL) {
        resolver_fault(resolver, place,
                       "'%s' is a topic, and a name alone is a stream; write {topic: %s}", name,
                       name);
    } else if (registry_find(resolver->pipeline->registry, WEIR_KIND_SOURCE, name, strlen(name)) !=
               NULL) {
        resolver_fault(resolver, place,
                       "'%s' is a source, and a name alone is a stream; write {%s: OPTIONS}", name,
                       name);
    } else if (near != NULL) {
        resolver_fault(resolver, place, "unknown stream '%s'; did you mean '%s'?",
                       head != NULL ? head : name, near);
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
    const char *dot = strchr(name, '.');
    size_t len = dot != NULL ? (size_t)(dot - name) : strlen(name);
    struct stream *parent = hashmap_get(&resolver->streams, name, len);
    if (parent == NULL) {
        report_no_stream(resolver, item->place, name);
        return;
    }
    if (parent != stream) {
        parent->is_read = true;
    }
    stream->parents[stream->parent_count] = parent;
    stream_draft(resolver, stream)->parent_names[stream->parent_count] = name;
    stream->parent_places[stream->parent_count++] = item->place;
}

/* An output that stands twice in a list would bring each record twice, at equal places in order. */
static void check_doubles(struct resolver *resolver, const struct stream *stream)
{
    const char *const *names = stream_draft(resolver, stream)->parent_names;
    struct hashmap seen;
    hashmap_init(&seen);
    for (size_t i = 0; i < stream->parent_count; i++) {
        size_t len = strlen(names[i]);
        if (hashmap_get(&seen, names[i], len) != NULL) {
            resolver_fault(resolver, stream->parent_places[i],
                           "stream '%s' stands twice in this list; remove one of them", names[i]);
        } else if (!hashmap_put(&seen, names[i], len, stream->parents[i])) {
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
    stream->parent_outputs = resolver_alloc(resolver, count, sizeof *stream->parent_outputs);
    stream->parent_places = resolver_alloc(resolver, count, sizeof *stream->parent_places);
    const char **names = resolver_alloc(resolver, count, sizeof *names);
    stream_draft(resolver, stream)->parent_names = names;
    if (stream->parents == NULL || stream->parent_outputs == NULL ||
        stream->parent_places == NULL || names == NULL) {
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
