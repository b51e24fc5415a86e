/* SPDX-License-Identifier: MIT */
/*
 * Topics whose records meet at a step with several inputs. Tasks are numbered as partitions are, and a
 * key's partition hangs on how many there are: where two topics differ in that, equal keys come to
 * different tasks, and the step would never see them together.
 */
#include "pipeline/origins.h"
#include "pipeline/parts.h"

/* Compares a topic's count with that of those before. False after a report. */
static bool add_topic(struct resolver *resolver, const struct topic **known,
                      const struct topic *topic, const struct plugin_use *step, struct place place)
{
    if (topic->partitions == 0) {
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
        resolver, place,
        "topic '%s' has %u partition%s and topic '%s' %u, and both come to operator '%s', where "
        "equal keys are to meet; give both the same number",
        (*known)->name, (*known)->partitions, plural, topic->name, topic->partitions,
        step->factory->spec->name);
    return false;
}

static void check_step(struct origins *origins, const struct stream *stream,
                       const struct stream_input *input)
{
    const struct plugin_use *step = &stream->steps[input->step];
    const struct topic *known = NULL;
    bool is_right = true;
    origins_find(origins, stream, input->step);
    for (size_t i = 0; i < origins->count && is_right; i++) {
        is_right = add_topic(origins->resolver, &known, origins->topics[i], step, input->place);
    }
}

static void check_stream(struct origins *origins, const struct stream *stream)
{
    for (size_t i = stream->from_count; i < stream->input_count; i++) {
        bool is_last =
            i + 1 == stream->input_count || stream->inputs[i + 1].step != stream->inputs[i].step;
        if (is_last) {
            check_step(origins, stream, &stream->inputs[i]);
        }
    }
}

void partitions_check(struct resolver *resolver)
{
    struct origins origins;
    bool is_ready = origins_init(&origins, resolver);
    for (size_t i = 0; i < resolver->pipeline->stream_count && is_ready; i++) {
        check_stream(&origins, &resolver->stream_array[i]);
    }
}
