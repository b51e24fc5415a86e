/* SPDX-License-Identifier: MIT */
/*
 * Follows types from topics through steps to ends. A step says itself what it makes of them; of one
 * that does not say, and of one whose options are wrong, nothing is known behind it.
 */
#include "pipeline/flow.h"

#include <string.h>

#include "expr/kinds.h"
#include "expr/signature.h"
#include "expr/type.h"
#include "pipeline/parts.h"
#include "plugin/plugin_ports.h"
#include "value/value.h"

enum state { UNSEEN, OPEN, DONE };

/* By the index of a stream: `out`, what leaves its last step; `next`, the parent to look at. */
struct flow {
    struct resolver *resolver;
    struct type_room room;
    const weir_type **out;
    enum state *states;
    size_t *next;
    struct stream **path; /* streams that wait for their parents */
    size_t depth;
};

static size_t index_of(const struct flow *flow, const struct stream *stream)
{
    return (size_t)(stream - flow->resolver->stream_array);
}

/* The type of what comes in by several inputs. in: that of those before; NULL: there is none. */
static const weir_type *join_input(struct flow *flow, const weir_type *in,
                                   const struct stream_input *input)
{
    const weir_type *type = flow->out[index_of(flow, input->stream)];
    type = type != NULL ? type : &type_any;
    return in != NULL ? type_join(&flow->room, in, type) : type;
}

/* ---- what a step is lent ----------------------------------------------------------------------- */

/* api comes first: the step hands it back. */
struct step_types {
    weir_types api;
    const struct options_scope *scope;
    struct type_room *room;
    struct flow *flow;
    const struct stream *stream;
    size_t index; /* of the step */
    const weir_type *in;
    const char *taker;
    const char *origin;
    const char *closed_by;
};

static const struct step_types *step_of(const weir_types *types)
{
    return (const struct step_types *)types;
}

static const weir_type *step_named(const weir_types *types, const char *text)
{
    const struct step_types *step = step_of(types);
    struct type_fault fault;
    const weir_type *type =
        type_parse(step->room, text, strlen(text), step->origin, step->closed_by, &fault);
    return type != NULL ? type : &type_any;
}

static const weir_type *step_judge(const weir_types *types, const weir_type *value,
                                   const weir_expression *expression)
{
    const struct step_types *step = step_of(types);
    return expression != NULL ? option_judge(step->scope, step->room, expression, value, NULL)
                              : &type_any;
}

static const weir_type *step_want(const weir_types *types, const weir_type *value,
                                  const weir_expression *expression, const char *kinds)
{
    const struct step_types *step = step_of(types);
    uint32_t wanted = 0;
    if (expression == NULL || !signature_read_kinds(kinds, &wanted)) {
        return step_judge(types, value, expression);
    }
    return option_judge_wanted(step->scope, step->room, expression, value, wanted, step->taker);
}

static const weir_type *step_where(const weir_types *types, const weir_type *value,
                                   const weir_expression *expression)
{
    const struct step_types *step = step_of(types);
    const weir_type *where = value;
    if (expression != NULL) {
        option_judge(step->scope, step->room, expression, value, &where);
    }
    return where;
}

static const weir_type *step_with(const weir_types *types, const weir_type *value,
                                  const weir_target *target, const weir_type *type)
{
    const struct step_types *step = step_of(types);
    if (target == NULL) {
        return value;
    }
    return type_with(step->room, value, target, type_from(step->room, type, step->origin));
}

static const weir_type *step_items(const weir_types *types, const weir_type *list)
{
    return type_items(step_of(types)->room, list);
}

static const weir_type *step_input(const weir_types *types, uint32_t port)
{
    const struct step_types *step = step_of(types);
    const weir_type *type = port == 0 ? step->in : NULL;
    for (size_t i = step->stream->from_count; port > 0 && i < step->stream->input_count; i++) {
        const struct stream_input *input = &step->stream->inputs[i];
        if (input->step == step->index && input->port == port) {
            type = join_input(step->flow, type, input);
        }
    }
    return type != NULL ? type : &type_any;
}

/* ---- steps and ends ---------------------------------------------------------------------------- */

/* Which input an expression is evaluated for, only the operator knows. */
static const weir_type *seen_without_types(const weir_factory *spec, const weir_type *in)
{
    return plugin_input_count(spec) > 1 ? &type_any : in;
}

static const weir_type *through_step(struct flow *flow, const struct stream *stream, size_t index,
                                     const weir_type *in)
{
    struct resolver *resolver = flow->resolver;
    const struct plugin_use *use = &stream->steps[index];
    if (!use->is_right) {
        return &type_any;
    }
    const weir_factory *spec = use->factory->spec;
    if (spec->types == NULL) {
        if (use->config != NULL) {
            options_judge(&resolver->scope, &flow->room, spec->options, use->config,
                          seen_without_types(spec, in));
        }
        return &type_any;
    }
    struct step_types step = {
        .api = { .struct_size = sizeof step.api,
                 .named = step_named,
                 .of = step_judge,
                 .where = step_where,
                 .with = step_with,
                 .items = step_items,
                 .input = step_input,
                 .want = step_want },
        .scope = &resolver->scope,
        .room = &flow->room,
        .flow = flow,
        .stream = stream,
        .index = index,
        .in = in,
        .taker = resolver_text(resolver, "operator '%s'", spec->name),
        .origin = resolver_text(resolver, ", made by %s", use->label),
        .closed_by = resolver_text(resolver, "is not made by %s", use->label),
    };
    if (step.taker == NULL || step.origin == NULL || step.closed_by == NULL) {
        return &type_any;
    }
    const weir_type *out = spec->types(use->config, &step.api, in);
    return out != NULL ? out : &type_any;
}

