/* SPDX-License-Identifier: MIT */
/*
 * Operator `route`: an output per condition and one for the rest. A record goes to the first output
 * whose condition holds.
 *
 * One condition is computed for all records that none before it has taken, so a condition never sees
 * a record that has found its output.
 */
#include <stdbool.h>
#include <string.h>

#include <weir/operator.h>
#include <weir/plugin.h>

static const char rest_name[] = "unmatched";

struct config {
    weir_option_map conditions;
};

struct route {
    const weir_expressions_api *expressions;
    const weir_option_map *conditions;
};

/*
 * Where the records of a batch go.
 *
 * outputs  by record; FAILED: nowhere
 * open     the records that have no output yet, `count` of them; entries and indexes go together
 */
struct sorting {
    uint32_t *outputs;
    weir_entry *entries;
    uint32_t *indexes;
    weir_value *verdicts;
    uint32_t count;
};

#define FAILED UINT32_MAX

static bool is_rest(weir_text name)
{
    return name.size == sizeof rest_name - 1 && memcmp(name.data, rest_name, name.size) == 0;
}

static weir_status validate(const void *config_data, weir_error_info *fault)
{
    const struct config *config = config_data;
    for (uint64_t i = 0; i < config->conditions.count; i++) {
        if (is_rest(config->conditions.items[i].key.text)) {
            fault->message = "'unmatched' is the output of the records that meet no condition; "
                             "choose another name";
            return WEIR_E_INVALID;
        }
    }
    return WEIR_OK;
}

static weir_status output_name(const void *config_data, uint32_t index, weir_text *ret_name)
{
    const struct config *config = config_data;
    if (index > config->conditions.count) {
        return WEIR_END;
    }
    *ret_name = index < config->conditions.count ? config->conditions.items[index].key.text
                                                 : (weir_text){ rest_name, sizeof rest_name - 1 };
    return WEIR_OK;
}

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const struct config *config = config_data;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct route *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->expressions = expressions;
    self->conditions = &config->conditions;
    *ret_self = self;
    return WEIR_OK;
}

static bool sorting_init(struct sorting *s, weir_context *ctx, const weir_batch *in, uint32_t rest)
{
    uint64_t count = in->count;
    s->count = in->count;
    s->outputs = weir_alloc(ctx, count * sizeof *s->outputs);
    s->entries = weir_alloc(ctx, count * sizeof *s->entries);
    s->indexes = weir_alloc(ctx, count * sizeof *s->indexes);
    s->verdicts = weir_alloc(ctx, count * sizeof *s->verdicts);
    if (s->outputs == NULL || s->entries == NULL || s->indexes == NULL || s->verdicts == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        s->outputs[i] = rest;
        s->entries[i] = in->entries[i];
        s->indexes[i] = i;
    }
    return true;
}

/* Takes out of the open records those that this output gets, and those that fail. */
static weir_status take(const struct route *self, weir_context *ctx, struct sorting *s,
                        uint32_t output)
{
    int64_t failed = self->expressions->evaluate(
        ctx, self->conditions->items[output].value.expression, s->entries, s->count, s->verdicts);
    if (failed < 0) {
        return (weir_status)failed;
    }
    uint32_t open = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t index = s->indexes[i];
        const weir_value *verdict = &s->verdicts[i];
        if (verdict->tag == WEIR_TAG_ERROR) {
            ctx->api->fail_value(ctx, index, verdict);
            s->outputs[index] = FAILED;
        } else if (self->expressions->is_truthy(verdict)) {
            s->outputs[index] = output;
        } else {
            s->entries[open] = s->entries[i];
            s->indexes[open] = index;
            open++;
        }
    }
    s->count = open;
    return WEIR_OK;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct route *self = data;
    uint32_t rest = (uint32_t)self->conditions->count;
    struct sorting s;
    if (!sorting_init(&s, ctx, in, rest)) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < rest && s.count > 0; i++) {
        weir_status st = take(self, ctx, &s, i);
        if (st != WEIR_OK) {
            return st;
        }
    }
    WEIR_EACH(ctx, in, entry) {
        uint32_t output = s.outputs[ctx->cursor];
        weir_status st = output == FAILED ? WEIR_OK : weir_pass(ctx, output, entry);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

/* What goes to an output is what came in. */
static const weir_type *types_of(const void *config_data, const weir_types *types,
                                 const weir_type *in)
{
    const struct config *config = config_data;
    for (uint64_t i = 0; i < config->conditions.count; i++) {
        (void)types->of(types, in, config->conditions.items[i].value.expression);
    }
    return in;
}

static const weir_option condition_element = {
    .name = "condition",
    .type = WEIR_OPTION_EXPRESSION,
    .summary = "What a record must meet to go to this output",
};

static const weir_option options[] = {
    { .name = "conditions",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, conditions),
      .key_type = WEIR_OPTION_TEXT,
      .min = 1,
      .max = 63,
      .element = &condition_element,
      .summary = "Names of outputs, each with its condition",
      .doc = "From top to bottom: a record goes to the first output whose condition holds, and to "
             "`unmatched` where none does." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory route_factory = {
    .struct_size = sizeof route_factory,
    .flags = WEIR_OPERATOR_REST_OUTPUT,
    .kind = WEIR_KIND_OPERATOR,
    .name = "route",
    .summary = "Parts a stream by conditions",
    .doc = "```yaml\nstreams:\n  sorted:\n    from: {topic: flights}\n    steps:\n"
           "      - route:\n          late: delay > 15\n          early: delay < 0\n"
           "  alarms: {from: sorted.late, to: print}\n"
           "  others: {from: [sorted.early, sorted.unmatched], to: {topic: calm}}\n```\n\n"
           "Each record goes to one output: the first whose condition holds, else `unmatched`. "
           "Later conditions are not computed for it. What no stream reads is dropped. A condition "
           "that fails is an error of the record: `delay ?? 0 > 15` forgives a missing field.\n\n"
           "It is the last step of its stream.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
    .output_name = output_name,
    .types = types_of,
};

static const weir_factory *const factories[] = { &route_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.route", .name = "route", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Parts a stream by conditions",
            .factories = factories);
