/* SPDX-License-Identifier: MIT */
/*
 * What stands in the file and does nothing: no fault, but most often a slip.
 */
#include <weir/operator.h>

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

/* Of each stream, by its index: a bit for each output of its last step that some stream reads. */
static uint64_t *outputs_read_of(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    uint64_t *read = resolver_alloc(resolver, pipeline->stream_count, sizeof *read);
    for (size_t i = 0; read != NULL && i < pipeline->stream_count; i++) {
        const struct stream *reader = pipeline->streams[i];
        for (size_t k = 0; k < reader->input_count; k++) {
            const struct stream_input *input = &reader->inputs[k];
            if (input->stream != NULL) {
                read[input->stream - resolver->stream_array] |= UINT64_C(1) << input->output;
            }
        }
    }
    return read;
}

/* How many outputs a stream has that somebody is expected to read, one by one. */
static uint32_t count_wanted(const struct stream *stream)
{
    const struct plugin_use *last =
        stream->step_count > 0 ? &stream->steps[stream->step_count - 1] : NULL;
    if (!stream->is_read || last == NULL || last->output_count == 0) {
        return 0; /* one that nobody reads has been told of as a whole */
    }
    bool has_rest = (last->factory->spec->flags & WEIR_OPERATOR_REST_OUTPUT) != 0;
    return has_rest ? last->output_count - 1 : last->output_count;
}

static void check_outputs(struct resolver *resolver, const struct stream *stream,
                          const uint64_t *read)
{
    uint32_t wanted = count_wanted(stream);
    const struct plugin_use *last = wanted > 0 ? &stream->steps[stream->step_count - 1] : NULL;
    for (uint32_t i = 0; i < wanted; i++) {
        if ((read[stream - resolver->stream_array] >> i & 1) == 0) {
            resolver_warn(resolver, last->place,
                          "the records at output '%s' of '%s' go nowhere: no stream reads '%s.%s'",
                          last->outputs[i], last->factory->spec->name, stream->name,
                          last->outputs[i]);
        }
    }
}

void unused_check(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    if (pipeline->stream_count == 0 || resolver->is_dead_letters_faulty) {
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
    if (resolver->diagnostics->error_count > 0) {
        return; /* an output whose reader is wrong would seem to be read by none */
    }
    const uint64_t *read = outputs_read_of(resolver);
    for (size_t i = 0; read != NULL && i < pipeline->stream_count; i++) {
        check_outputs(resolver, pipeline->streams[i], read);
    }
}