static void judge_choice(struct flow *flow, const struct end *end, const weir_type *value)
{
    const weir_type *type =
        option_judge(&flow->resolver->scope, &flow->room, end->choice, value, NULL);
    char kinds[KINDS_ROOM];
    if (type->kinds != 0 && (type->kinds & KIND_TEXT) == 0) {
        resolver_fault(flow->resolver, end->choice_place,
                       "the name of a topic is text, and this gives %s",
                       kinds_text(type->kinds, kinds));
    }
}

static void judge_ends(struct flow *flow, const struct stream *stream, const weir_type *value)
{
    const struct options_scope *scope = &flow->resolver->scope;
    for (size_t i = 0; i < stream->end_count; i++) {
        const struct end *end = &stream->ends[i];
        const struct plugin_use *use = &end->plugin;
        if (end->choice != NULL) {
            judge_choice(flow, end, value);
        }
        if (end->key != NULL) {
            option_judge(scope, &flow->room, end->key, value, NULL);
        }
        if (end->kind == END_TOPIC && end->choice == NULL && end->topic_count == 1) {
            written_type_check(flow->resolver, &flow->room, end, value);
        }
        if (end->kind == END_SINK && use->is_right && use->config != NULL) {
            options_judge(scope, &flow->room, use->factory->spec->options, use->config, value);
        }
    }
}

/* ---- streams ----------------------------------------------------------------------------------- */

static const weir_type *into_stream(struct flow *flow, const struct stream *stream)
{
    if (stream->source == NULL && stream->topic != NULL) {
        return stream->topic->type != NULL ? stream->topic->type : &type_any;
    }
    const weir_type *in = NULL;
    for (size_t i = 0; i < stream->from_count; i++) {
        in = join_input(flow, in, &stream->inputs[i]);
    }
    return in != NULL ? in : &type_any;
}

static void judge_stream(struct flow *flow, const struct stream *stream)
{
    const weir_type *value = into_stream(flow, stream);
    for (size_t i = 0; i < stream->step_count; i++) {
        value = through_step(flow, stream, i, value);
        if (step_repartitions(&stream->steps[i])) {
            value = written_type_back(&flow->room, value);
        }
    }
    flow->out[index_of(flow, stream)] = value;
    judge_ends(flow, stream, value);
}

/* A parent that has not been seen, or NULL. One that waits itself belongs to a loop. */
static struct stream *next_parent(const struct flow *flow, const struct stream *stream)
{
    size_t *next = &flow->next[index_of(flow, stream)];
    while (*next < stream->input_count) {
        struct stream *parent = stream->inputs[(*next)++].stream;
        if (flow->states[index_of(flow, parent)] == UNSEEN) {
            return parent;
        }
    }
    return NULL;
}

static void push(struct flow *flow, struct stream *stream)
{
    flow->states[index_of(flow, stream)] = OPEN;
    flow->path[flow->depth++] = stream;
}

static void judge_with_parents(struct flow *flow, struct stream *stream)
{
    push(flow, stream);
    while (flow->depth > 0) {
        struct stream *last = flow->path[flow->depth - 1];
        struct stream *parent = next_parent(flow, last);
        if (parent != NULL) {
            push(flow, parent);
            continue;
        }
        judge_stream(flow, last);
        flow->states[index_of(flow, last)] = DONE;
        flow->depth--;
    }
}

void flow_check(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    size_t count = pipeline->stream_count;
    struct flow flow = { .resolver = resolver,
                         .room = { &resolver->pipeline->arena, TYPE_BUDGET, false } };
    flow.out = resolver_alloc(resolver, count, sizeof(const weir_type *));
    flow.states = resolver_alloc(resolver, count, sizeof *flow.states);
    flow.path = resolver_alloc(resolver, count, sizeof(struct stream *));
    flow.next = resolver_alloc(resolver, count, sizeof *flow.next);
    bool is_ready =
        flow.out != NULL && flow.states != NULL && flow.path != NULL && flow.next != NULL;
    for (size_t i = 0; i < count && is_ready; i++) {
        if (flow.states[i] == UNSEEN) {
            judge_with_parents(&flow, &resolver->stream_array[i]);
        }
    }
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        const struct topic *topic = pipeline->topics[i];
        if (topic->event_time != NULL) {
            option_judge_wanted(&resolver->scope, &flow.room, topic->event_time,
                                topic->type != NULL ? topic->type : &type_any,
                                KIND_TIME | KIND_TEXT, "'event_time'");
        }
    }
}
