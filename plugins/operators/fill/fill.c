/* SPDX-License-Identifier: MIT */
/*
 * Operator `fill`: writes fields where they are missing or null.
 *
 * One field is filled for the whole batch before the next begins; its expression is computed only for
 * the records that need it.
 */
#include <stdbool.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/edit.h"
#include "support/step.h"

struct config {
    weir_option_map fields;
};

struct filling {
    const weir_expression *expression;
    struct edit_place place;
};

struct fill {
    struct step step;
    struct filling *fillings;
    uint32_t count;
};

/* The records of a batch. open, indexes: those that need the field at hand, open_count of them. */
struct work {
    weir_record *records;
    bool *has_failed;
    weir_entry *open;
    uint32_t *indexes;
    uint32_t open_count;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_option_map *fields = &((const struct config *)config)->fields;
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct fill), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct fill *self = memory;
    self->count = (uint32_t)fields->count;
    self->fillings = step_alloc(&self->step, fields->count, sizeof *self->fillings);
    if (self->fillings == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        self->fillings[i].expression = fields->items[i].value.expression;
        if (!edit_place_init(&self->fillings[i].place, host, fields->items[i].key.target)) {
            return WEIR_E_NOMEM;
        }
    }
    *ret_self = self;
    return WEIR_OK;
}

static bool work_init(struct work *work, weir_context *ctx, const weir_batch *in)
{
    uint64_t count = in->count;
    work->records = weir_alloc(ctx, count * sizeof *work->records);
    work->has_failed = weir_alloc(ctx, count * sizeof *work->has_failed);
    work->open = weir_alloc(ctx, count * sizeof *work->open);
    work->indexes = weir_alloc(ctx, count * sizeof *work->indexes);
    if (work->records == NULL || work->has_failed == NULL || work->open == NULL ||
        work->indexes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        work->records[i] = *in->entries[i].record;
        work->has_failed[i] = false;
    }
    return true;
}

/* A value that is no map has no fields to fill and passes as it is. */
static bool needs(struct edit_place *place, const weir_value *value)
{
    const weir_target *target = place->target;
    if (target->step_count > 0 && target->steps[0].name != NULL && value->tag != WEIR_MAP) {
        return false;
    }
    const weir_value *found = edit_find(place, value);
    return found == NULL || found->tag == WEIR_NULL;
}

static void gather(struct work *work, const weir_batch *in, struct edit_place *place)
{
    work->open_count = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        if (!work->has_failed[i] && needs(place, &work->records[i].value)) {
            work->indexes[work->open_count] = i;
            work->open[work->open_count] = in->entries[i];
            work->open[work->open_count++].record = &work->records[i];
        }
    }
}

static weir_status put(weir_context *ctx, struct work *work, struct edit_place *place,
                       uint32_t index, const weir_value *made)
{
    if (made->tag == WEIR_TAG_ERROR) {
        ctx->api->fail_value(ctx, index, made);
        work->has_failed[index] = true;
        return WEIR_OK;
    }
    struct edit_fault fault;
    weir_status st = edit_set(ctx, place, NULL, &work->records[index].value, made, &fault);
    if (st == WEIR_E_DATA) {
        weir_text name = place->target->text;
        weir_cursor_to(ctx, index);
        weir_fail(ctx, "cannot fill '%.*s': %s", (int)name.size, name.data, fault.message);
        work->has_failed[index] = true;
        return WEIR_OK;
    }
    return st;
}

static weir_status fill_field(const struct fill *self, weir_context *ctx, const weir_batch *in,
                              struct work *work, struct filling *filling)
{
    gather(work, in, &filling->place);
    if (work->open_count == 0) {
        return WEIR_OK;
    }
    weir_value *made = NULL;
    weir_status st =
        step_column(&self->step, ctx, filling->expression, work->open, work->open_count, &made);
    for (uint32_t i = 0; i < work->open_count && st == WEIR_OK; i++) {
        st = put(ctx, work, &filling->place, work->indexes[i], &made[i]);
    }
    return st;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct fill *self = data;
    struct work work;
    if (!work_init(&work, ctx, in)) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        weir_status st = fill_field(self, ctx, in, &work, &self->fillings[i]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    WEIR_EACH(ctx, in, entry) {
        weir_status st = work.has_failed[ctx->cursor]
                             ? WEIR_OK
                             : weir_emit(ctx, 0, entry, &work.records[ctx->cursor]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_option expression_element = {
    .name = "expression",
    .type = WEIR_OPTION_EXPRESSION,
    .summary = "What to write where nothing is",
};

static const weir_option options[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, fields),
      .key_type = WEIR_OPTION_TARGET,
      .min = 1,
      .max = 10000,
      .element = &expression_element,
      .summary = "Fields to fill, each with its expression",
      .doc =
          "From top to bottom; an expression sees what stands above it and is computed only where "
          "its field is missing or null." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory fill_factory = {
    .struct_size = sizeof fill_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "fill",
    .summary = "Writes fields where they are missing or null",
    .doc =
        "```yaml\n- fill:\n    note: '\"none\"'\n    count: 0\n    position.height: null\n```\n\n"
        "A field that is null keeps its place, one that is missing is appended. A value that is no "
        "map passes as it is; `$value` as the field fills a null value.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &fill_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.fill", .name = "fill", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Writes fields where they are missing or null", .factories = factories);
