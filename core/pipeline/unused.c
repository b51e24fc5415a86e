/* SPDX-License-Identifier: MIT */
/*
 * What stands in the file and does nothing: no fault, but most often a slip.
 */
#include "pipeline/parts.h"

static void check_topic(struct resolver *resolver, const struct topic *topic)
{
    if (!topic->is_read && !topic->is_written) {
        resolver_warn(resolver, topic->place,
                      "topic '%s' is not used: no stream reads or writes it; remove it or use it",
                      topic->name);
    }
}

static void check_stream(struct resolver *resolver, const struct stream *stream)
{
    bool has_end = node_get(stream_draft(resolver, stream)->node, "to") != NULL;
    if (!has_end && !stream->is_read) {
        resolver_warn(resolver, stream->place,
                      "stream '%s' goes nowhere: it has no 'to', and no other stream reads it",
                      stream->name);
    }
}

void unused_check(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    if (pipeline->stream_count == 0) {
        return;
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        if (resolver->drafts[i].is_faulty) {
            return; /* what it fails to name would seem to be unused */
        }
    }
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        check_topic(resolver, pipeline->topics[i]);
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        check_stream(resolver, pipeline->streams[i]);
    }
}
