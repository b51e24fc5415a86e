/* SPDX-License-Identifier: MIT */
/*
 * Operator `set`: writes fields, from top to bottom, each expression seeing what stands above.
 *
 * One assignment is computed for the whole batch before the next begins. The records that are still
 * alive stand together in `lanes`; one that fails leaves them and takes no part in what follows.
 */
#include <string.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/edit.h"

struct config {
    weir_option_map fields;
};

struct assignment {
    const weir_expression *expression;
    struct edit_place place;
};

struct set {
    const weir_expressions_api *expressions;
    struct assignment *assignments;
    uint32_t count;
};

/*
 * The records under way, `count` of them.
 *
 * entries  in the order of the batch; entries[i].record is records[i]
 * indexes  where in the batch each comes from
 * owns     what each record alone holds; NULL where there is one assignment only
 */
struct lanes {
    uint32_t count;
    weir_entry *entries;
    weir_record *records;
    uint32_t *indexes;
    struct edit_own *owns;
    weir_value *results;
};

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const weir_option_map *fields = &((const struct config *)config_data)->fields;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct set *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->expressions = expressions;
    self->count = (uint32_t)fields->count;
    self->assignments = memory->alloc(host, (fields->count + 1) * sizeof *self->assignments);
    if (self->assignments == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        struct assignment *assignment = &self->assignments[i];
        assignment->expression = fields->items[i].value.expression;
        if (!edit_place_init(&assignment->place, host, fields->items[i].key.target)) {
            return WEIR_E_NOMEM;
        }
        assignment->place.spare = self->count;
    }
    *ret_self = self;
    return WEIR_OK;
}

static bool lanes_init(struct lanes *lanes, weir_context *ctx, const weir_batch *in, bool is_owner)
{
    uint64_t count = in->count;
    lanes->count = in->count;
    lanes->entries = weir_alloc(ctx, count * sizeof *lanes->entries);
    lanes->records = weir_alloc(ctx, count * sizeof *lanes->records);
    lanes->indexes = weir_alloc(ctx, count * sizeof *lanes->indexes);
    lanes->results = weir_alloc(ctx, count * sizeof *lanes->results);
    lanes->owns = is_owner ? weir_alloc(ctx, count * sizeof *lanes->owns) : NULL;
    if (lanes->entries == NULL || lanes->records == NULL || lanes->indexes == NULL ||
        lanes->results == NULL || (is_owner && lanes->owns == NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        lanes->records[i] = *in->entries[i].record;
        lanes->entries[i] = in->entries[i];
        lanes->entries[i].record = &lanes->records[i];
        lanes->indexes[i] = i;
    }
    if (is_owner) {
        memset(lanes->owns, 0, count * sizeof *lanes->owns);
    }
    return true;
}

/* Lane `from` takes the place `to`, which a failed one has left. */
static void lane_move(struct lanes *lanes, uint32_t to, uint32_t from)
{
    if (to == from) {
        return;
    }
    lanes->records[to] = lanes->records[from];
    lanes->entries[to] = lanes->entries[from];
    lanes->entries[to].record = &lanes->records[to];
    lanes->indexes[to] = lanes->indexes[from];
    if (lanes->owns != NULL) {
        lanes->owns[to] = lanes->owns[from];
    }
}

/* WEIR_E_DATA: this record has failed and that has been reported. */
static weir_status lane_assign(struct lanes *lanes, uint32_t i, weir_context *ctx,
                               struct edit_place *place)
{
    const weir_value *made = &lanes->results[i];
    if (made->tag == WEIR_TAG_ERROR) {
        ctx->api->fail_value(ctx, lanes->indexes[i], made);
        return WEIR_E_DATA;
    }
    struct edit_own *own = lanes->owns == NULL ? NULL : &lanes->owns[i];
    struct edit_fault fault;
    weir_status st = edit_set(ctx, place, own, &lanes->records[i].value, made, &fault);
    if (st == WEIR_E_DATA) {
        weir_cursor_to(ctx, lanes->indexes[i]);
        weir_fail(ctx, "cannot set '%.*s': %s", (int)place->target->text.size,
                  place->target->text.data, fault.message);
    }
    return st;
}

static weir_status assign(const struct set *self, struct assignment *assignment, weir_context *ctx,
                          struct lanes *lanes)
{
    int64_t failed = self->expressions->evaluate(ctx, assignment->expression, lanes->entries,
                                                 lanes->count, lanes->results);
    if (failed < 0) {
        return (weir_status)failed;
    }
    uint32_t alive = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        weir_status st = lane_assign(lanes, i, ctx, &assignment->place);
        if (st == WEIR_OK) {
            lane_move(lanes, alive, i);
            alive++;
        } else if (st != WEIR_E_DATA) {
            return st;
        }
    }
    lanes->count = alive;
    return WEIR_OK;
}

static weir_status emit(weir_context *ctx, const weir_batch *in, const struct lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        weir_cursor_to(ctx, lanes->indexes[i]);
        weir_status st =
            weir_emit(ctx, 0, &in->entries[lanes->indexes[i]], lanes->entries[i].record);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct set *self = data;
    struct lanes lanes;
    if (!lanes_init(&lanes, ctx, in, self->count > 1)) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count && lanes.count > 0; i++) {
        weir_status st = assign(self, &self->assignments[i], ctx, &lanes);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return emit(ctx, in, &lanes);
}

/* Each expression sees what stands above it. */
static const weir_type *types_of(const void *config_data, const weir_types *types,
                                 const weir_type *in)
{
    const weir_option_map *fields = &((const struct config *)config_data)->fields;
    const weir_type *value = in;
    for (uint64_t i = 0; i < fields->count; i++) {
        const weir_type *type = types->of(types, value, fields->items[i].value.expression);
        value = types->with(types, value, fields->items[i].key.target, type);
    }
    return value;
}

static const weir_option expression_element = {
    .name = "expression",
    .type = WEIR_OPTION_EXPRESSION,
    .summary = "What to write",
};

static const weir_option options[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, fields),
      .key_type = WEIR_OPTION_TARGET,
      .element = &expression_element,
      .summary = "Fields to write, each with its expression",
      .doc = "From top to bottom; an expression sees what stands above it." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory set_factory = {
    .struct_size = sizeof set_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "set",
    .summary = "Adds fields and changes them",
    .doc = "```yaml\n- set:\n    fahrenheit: celsius * 9 / 5 + 32\n    is_hot: fahrenheit > 90\n"
           "    position.height: 0\n    $value[\"temp F\"]: fahrenheit\n```\n\n"
           "A field that exists keeps its place, a new one is appended. Maps that are missing or "
           "null on the way to a field are made; an index of a list must exist. `$value` as the "
           "field replaces the whole value. A value that is no map, null included, is an error of "
           "the record, but for `$value`. A record that fails at one field is dropped or reported "
           "as a whole, as `on_error` says.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &set_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.set", .name = "set", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Adds fields and changes them",
            .factories = factories);
