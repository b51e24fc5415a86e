/* SPDX-License-Identifier: MIT */
/*
 * `to`: topics and sinks. An end's id is what its progress is kept under, so it depends on the names
 * in the file and not on where they stand.
 */
#include <string.h>

#include <weir/sink.h>

#include "pipeline/names.h"
#include "pipeline/parts.h"

static const char topic_base[] = "topic";

/* "topic hot"; "one of 2 topics". */
static const char *topic_words(struct resolver *resolver, const struct end *end)
{
    if (end->choice != NULL) {
        return resolver_text(resolver, "one of %u topic%s", end->topic_count,
                             end->topic_count == 1 ? "" : "s");
    }
    return resolver_text(resolver, "topic %s", end->topic_count > 0 ? end->topics[0]->name : "");
}

static void refuse_sink_key(struct resolver *resolver, const struct written *written,
                            const char *name, const char *why)
{
    const struct node *key = key_node(written->map, name);
    if (key != NULL) {
        resolver_fault(resolver, key->place, "'%s' is for sinks; %s", name, why);
    }
}

static void read_topic_end(struct resolver *resolver, const char *where,
                           const struct written *written, struct end *end)
{
    end->kind = END_TOPIC;
    refuse_sink_key(resolver, written, "on_start_failure", "a topic is there when the log is");
    refuse_sink_key(resolver, written, "retry_timeout",
                    "a topic is written with the next checkpoint");
    end_topics_read(resolver, written, end);
    end->key = written->siblings.key;
    end->plugin.id = written->siblings.id.data;
    end->plugin.on_error = written->siblings.on_error;
    end->plugin.has_on_error = written->siblings.has_on_error;
    end->plugin.place = written->name->place;
    end->plugin.was = written->siblings.was;
    end->plugin.was_place = written->siblings.was_place;
    const char *words = topic_words(resolver, end);
    end->plugin.label = resolver_text(resolver, "%s (%s)", where, words != NULL ? words : "");
    for (uint32_t i = 0; i < end->topic_count; i++) {
        end->topics[i]->is_written = true;
    }
}

/* A bare name that is no sink, but a topic or stream. False: neither. */
static bool report_bare_name(struct resolver *resolver, const struct node *node)
{
    const char *name = node->text;
    size_t len = node->text_len;
    if (registry_find(resolver->pipeline->registry, WEIR_KIND_SINK, name, len) != NULL) {
        return false;
    }
    if (hashmap_get(&resolver->topics, name, len) != NULL) {
        resolver_fault(resolver, node->place,
                       "'%s' is a topic, and a name alone is a sink; write {topic: %s}", name,
                       name);
        return true;
    }
    if (hashmap_get(&resolver->streams, name, len) != NULL) {
        resolver_fault(resolver, node->place,
                       "'%s' is a stream; a stream takes records from another with 'from: NAME'",
                       name);
        return true;
    }
    return false;
}

static const char *read_sink_end(struct resolver *resolver, const struct plugin_spot *spot,
                                 const char *where, const struct written *written, struct end *end)
{
    end->kind = END_SINK;
    const struct node *key = written->map != NULL ? key_node(written->map, "key") : NULL;
    if (key != NULL && key_find(spot->siblings, key)->refusal == NULL) {
        resolver_fault(resolver, key->place,
                       "'key' is for topics; a sink takes records as they are, with their keys");
    }
    if (written->map != NULL || !report_bare_name(resolver, written->name)) {
        written_use(resolver, spot, written, where, &end->plugin);
    }
    const struct factory *factory = end->plugin.factory;
    return factory != NULL ? factory->spec->name : written->name->text;
}

const char *end_read(struct resolver *resolver, const struct plugin_spot *spot, const char *where,
                     const char *stream, const struct node *node, struct end *end)
{
    struct written written;
    *end = (struct end){ .plugin = { .stream = stream, .place = node->place } };
    if (where == NULL || !written_read(resolver, spot, node, &written)) {
        return "end";
    }
    if (!written_is_topic(spot, &written)) {
        return read_sink_end(resolver, spot, where, &written, end);
    }
    read_topic_end(resolver, where, &written, end);
    return topic_base;
}

void ends_read(struct resolver *resolver, struct stream *stream, const struct node *to)
{
    bool is_list = to->kind == NODE_LIST;
    if (is_list && to->count == 0) {
        resolver_fault(resolver, to->place,
                       "this list of ends is empty; name one, or remove the line");
    }
    size_t count = is_list ? to->count : 1;
    const char **bases = resolver_alloc(resolver, count, sizeof *bases);
    struct plugin_use **uses = resolver_alloc(resolver, count, sizeof(struct plugin_use *));
    stream->ends = resolver_alloc(resolver, count, sizeof *stream->ends);
    if (bases == NULL || uses == NULL || stream->ends == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *where = is_list ? resolver_text(resolver, "streams.%s.to[%zu]", stream->name, i)
                                    : resolver_text(resolver, "streams.%s.to", stream->name);
        bases[i] = end_read(resolver, &sink_spot, where, stream->name, is_list ? to->items[i] : to,
                            &stream->ends[i]);
        uses[i] = &stream->ends[i].plugin;
    }
    stream->end_count = count;
    ids_assign(resolver, uses, bases, count);
}
