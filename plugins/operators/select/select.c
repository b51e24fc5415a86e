/* SPDX-License-Identifier: MIT */
/*
 * Operator `select`: a new map from the record. All expressions see the incoming record, so they
 * are computed first, a column each, and the maps are put together afterwards.
 */
#include <stdbool.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/edit.h"

struct config {
    weir_option_map fields;
};

struct field {
    const weir_expression *expression;
    struct edit_place place;
};

/* is_flat: every target is a name of the new map itself */
struct select {
    const weir_expressions_api *expressions;
    struct field *fields;
    uint32_t count;
    bool is_flat;
};

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const weir_option_map *fields = &((const struct config *)config_data)->fields;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct select *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->expressions = expressions;
    self->count = (uint32_t)fields->count;
    self->is_flat = true;
    self->fields = memory->alloc(host, (fields->count + 1) * sizeof *self->fields);
    if (self->fields == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        struct field *field = &self->fields[i];
        const weir_target *target = fields->items[i].key.target;
        field->expression = fields->items[i].value.expression;
        if (!edit_place_init(&field->place, host, target)) {
            return WEIR_E_NOMEM;
        }
        field->place.spare = self->count;
        self->is_flat &= target->step_count == 1 && target->steps[0].name != NULL;
    }
    *ret_self = self;
    return WEIR_OK;
}

/* The column of field i is at columns + i * count. */
static weir_status evaluate(const struct select *self, weir_context *ctx, const weir_batch *in,
                            weir_value *columns)
{
    for (uint32_t i = 0; i < self->count; i++) {
        int64_t failed = self->expressions->evaluate(ctx, self->fields[i].expression, in->entries,
                                                     in->count, columns + (uint64_t)i * in->count);
        if (failed < 0) {
            return (weir_status)failed;
        }
    }
    return WEIR_OK;
}

/* True where a field of the record under the cursor has failed: the first one is reported. */
static bool has_failed(const struct select *self, weir_context *ctx, const weir_value *column,
                       uint32_t count)
{
    for (uint32_t i = 0; i < self->count; i++, column += count) {
        if (column->tag == WEIR_TAG_ERROR) {
            ctx->api->fail_value(ctx, ctx->cursor, column);
            return true;
        }
    }
    return false;
}

static weir_status make_flat(const struct select *self, weir_context *ctx, const weir_value *column,
                             uint32_t count, weir_value *ret)
{
    weir_member *members = weir_alloc(ctx, self->count * sizeof *members);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++, column += count) {
        const weir_target_step *step = &self->fields[i].place.target->steps[0];
        members[i].symbol = step->symbol;
        members[i].key_len = step->name_len;
        members[i].key = step->name;
        members[i].value = *column;
    }
    *ret = weir_map_value(members, self->count);
    return WEIR_OK;
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status make_nested(const struct select *self, weir_context *ctx,
                               const weir_value *column, uint32_t count, weir_value *ret)
{
    struct edit_own own = { 0 };
    weir_value made = weir_map_value(NULL, 0);
    for (uint32_t i = 0; i < self->count; i++, column += count) {
        struct edit_place *place = &self->fields[i].place;
        struct edit_fault fault;
        weir_status st = edit_set(ctx, place, &own, &made, column, &fault);
        if (st == WEIR_E_DATA) {
            weir_fail(ctx, "cannot select '%.*s': %s", (int)place->target->text.size,
                      place->target->text.data, fault.message);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    *ret = made;
    return WEIR_OK;
}

static weir_status emit_one(const struct select *self, weir_context *ctx, const weir_entry *entry,
                            const weir_value *column, uint32_t count)
{
    weir_value made;
    weir_status st = self->is_flat ? make_flat(self, ctx, column, count, &made)
                                   : make_nested(self, ctx, column, count, &made);
    if (st != WEIR_OK) {
        return st;
    }
    const weir_record *record = weir_record_with(ctx, entry->record, made);
    return record == NULL ? WEIR_E_NOMEM : weir_emit(ctx, 0, entry, record);
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct select *self = data;
    weir_value *columns = weir_alloc(ctx, (uint64_t)self->count * in->count * sizeof *columns);
    if (columns == NULL) {
        return WEIR_E_NOMEM;
    }
    weir_status st = evaluate(self, ctx, in, columns);
    if (st != WEIR_OK) {
        return st;
    }
    WEIR_EACH(ctx, in, entry) {
        const weir_value *column = columns + ctx->cursor;
        if (has_failed(self, ctx, column, in->count)) {
            continue;
        }
        st = emit_one(self, ctx, entry, column, in->count);
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

/* Every expression sees the record as it came in. */
static const weir_type *types_of(const void *config_data, const weir_types *types,
                                 const weir_type *in)
{
    const weir_option_map *fields = &((const struct config *)config_data)->fields;
    const weir_type *made = types->named(types, "{}");
    for (uint64_t i = 0; i < fields->count; i++) {
        const weir_type *type = types->of(types, in, fields->items[i].value.expression);
        made = types->with(types, made, fields->items[i].key.target, type);
    }
    return made;
}

static const weir_option expression_element = {
    .name = "expression",
    .type = WEIR_OPTION_EXPRESSION,
    .summary = "What the field holds",
};

static const weir_option options[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATHS,
      .offset = offsetof(struct config, fields),
      .key_type = WEIR_OPTION_TARGET,
      .element = &expression_element,
      .summary = "The fields of the new value, in this order",
      .doc = "A map of fields to expressions, or a list of paths and maps: a path stands under its "
             "last name. An empty list gives an empty map." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory select_factory = {
    .struct_size = sizeof select_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "select",
    .summary = "Replaces the value by a map of chosen fields",
    .doc = "```yaml\n- select: [id, sensor.name, {celsius: (temperature - 32) / 1.8}]\n"
           "- select:\n    flight: origin + \"-\" + destination\n    delay: delay\n```\n\n"
           "All expressions see the record as it came in. `{new: old}` renames. A field that is "
           "missing is an error of the record; `note ?? null` makes it null.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &select_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.select", .name = "select", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Replaces the value by a map of chosen fields", .factories = factories);
