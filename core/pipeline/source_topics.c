/* SPDX-License-Identifier: MIT */
/*
 * Where a source puts its records. Alone in front of one topic it fills that topic itself; in all
 * other cases it gets a topic of its own, from which the stream reads like from any other.
 */
#include <string.h>

#include "pipeline/parts.h"

/* The log and file systems take longer names than users may choose, but not much longer. */
enum { TOPIC_MAX_BYTES = 249 };

/* A source may take its only end's place where nobody could tell: it sets one key. */
static bool is_direct(const struct stream *stream)
{
    if (stream->step_count > 0 || stream->end_count != 1 || stream->is_read) {
        return false;
    }
    const struct end *end = &stream->ends[0];
    const struct source_use *source = stream->source;
    return end->kind == END_TOPIC && end->topic_count == 1 && end->choice == NULL &&
           (end->key == NULL || source->key == NULL);
}

static void fill_directly(struct resolver *resolver, struct stream *stream)
{
    struct source_use *source = stream->source;
    const struct end *end = &stream->ends[0];
    struct topic *topic = end->topics[0];
    const struct draft *draft = stream_draft(resolver, stream);
    const struct node *event_time = key_node(draft->source, "event_time");
    const struct node *partitions = key_node(draft->source, "partitions");
    if (event_time != NULL && topic->event_time != NULL) {
        resolver_fault(resolver, event_time->place,
                       "'event_time' stands here and at topic '%s'; keep one of the two",
                       topic->name);
    }
    if (partitions != NULL) {
        resolver_fault(resolver, partitions->place,
                       "this source fills topic '%s'; write 'partitions' there, under 'topics:'",
                       topic->name);
    }
    source->key = source->key != NULL ? source->key : end->key;
    source->topic = topic;
    source->writing = end->plugin;
    stream->topic = topic;
    stream->is_direct = true;
    stream->ends = NULL;
    stream->end_count = 0;
}

static void use_serializer(struct resolver *resolver, const struct topic *topic, const char *what,
                           struct plugin_use *use)
{
    const char *where = resolver_text(resolver, "topics.%s.%s", topic->name, what);
    if (where != NULL) {
        default_use(resolver, &serializer_spot, "json", topic->place, where, use);
    }
}

static void fill_own_topic(struct resolver *resolver, struct stream *stream, struct topic *topic)
{
    struct pipeline *pipeline = resolver->pipeline;
    char *name = resolver_text(resolver, "source__%s--%s", pipeline->name, stream->name);
    if (name == NULL) {
        return;
    }
    if (strlen(name) > TOPIC_MAX_BYTES) {
        resolver_fault(resolver, stream->place,
                       "the source's topic '%s' would have %zu bytes in its name, and at most %d "
                       "are allowed; shorten the name of stream or pipeline",
                       name, strlen(name), TOPIC_MAX_BYTES);
    }
    *topic = (struct topic){ .name = name,
                             .log_name = name,
                             .partitions = (uint32_t)stream_draft(resolver, stream)->partitions,
                             .place = stream->source->plugin.place,
                             .is_internal = true,
                             .is_read = true,
                             .is_written = true };
    use_serializer(resolver, topic, "key", &topic->key);
    use_serializer(resolver, topic, "value", &topic->value);
    stream->source->topic = topic;
    stream->source->writing = stream->source->plugin;
    stream->topic = topic;
    pipeline->topics[pipeline->topic_count++] = topic;
}

void source_topics_assign(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    size_t own_count = 0;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        struct stream *stream = pipeline->streams[i];
        if (stream->source != NULL && is_direct(stream)) {
            fill_directly(resolver, stream);
        } else if (stream->source != NULL) {
            own_count++;
        }
    }
    struct topic *own = resolver_alloc(resolver, own_count, sizeof *own);
    if (own == NULL || !topics_grow(resolver, own_count)) {
        return;
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        struct stream *stream = pipeline->streams[i];
        if (stream->source != NULL && !stream->is_direct) {
            fill_own_topic(resolver, stream, own++);
        }
    }
}
