/* SPDX-License-Identifier: MIT */
/*
 * `streams:`: declared first, so that they may name each other in any order, then resolved in the
 * order of the file.
 */
#include <string.h>

#include "pipeline/names.h"
#include "pipeline/parts.h"
#include "pipeline/tables.h"

/* The parts of a stream as they stand in the file. */
struct stream_parts {
    const struct node *from;
    const struct node *steps;
    const struct node *to;
};

static void keep_from(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct stream_parts *parts = target;
    parts->from = pair->value;
}

static void keep_steps(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct stream_parts *parts = target;
    parts->steps = pair->value;
}

static void keep_to(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct stream_parts *parts = target;
    parts->to = pair->value;
}

const struct key_rule stream_keys[] = {
    { .name = "from",
      .read = keep_from,
      .shape = SHAPE_FROM,
      .summary = "A stream, a list of streams, {topic: NAME}, or a source",
      .is_required = true },
    { .name = "steps",
      .read = keep_steps,
      .shape = SHAPE_STEPS,
      .summary = "Operators, in the order in which records pass them" },
    { .name = "to",
      .read = keep_to,
      .shape = SHAPE_ENDS,
      .summary = "An end or a list of ends: {topic: NAME}, or a sink" },
    { .name = NULL },
};

struct draft *stream_draft(struct resolver *resolver, const struct stream *stream)
{
    return &resolver->drafts[stream - resolver->stream_array];
}

void streams_declare(struct resolver *resolver, const struct node *streams)
{
    struct pipeline *pipeline = resolver->pipeline;
    if (streams->kind != NODE_MAP) {
        resolver_fault(resolver, streams->place,
                       "'streams' is a map of names to streams: 'NAME: {from: ..., steps: ..., to: "
                       "...}'");
        return;
    }
    size_t count = streams->count;
    if (count == 0) {
        resolver_fault(resolver, streams->place,
                       "there is no stream here; a pipeline has at least one");
    }
    resolver->stream_array = resolver_alloc(resolver, count, sizeof *resolver->stream_array);
    resolver->drafts = resolver_alloc(resolver, count, sizeof *resolver->drafts);
    pipeline->streams = resolver_alloc(resolver, count, sizeof(struct stream *));
    if (resolver->stream_array == NULL || resolver->drafts == NULL || pipeline->streams == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct node *name = streams->pairs[i].key;
        struct stream *stream = &resolver->stream_array[i];
        *stream = (struct stream){ .name = name->text, .place = name->place };
        resolver->drafts[i] = (struct draft){ .node = streams->pairs[i].value };
        pipeline->streams[i] = stream;
        name_check(resolver, name->place, "stream name", NAME_PLAIN, name->text);
        if (!hashmap_put(&resolver->streams, name->text, name->text_len, stream)) {
            resolver->diagnostics->is_out_of_memory = true;
        }
    }
    pipeline->stream_count = count;
}

static void resolve(struct resolver *resolver, struct stream *stream)
{
    const struct draft *draft = stream_draft(resolver, stream);
    struct stream_parts parts = { 0 };
    if (draft->node->kind != NODE_MAP) {
        resolver_fault(resolver, draft->node->is_empty ? stream->place : draft->node->place,
                       "stream '%s' is a map with 'from', 'steps' and 'to'", stream->name);
        return;
    }
    const char *owner = resolver_text(resolver, " of stream '%s'", stream->name);
    keys_read(resolver, stream_keys, "key", owner != NULL ? owner : "", NULL, draft->node, &parts);
    if (parts.from != NULL) {
        from_read(resolver, stream, parts.from);
    } else if (key_node(draft->node, "from") == NULL) {
        resolver_fault(resolver, stream->place,
                       "stream '%s' has no 'from'; add 'from: STREAM', 'from: {topic: NAME}' or a "
                       "source",
                       stream->name);
    }
    if (parts.steps != NULL) {
        steps_read(resolver, stream, parts.steps);
    }
    if (parts.to != NULL) {
        ends_read(resolver, stream, parts.to);
    }
}

void streams_resolve(struct resolver *resolver)
{
    for (size_t i = 0; i < resolver->pipeline->stream_count; i++) {
        size_t errors = resolver->diagnostics->error_count;
        resolve(resolver, resolver->pipeline->streams[i]);
        resolver->drafts[i].is_faulty = resolver->diagnostics->error_count > errors;
    }
}
