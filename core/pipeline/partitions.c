/* SPDX-License-Identifier: MIT */
/*
 * Topics whose records meet at a step with several inputs. Tasks are numbered as partitions are, and a
 * key's partition hangs on how many there are: where two topics differ in that, equal keys come to
 * different tasks, and the step would never see them together.
 */
#include <string.h>

#include "pipeline/parts.h"

/* The streams from which records come to one step. */
struct meeting {
    struct resolver *resolver;
    bool *is_seen; /* by index of the stream */
    const struct stream **streams;
    size_t count;
};

static void add_inputs(struct meeting *meeting, const struct stream *stream, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct stream *read = stream->inputs[i].stream;
        bool *is_seen = &meeting->is_seen[read - meeting->resolver->stream_array];
        if (!*is_seen) {
            *is_seen = true;
            meeting->streams[meeting->count++] = read;
        }
    }
}

/* Compares a topic's count with that of those before. False after a report. */
static bool add_topic(struct meeting *meeting, const struct topic **known,
                      const struct topic *topic, const struct plugin_use *step, struct place place)
{
    if (topic == NULL || topic->partitions == 0) {
        return true;
    }
    if (*known == NULL) {
        *known = topic;
    }
    if ((*known)->partitions == topic->partitions) {
        return true;
    }
    const char *plural = (*known)->partitions == 1 ? "" : "s";
    resolver_fault(
        meeting->resolver, place,
        "topic '%s' has %u partition%s and topic '%s' %u, and both come to operator '%s', where "
        "equal keys are to meet; give both the same number",
        (*known)->name, (*known)->partitions, plural, topic->name, topic->partitions,
        step->factory->spec->name);
    return false;
}

/* last: of the inputs that come to the step or to one before it. */
static void check_step(struct meeting *meeting, const struct stream *stream, size_t last)
{
    const struct stream_input *input = &stream->inputs[last];
    const struct plugin_use *step = &stream->steps[input->step];
    const struct topic *known = NULL;
    memset(meeting->is_seen, 0, meeting->resolver->pipeline->stream_count);
    meeting->count = 0;
    add_inputs(meeting, stream, last + 1);
    bool is_right = add_topic(meeting, &known, stream->topic, step, input->place);
    for (size_t i = 0; i < meeting->count && is_right; i++) {
        is_right = add_topic(meeting, &known, meeting->streams[i]->topic, step, input->place);
        add_inputs(meeting, meeting->streams[i], meeting->streams[i]->input_count);
    }
}

static void check_stream(struct meeting *meeting, const struct stream *stream)
{
    for (size_t i = stream->from_count; i < stream->input_count; i++) {
        bool is_last =
            i + 1 == stream->input_count || stream->inputs[i + 1].step != stream->inputs[i].step;
        if (is_last) {
            check_step(meeting, stream, i);
        }
    }
}

void partitions_check(struct resolver *resolver)
{
    size_t count = resolver->pipeline->stream_count;
    struct meeting meeting = { .resolver = resolver };
    meeting.is_seen = resolver_alloc(resolver, count, sizeof *meeting.is_seen);
    meeting.streams = resolver_alloc(resolver, count, sizeof(struct stream *));
    for (size_t i = 0; i < count && meeting.is_seen != NULL && meeting.streams != NULL; i++) {
        check_stream(&meeting, &resolver->stream_array[i]);
    }
}
