/* SPDX-License-Identifier: MIT */
/*
 * Operator `flat_map`: one record for every item of a list.
 */
#include <stdbool.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/edit.h"
#include "support/kind.h"

struct config {
    const weir_expression *items;
    const weir_target *as;
    const weir_target *index;
};

/* The places' targets are NULL where the option was not given. */
struct flat_map {
    const weir_expressions_api *expressions;
    const weir_expression *items;
    struct edit_place as;
    struct edit_place index;
};

static bool place_init(struct edit_place *place, const weir_host *host, const weir_target *target)
{
    if (target == NULL) {
        return true;
    }
    bool is_made = edit_place_init(place, host, target);
    place->spare = 2;
    return is_made;
}

static weir_status validate(const void *config_data, weir_error_info *fault)
{
    const struct config *config = config_data;
    if (config->index == NULL || config->as != NULL) {
        return WEIR_OK;
    }
    fault->message = "'index' needs 'as', since without it the item is the whole value; add 'as'";
    return WEIR_E_INVALID;
}

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const struct config *config = config_data;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct flat_map *self = memory->alloc(host, sizeof *self);
    if (self == NULL || !place_init(&self->as, host, config->as) ||
        !place_init(&self->index, host, config->index)) {
        return WEIR_E_NOMEM;
    }
    self->expressions = expressions;
    self->items = config->items;
    *ret_self = self;
    return WEIR_OK;
}

static weir_status put(weir_context *ctx, struct edit_place *place, struct edit_own *own,
                       weir_value *value, const weir_value *made)
{
    struct edit_fault fault;
    weir_status st = edit_set(ctx, place, own, value, made, &fault);
    if (st == WEIR_E_DATA) {
        weir_fail(ctx, "cannot set '%.*s': %s", (int)place->target->text.size,
                  place->target->text.data, fault.message);
    }
    return st;
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status emit_item(struct flat_map *self, weir_context *ctx, const weir_entry *entry,
                             const weir_value *item, uint32_t index)
{
    weir_value value = *item;
    if (self->as.target != NULL) {
        struct edit_own own = { 0 };
        value = entry->record->value;
        weir_status st = put(ctx, &self->as, &own, &value, item);
        if (st == WEIR_OK && self->index.target != NULL) {
            weir_value number = weir_int(index);
            st = put(ctx, &self->index, &own, &value, &number);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    const weir_record *record = weir_record_with(ctx, entry->record, value);
    return record == NULL ? WEIR_E_NOMEM : weir_emit(ctx, 0, entry, record);
}

static weir_status emit_items(struct flat_map *self, weir_context *ctx, const weir_entry *entry,
                              const weir_value *items)
{
    if (items->tag == WEIR_TAG_ERROR) {
        ctx->api->fail_value(ctx, ctx->cursor, items);
        return WEIR_E_DATA;
    }
    if (items->tag != WEIR_LIST) {
        weir_text text = self->expressions->text(self->items);
        weir_fail(ctx, "'%.*s' is %s, not a list", kind_excerpt(text.data, text.size, 100),
                  text.data, kind_name(items));
        return WEIR_E_DATA;
    }
    for (uint32_t i = 0; i < items->len; i++) {
        weir_status st = emit_item(self, ctx, entry, &items->as.items[i], i);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct flat_map *self = data;
    weir_value *lists = weir_alloc(ctx, in->count * sizeof *lists);
    if (lists == NULL) {
        return WEIR_E_NOMEM;
    }
    int64_t failed = self->expressions->evaluate(ctx, self->items, in->entries, in->count, lists);
    if (failed < 0) {
        return (weir_status)failed;
    }
    WEIR_EACH(ctx, in, entry) {
        weir_status st = emit_items(self, ctx, entry, &lists[ctx->cursor]);
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_type *types_of(const void *config_data, const weir_types *types,
                                 const weir_type *in)
{
    const struct config *config = config_data;
    const weir_type *item = types->items(types, types->want(types, in, config->items, "list"));
    if (config->as == NULL) {
        return item;
    }
    const weir_type *value = types->with(types, in, config->as, item);
    return config->index == NULL
               ? value
               : types->with(types, value, config->index, types->named(types, "int"));
}

static const weir_option options[] = {
    { .name = "items",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, items),
      .summary = "A list; each of its items becomes a record",
      .doc = "An empty list gives no record. Null and every other kind are an error of the record: "
             "`tags ?? []`, `chars($value)`, `keys($value)`." },
    { .name = "as",
      .type = WEIR_OPTION_TARGET,
      .offset = offsetof(struct config, as),
      .summary = "The field that takes the item",
      .doc = "The record goes on with its other fields. Without this option the item is the whole "
             "value." },
    { .name = "index",
      .type = WEIR_OPTION_TARGET,
      .offset = offsetof(struct config, index),
      .summary = "The field that takes the item's position, from 0",
      .doc = "Only together with `as`." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory flat_map_factory = {
    .struct_size = sizeof flat_map_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "flat_map",
    .summary = "Makes a record of every item of a list",
    .doc =
        "```yaml\n- flat_map: order.lines\n- flat_map: {items: order.lines, as: line, index: n}\n"
        "```\n\nThe records come in the order of the list and keep key, timestamp and headers.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
    .types = types_of,
};

static const weir_factory *const factories[] = { &flat_map_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.flat-map", .name = "flat_map", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Makes a record of every item of a list", .factories = factories);
