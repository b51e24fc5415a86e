/* SPDX-License-Identifier: MIT */
/*
 * `dead_letters`: the end for records that fail where on_error is dead_letter. What it cannot take ends
 * the run, so whatever can be known of it beforehand is judged here.
 */
#include <string.h>

#include <weir/serializer.h>

#include "base/buffer.h"
#include "pipeline/parts.h"
#include "plugin/call.h"
#include "value/letter.h"

#define SAMPLE_LIMIT (UINT64_C(1) << 20)

/* ---- can the topic take letters? ---------------------------------------------------------------- */

static bool make_sample(struct arena *arena, weir_value *ret)
{
    weir_record record = { .value = weir_text_value("{}", 2), .offset = 0 };
    struct record_line line = { "topic", 5, 0, record };
    struct letter_message message = {
        .topic = "topic", .topic_len = 5, .key = weir_null(), .value = weir_bytes_value("{}", 2)
    };
    weir_value message_value;
    struct letter letter = { .error_class = "data",
                             .error = "it fails",
                             .hint = "mend it",
                             .place = "streams.stream.steps[0] (step)",
                             .stream = "stream",
                             .step = "step",
                             .message = &message_value,
                             .record = &line };
    return letter_make_message(arena, &message, &message_value) && letter_make(arena, &letter, ret);
}

static const char *encode_fault(struct instance *instance, struct call *call, struct arena *arena,
                                const weir_value *sample)
{
    const weir_serializer_vtable *vtable = instance->spec->vtable;
    uint64_t end = 0;
    weir_buffer bytes;
    buffer_init(&bytes, SAMPLE_LIMIT);
    call_begin(call, instance, arena, NULL);
    weir_status st = vtable->encode(instance->self, &call->context, &sample, 1, &bytes, &end);
    call_end(call);
    buffer_deinit(&bytes);
    if (call->whole.status != WEIR_OK) {
        return arena_printf(arena, "%s", call->whole.message);
    }
    if (call->failure_count > 0) {
        return call->failures[0].message;
    }
    return st == WEIR_OK ? NULL : "it gives no reason";
}

/* Why the serializer does not take a letter; NULL: it does, or that cannot be told here. */
static const char *serializer_fault(struct resolver *resolver, const struct plugin_use *use)
{
    struct arena *arena = &resolver->pipeline->arena;
    weir_value sample;
    struct call call;
    if (!use->is_right || !make_sample(arena, &sample) || !call_init(&call, 0)) {
        return NULL;
    }
    struct instance *instance = instance_create(&resolver->pipeline->services, use->factory->spec,
                                                use->config, use->label, NULL);
    const char *fault = instance != NULL ? encode_fault(instance, &call, arena, &sample) : NULL;
    instance_destroy(instance);
    call_deinit(&call);
    return fault;
}

static void check_topic(struct resolver *resolver, const struct end *end)
{
    const struct topic *topic = end->topics[0];
    if (topic->is_read) {
        resolver_fault(resolver, end->plugin.place,
                       "topic '%s' takes the dead letters and is read here, so a letter that fails "
                       "would make another one, without end; read it in a pipeline of its own",
                       topic->name);
        return;
    }
    const char *fault = serializer_fault(resolver, &topic->value);
    if (fault != NULL) {
        resolver_fault(
            resolver, end->plugin.place,
            "a dead letter is a map, and the serializer '%s' of topic '%s' does not take "
            "it: %s; write value: json",
            topic->value.factory->spec->name, topic->name, fault);
    }
}

/* ---- the end ------------------------------------------------------------------------------------ */

static void read_end(struct resolver *resolver, const struct node *node)
{
    struct end *end = resolver_alloc(resolver, 1, sizeof *end);
    if (end == NULL) {
        return;
    }
    size_t errors = resolver->diagnostics->error_count;
    const char *base = end_read(resolver, &letters_spot, "dead_letters", NULL, node, end);
    if (end->plugin.id == NULL) {
        end->plugin.id = base;
    }
    end->plugin.on_error = ON_ERROR_FAIL;
    if (end->kind == END_TOPIC && end->choice != NULL) {
        resolver_fault(resolver, end->plugin.place,
                       "the topic of dead letters cannot be computed; write {topic: NAME}");
    }
    resolver->is_dead_letters_faulty = resolver->diagnostics->error_count > errors;
    if (resolver->is_dead_letters_faulty) {
        return;
    }
    if (end->kind == END_TOPIC) {
        check_topic(resolver, end);
    }
    resolver->pipeline->dead_letters = end;
}

void dead_letters_read(struct resolver *resolver, const struct node *node)
{
    if (node == NULL) {
        if (resolver->has_dead_letter) {
            resolver_fault(resolver, resolver->dead_letter,
                           "'dead_letter' needs an end for the letters; add 'dead_letters: {topic: "
                           "NAME}' at the top level");
        }
        return;
    }
    if (node->kind == NODE_LIST) {
        resolver_fault(resolver, node->place,
                       "'dead_letters' is one end, not a list; write {topic: NAME} or a sink");
        return;
    }
    read_end(resolver, node);
    if (!resolver->has_dead_letter) {
        resolver_warn(resolver, node->place,
                      "'dead_letters' is not used: nothing has on_error: dead_letter; write it at "
                      "the top level, or at a step, source, end or serializer");
    }
}
