/* SPDX-License-Identifier: MIT */
/*
 * What a stream reads of other streams: under `from`, and by the options of its steps.
 */
#include <string.h>

#include <weir/source.h>

#include "pipeline/names.h"
#include "pipeline/parts.h"
#include "plugin/plugin_ports.h"

const char *stream_input_port(const struct stream *stream, const struct stream_input *input)
{
    return input->port > 0 ? stream->steps[input->step].factory->spec->inputs[input->port] : NULL;
}

/* ---- names ------------------------------------------------------------------------------------ */

/* How to read a topic or source instead. An option takes names alone. */
static const char *cure_for(struct resolver *resolver, const struct stream_input *input,
                            const char *noun, const char *written)
{
    const char *cure = input->port > 0
                           ? resolver_text(resolver,
                                           "give the %s a stream of its own, 'NAME: {from: {%s}}', "
                                           "and name that",
                                           noun, written)
                           : resolver_text(resolver, "write {%s}", written);
    return cure != NULL ? cure : "";
}

/* A name of a topic or source. False: it is neither. */
static bool report_other_noun(struct resolver *resolver, const struct stream_input *input)
{
    const char *name = input->name;
    size_t len = strlen(name);
    if (hashmap_get(&resolver->topics, name, len) != NULL) {
        const char *written = resolver_text(resolver, "topic: %s", name);
        resolver_fault(resolver, input->place, "'%s' is a topic, and a name alone is a stream; %s",
                       name, cure_for(resolver, input, "topic", written != NULL ? written : ""));
        return true;
    }
    if (registry_find(resolver->pipeline->registry, WEIR_KIND_SOURCE, name, len) != NULL) {
        const char *written = resolver_text(resolver, "%s: OPTIONS", name);
        resolver_fault(resolver, input->place, "'%s' is a source, and a name alone is a stream; %s",
                       name, cure_for(resolver, input, "source", written != NULL ? written : ""));
        return true;
    }
    return false;
}

static void report_no_stream(struct resolver *resolver, const struct stream_input *input)
{
    const char *name = input->name;
    const char *dot = strchr(name, '.');
    const char *head =
        dot != NULL ? resolver_text(resolver, "%.*s", (int)(dot - name), name) : name;
    const char *near = nearest_key(&resolver->streams, head != NULL ? head : name);
    const char *near_topic = nearest_key(&resolver->topics, name);
    if (report_other_noun(resolver, input)) {
        return;
    }
    if (near != NULL) {
        resolver_fault(resolver, input->place, "unknown stream '%s'; did you mean '%s'?",
                       head != NULL ? head : name, near);
    } else if (input->port > 0) {
        resolver_fault(resolver, input->place, "unknown stream '%s'; declare it under 'streams:'",
                       name);
    } else if (near_topic != NULL) {
        resolver_fault(resolver, input->place, "unknown stream '%s'; did you mean {topic: %s}?",
                       name, near_topic);
    } else {
        resolver_fault(resolver, input->place,
                       "unknown stream '%s'; a topic is written {topic: NAME}, a source {NAME: "
                       "OPTIONS}",
                       name);
    }
}

/* ---- inputs ----------------------------------------------------------------------------------- */

static struct stream_input *add_room(struct resolver *resolver, struct stream *stream)
{
    struct draft *draft = stream_draft(resolver, stream);
    if (stream->input_count == draft->input_capacity) {
        size_t capacity = draft->input_capacity == 0 ? 2 : draft->input_capacity * 2;
        struct stream_input *grown = resolver_alloc(resolver, capacity, sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        if (stream->input_count > 0) {
            memcpy(grown, stream->inputs, stream->input_count * sizeof *grown);
        }
        stream->inputs = grown;
        draft->input_capacity = capacity;
    }
    return &stream->inputs[stream->input_count++];
}

void input_add(struct resolver *resolver, struct stream *stream, const struct stream_input *input)
{
    if (input->name == NULL) {
        return; /* which has been reported */
    }
    const char *dot = strchr(input->name, '.');
    size_t len = dot != NULL ? (size_t)(dot - input->name) : strlen(input->name);
    struct stream *read = hashmap_get(&resolver->streams, input->name, len);
    if (read == NULL) {
        report_no_stream(resolver, input);
        return;
    }
    if (read != stream) {
        read->is_read = true;
    }
    struct stream_input *added = add_room(resolver, stream);
    if (added != NULL) {
        *added = *input;
        added->stream = read;
    }
}

/* An output that stands twice in a list would bring each record twice, at equal places in order. */
void inputs_check_doubles(struct resolver *resolver, const struct stream *stream, size_t first)
{
    struct hashmap seen;
    hashmap_init(&seen);
    for (size_t i = first; i < stream->input_count; i++) {
        const char *name = stream->inputs[i].name;
        size_t len = strlen(name);
        if (hashmap_get(&seen, name, len) != NULL) {
            resolver_fault(resolver, stream->inputs[i].place,
                           "stream '%s' stands twice in this list; remove one of them", name);
        } else if (!hashmap_put(&seen, name, len, &stream->inputs[i])) {
            resolver->diagnostics->is_out_of_memory = true;
        }
    }
    hashmap_deinit(&seen);
}

void step_inputs_read(struct resolver *resolver, struct stream *stream, size_t step)
{
    const struct option_streams *given = &resolver->option_streams;
    const struct factory *factory = stream->steps[step].factory;
    uint32_t count = given->count > 0 ? plugin_input_count(factory->spec) : 0;
    for (uint32_t port = 1; port < count; port++) {
        size_t first = stream->input_count;
        for (size_t i = 0; i < given->count; i++) {
            const struct option_stream *item = &given->items[i];
            if (strcmp(item->option, factory->spec->inputs[port]) == 0) {
                input_add(
                    resolver, stream,
                    &(struct stream_input){
                        .port = port, .step = step, .name = item->stream, .place = item->place });
            }
        }
        inputs_check_doubles(resolver, stream, first);
    }
}
