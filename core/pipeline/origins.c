/* SPDX-License-Identifier: MIT */
#include "pipeline/origins.h"

#include <string.h>

bool origins_init(struct origins *origins, struct resolver *resolver)
{
    size_t count = resolver->pipeline->stream_count;
    *origins = (struct origins){ .resolver = resolver };
    origins->is_seen = resolver_alloc(resolver, count, sizeof *origins->is_seen);
    origins->streams = resolver_alloc(resolver, count, sizeof(struct stream *));
    origins->topics = resolver_alloc(resolver, count + 1, sizeof(struct topic *));
    return origins->is_seen != NULL && origins->streams != NULL && origins->topics != NULL;
}

/* The first step behind the last one before `step` that gives records another place; 0: there is none. */
static size_t first_step(const struct stream *stream, size_t step)
{
    while (step > 0 && stream->steps[step - 1].repartition == NULL) {
        step--;
    }
    return step;
}

static void add_topic(struct origins *origins, struct topic *topic)
{
    if (topic != NULL) {
        origins->topics[origins->count++] = topic;
    }
}

static void add_stream(struct origins *origins, const struct stream *stream)
{
    bool *is_seen = &origins->is_seen[stream - origins->resolver->stream_array];
    if (!*is_seen) {
        *is_seen = true;
        origins->streams[origins->stream_count++] = stream;
    }
}

/* What comes to a step of this stream, as far as the stream itself tells. */
static void look_at(struct origins *origins, const struct stream *stream, size_t step)
{
    size_t first = first_step(stream, step);
    add_topic(origins, first > 0 ? stream->steps[first - 1].repartition : stream->topic);
    for (size_t i = 0; i < stream->input_count; i++) {
        const struct stream_input *input = &stream->inputs[i];
        bool is_before =
            i < stream->from_count ? first == 0 : input->step >= first && input->step <= step;
        if (is_before && input->stream != NULL) {
            add_stream(origins, input->stream);
        }
    }
}

void origins_find(struct origins *origins, const struct stream *stream, size_t step)
{
    memset(origins->is_seen, 0, origins->resolver->pipeline->stream_count);
    origins->stream_count = 0;
    origins->count = 0;
    look_at(origins, stream, step);
    for (size_t i = 0; i < origins->stream_count; i++) {
        look_at(origins, origins->streams[i], origins->streams[i]->step_count);
    }
}
