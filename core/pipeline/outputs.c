/* SPDX-License-Identifier: MIT */
/*
 * Named outputs. A step with several ends its stream: other streams read each by name, and wherever
 * the file leaves open which one is meant, the fault lists them.
 */
#include <string.h>

#include <weir/operator.h>

#include "base/buffer.h"
#include "pipeline/names.h"
#include "pipeline/parts.h"

enum { MAX_OUTPUTS = 64 };

/* ---- the names of a step's outputs ------------------------------------------------------------ */

static bool is_taken(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* A copy of a name that options have given. NULL after a report. */
static const char *copy_name(struct resolver *resolver, const struct plugin_use *step,
                             weir_text text)
{
    char *name = resolver_text(resolver, "%.*s", (int)(text.size > 1000 ? 1000 : text.size),
                               text.data != NULL ? text.data : "");
    bool is_of_topic = (step->factory->spec->flags & WEIR_OPERATOR_REPARTITION) != 0;
    const char *what = is_of_topic ? "name of a step" : "name of an output";
    return name != NULL && name_check(resolver, step->place, what, NAME_PLAIN, name) ? name : NULL;
}

/* The next name of an operator; NULL: there is none, or a report. */
static const char *next_name(struct resolver *resolver, const struct plugin_use *step,
                             uint32_t index)
{
    const weir_factory *spec = step->factory->spec;
    if (spec->output_name == NULL) {
        return spec->outputs != NULL ? spec->outputs[index] : NULL;
    }
    weir_text text = { NULL, 0 };
    weir_status st = spec->output_name(step->config, index, &text);
    if (st == WEIR_OK) {
        return copy_name(resolver, step, text);
    }
    if (st < 0) {
        resolver_fault(resolver, step->place, "operator '%s' cannot name its output %u", spec->name,
                       index);
    }
    return NULL;
}

bool outputs_read(struct resolver *resolver, struct plugin_use *step)
{
    const char *operator_name = step->factory->spec->name;
    size_t errors = resolver->diagnostics->error_count;
    const char **names = resolver_alloc(resolver, MAX_OUTPUTS + 1, sizeof *names);
    const char *name = NULL;
    uint32_t count = 0;
    while (names != NULL && (name = next_name(resolver, step, count)) != NULL) {
        if (is_taken(names, count, name)) {
            resolver_fault(resolver, step->place, "two outputs of operator '%s' are called '%s'",
                           operator_name, name);
            return false;
        }
        if (count == MAX_OUTPUTS) {
            resolver_fault(resolver, step->place, "operator '%s' has more than %d outputs",
                           operator_name, MAX_OUTPUTS);
            return false;
        }
        names[count++] = name;
    }
    if (count > 1) {
        step->outputs = names;
        step->output_count = count;
    } else if (count == 1) {
        step->output_name = names[0];
    }
    return names != NULL && resolver->diagnostics->error_count == errors;
}

/* ---- who reads them --------------------------------------------------------------------------- */

/* The step with several outputs that ends a stream; NULL: the stream has one, without a name. */
static const struct plugin_use *last_step(const struct stream *stream)
{
    const struct plugin_use *last =
        stream->step_count > 0 ? &stream->steps[stream->step_count - 1] : NULL;
    return last != NULL && last->output_count > 1 ? last : NULL;
}

/* "good, bad"; before: what stands in front of each. */
static const char *list_names(struct resolver *resolver, const struct plugin_use *step,
                              const char *before)
{
    weir_buffer list;
    buffer_init(&list, 1024 * 1024);
    for (uint32_t i = 0; i < step->output_count; i++) {
        (void)buffer_printf(&list, "%s%s%s", i > 0 ? ", " : "", before, step->outputs[i]);
    }
    const char *text = buffer_c_string(&list);
    const char *copy = resolver_text(resolver, "%s", text != NULL ? text : "");
    buffer_deinit(&list);
    return copy != NULL ? copy : "";
}

static void report_no_output(struct resolver *resolver, struct place place,
                             const struct stream *parent, const struct plugin_use *step,
                             const char *output)
{
    struct nearest search;
    nearest_start(&search, output, strlen(output));
    for (uint32_t i = 0; i < step->output_count; i++) {
        nearest_offer(&search, step->outputs[i]);
    }
    const char *near = nearest_found(&search);
    if (near != NULL) {
        resolver_fault(resolver, place, "stream '%s' has no output '%s'; did you mean '%s.%s'?",
                       parent->name, output, parent->name, near);
    } else {
        resolver_fault(resolver, place, "stream '%s' has no output '%s'; its outputs are: %s",
                       parent->name, output, list_names(resolver, step, ""));
    }
}

static void resolve_input(struct resolver *resolver, struct stream_input *input)
{
    const struct stream *parent = input->stream;
    const struct plugin_use *step = last_step(parent);
    struct place place = input->place;
    const char *dot = strchr(input->name, '.');
    if (stream_draft(resolver, parent)->is_faulty || (step == NULL && dot == NULL)) {
        return;
    }
    if (step == NULL) {
        resolver_fault(resolver, place,
                       "stream '%s' has no output '%s', it has one without a name; write '%s'",
                       parent->name, dot + 1, parent->name);
        return;
    }
    if (dot == NULL) {
        resolver_fault(resolver, place, "stream '%s' has several outputs; write one of: %s",
                       parent->name,
                       list_names(resolver, step, resolver_text(resolver, "%s.", parent->name)));
        return;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        if (strcmp(step->outputs[i], dot + 1) == 0) {
            input->output = i;
            return;
        }
    }
    report_no_output(resolver, place, parent, step, dot + 1);
}

/* ---- where several cannot stand ---------------------------------------------------------------- */

static void check_steps(struct resolver *resolver, const struct stream *stream)
{
    for (size_t i = 0; i + 1 < stream->step_count; i++) {
        const struct plugin_use *step = &stream->steps[i];
        if (step->output_count > 1) {
            resolver_fault(resolver, step->place,
                           "'%s' has several outputs (%s), so no step can follow it here; go on in "
                           "streams of their own: 'from: %s.%s'",
                           step->factory->spec->name, list_names(resolver, step, ""), stream->name,
                           step->outputs[0]);
        }
    }
}

static void check_ends(struct resolver *resolver, const struct stream *stream)
{
    const struct plugin_use *step = last_step(stream);
    const struct node *to = key_node(stream_draft(resolver, stream)->node, "to");
    if (step != NULL && to != NULL) {
        resolver_fault(
            resolver, to->place,
            "the last step of stream '%s' has several outputs (%s), and 'to' cannot tell "
            "which one it takes; write it in streams of their own: 'from: %s.%s'",
            stream->name, list_names(resolver, step, ""), stream->name, step->outputs[0]);
    }
}

void outputs_resolve(struct resolver *resolver)
{
    for (size_t i = 0; i < resolver->pipeline->stream_count; i++) {
        struct stream *stream = resolver->pipeline->streams[i];
        const struct draft *draft = stream_draft(resolver, stream);
        for (size_t k = 0; k < stream->input_count; k++) {
            resolve_input(resolver, &stream->inputs[k]);
        }
        if (draft->node->kind == NODE_MAP) {
            check_steps(resolver, stream);
            check_ends(resolver, stream);
        }
    }
}
