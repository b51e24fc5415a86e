/* SPDX-License-Identifier: MIT */
/*
 * Operator `filter`: passes the records for which its condition holds. Passing one on moves 16
 * bytes.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

struct config {
    const weir_expression *where;
};

struct filter {
    const weir_expressions_api *expressions;
    const weir_expression *where;
};

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const struct config *config = config_data;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct filter *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->expressions = expressions;
    self->where = config->where;
    *ret_self = self;
    return WEIR_OK;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct filter *self = data;
    weir_value *verdicts = weir_alloc(ctx, in->count * sizeof *verdicts);
    if (verdicts == NULL) {
        return WEIR_E_NOMEM;
    }
    int64_t failed =
        self->expressions->evaluate(ctx, self->where, in->entries, in->count, verdicts);
    if (failed < 0) {
        return (weir_status)failed;
    }
    WEIR_EACH(ctx, in, entry) {
        const weir_value *verdict = &verdicts[ctx->cursor];
        if (verdict->tag == WEIR_TAG_ERROR) {
            ctx->api->fail_value(ctx, ctx->cursor, verdict);
        } else if (self->expressions->is_truthy(verdict)) {
            weir_status st = weir_pass(ctx, 0, entry);
            if (st != WEIR_OK) {
                return st;
            }
        }
    }
    return WEIR_OK;
}

static const weir_type *types_of(const void *config_data, const weir_types *types,
                                 const weir_type *in)
{
    const struct config *config = config_data;
    return types->where(types, in, config->where);
}

static const weir_option options[] = {
    { .name = "where",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, where),
      .summary = "The condition that a record must meet to go on",
      .doc = "Every value counts as true but `null`, `false`, zero and the empty text, bytes, list "
             "and map." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory filter_factory = {
    .struct_size = sizeof filter_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "filter",
    .summary = "Keeps the records that meet a condition",
    .doc =
        "```yaml\n- filter: delay > 15 and origin in [\"JFK\", \"EWR\"]\n```\n\n"
        "A field that is missing is an error of the record, not a false condition; `delay ?? 0 > "
        "15`, `has(delay) and delay > 15` and `delay is not null` forgive it.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &filter_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.filter", .name = "filter", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Keeps the records that meet a condition", .factories = factories);
