/* SPDX-License-Identifier: MIT */
/*
 * Topics whose records meet at a step with several inputs. Tasks are numbered as partitions are, and a
 * key's partition hangs on how many there are and on how it is computed: where two topics differ in one
 * of these, equal keys come to different tasks, and the step would never see them together.
 */
#include "pipeline/origins.h"
#include "pipeline/parts.h"

#define WHERE_KEYS_MEET "and both come to operator '%s', where equal keys are to meet"

/* The first topics with which the others are compared; NULL: none that tells anything. */
struct meeting {
    const struct topic *counted;
    const struct topic *placed;
};

/* False after a report. */
static bool add_count(struct resolver *resolver, struct meeting *meeting, const struct topic *topic,
                      const struct plugin_use *step, struct place place)
{
    const struct topic *known = meeting->counted;
    if (topic->partitions == 0 || known == NULL) {
        meeting->counted = topic->partitions == 0 ? known : topic;
        return true;
    }
    if (known->partitions == topic->partitions) {
        return true;
    }
    resolver_fault(resolver, place,
                   "topic '%s' has %u partition%s and topic '%s' %u, " WHERE_KEYS_MEET
                   "; give both the same number",
                   known->name, known->partitions, known->partitions == 1 ? "" : "s", topic->name,
                   topic->partitions, step->factory->spec->name);
    return false;
}

/* Who else fills a topic may place keys in any way, unless the file says how. */
static bool is_placement_known(const struct topic *topic)
{
    return topic->partitions != 1 && (topic->partitioner != PARTITIONER_NONE || topic->is_written);
}

static const char *partitioner_text(const struct topic *topic)
{
    return topic->partitioner == PARTITIONER_NONE
               ? "murmur2"
               : partitioner_names[topic->partitioner - PARTITIONER_RANDOM];
}

/* The same for how keys are placed. */
static bool add_placement(struct resolver *resolver, struct meeting *meeting,
                          const struct topic *topic, const struct plugin_use *step,
                          struct place place)
{
    const struct topic *known = meeting->placed;
    if (!is_placement_known(topic) || known == NULL) {
        meeting->placed = is_placement_known(topic) ? topic : known;
        return true;
    }
    if (known == topic || partitioner_agrees(known->partitioner, topic->partitioner)) {
        return true;
    }
    resolver_fault(resolver, place,
                   "topic '%s' has its keys placed by '%s' and topic '%s' by '%s', " WHERE_KEYS_MEET
                   "; give both the same 'partitioner', or place one anew with 'group_by'",
                   known->name, partitioner_text(known), topic->name, partitioner_text(topic),
                   step->factory->spec->name);
    return false;
}

static void check_step(struct origins *origins, const struct stream *stream,
                       const struct stream_input *input)
{
    const struct plugin_use *step = &stream->steps[input->step];
    struct meeting meeting = { NULL, NULL };
    bool is_right = true;
    origins_find(origins, stream, input->step);
    for (size_t i = 0; i < origins->count && is_right; i++) {
        const struct topic *topic = origins->topics[i];
        is_right = add_count(origins->resolver, &meeting, topic, step, input->place) &&
                   add_placement(origins->resolver, &meeting, topic, step, input->place);
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
