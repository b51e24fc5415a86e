/* SPDX-License-Identifier: MIT */
/*
 * `steps`: operators in the order of the file.
 */
#include "pipeline/names.h"
#include "pipeline/parts.h"

/* A step that cannot be used keeps its place, so that the numbers in labels stay true. */
static const char *read_step(struct resolver *resolver, struct stream *stream, size_t index,
                             const struct node *node, struct plugin_use *step)
{
    struct written written;
    const char *where = resolver_text(resolver, "streams.%s.steps[%zu]", stream->name, index);
    *step = (struct plugin_use){ .stream = stream->name, .place = node->place };
    if (where == NULL || !written_read(resolver, &operator_spot, node, &written)) {
        return "step";
    }
    resolver->option_streams.count = 0;
    if (written_use(resolver, &operator_spot, &written, where, step)) {
        step->is_right = outputs_read(resolver, step);
    }
    step_inputs_read(resolver, stream, index);
    return step->factory != NULL ? step->factory->spec->name : written.name->text;
}

void steps_read(struct resolver *resolver, struct stream *stream, const struct node *steps)
{
    if (steps->kind != NODE_LIST) {
        resolver_fault(resolver, steps->place,
                       "'steps' is a list; begin each step with '- ', as in '- filter: ...'");
        return;
    }
    const char **bases = resolver_alloc(resolver, steps->count, sizeof *bases);
    struct plugin_use **uses = resolver_alloc(resolver, steps->count, sizeof(struct plugin_use *));
    stream->steps = resolver_alloc(resolver, steps->count, sizeof *stream->steps);
    if (bases == NULL || uses == NULL || stream->steps == NULL) {
        return;
    }
    for (size_t i = 0; i < steps->count; i++) {
        uses[i] = &stream->steps[i];
        bases[i] = read_step(resolver, stream, i, steps->items[i], uses[i]);
    }
    stream->step_count = steps->count;
    ids_assign(resolver, uses, bases, steps->count);
}
