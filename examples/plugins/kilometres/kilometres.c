/* SPDX-License-Identifier: MIT */
/*
 * Operator `kilometres`: adds a field with a distance in kilometres. Records whose distance is
 * missing or no number fail; what happens to them is up to the step's on_error.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

struct config {
    weir_text field;
    weir_text as;
    int64_t unit;
};

static const char *const units[] = { "miles", "nautical_miles", "feet", NULL };
static const double kilometres_per[] = { 1.609344, 1.852, 0.0003048 };

struct kilometres {
    const struct config *config;
    const weir_values_api *values;
    uint32_t field; /* names as numbers, and where they stood in the last record */
    uint32_t as;
    uint32_t field_slot;
    uint32_t as_slot;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_symbols_api *symbols = host->get_extension(host, WEIR_SYMBOLS);
    struct kilometres *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->config = config;
    self->values = host->get_extension(host, WEIR_VALUES);
    self->field =
        symbols->intern(host, self->config->field.data, (uint32_t)self->config->field.size);
    self->as = symbols->intern(host, self->config->as.data, (uint32_t)self->config->as.size);
    *ret_self = self;
    return self->field != WEIR_SYMBOL_NONE && self->as != WEIR_SYMBOL_NONE ? WEIR_OK : WEIR_E_NOMEM;
}

/* The map with one member set or added: a new array that shares every other value. */
static weir_status set_member(struct kilometres *self, weir_context *ctx, const weir_value *map,
                              double distance, weir_value *ret)
{
    const weir_text *as = &self->config->as;
    const weir_member *old =
        weir_map_find(map, self->as, as->data, (uint32_t)as->size, &self->as_slot);
    uint32_t at = old != NULL ? (uint32_t)(old - map->as.members) : map->len;
    uint32_t count = old != NULL ? map->len : map->len + 1;
    weir_member *members = weir_alloc(ctx, count * sizeof *members);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < map->len; i++) {
        members[i] = map->as.members[i];
    }
    members[at] = (weir_member){ self->as, (uint32_t)as->size, as->data, weir_float(distance) };
    *ret = weir_map_value(members, count);
    return WEIR_OK;
}

static weir_status convert(struct kilometres *self, weir_context *ctx, const weir_entry *entry)
{
    const weir_value *map = &entry->record->value;
    const weir_text *field = &self->config->field;
    const weir_member *member = NULL;
    weir_value number;
    if (map->tag == WEIR_MAP) {
        member =
            weir_map_find(map, self->field, field->data, (uint32_t)field->size, &self->field_slot);
    }
    if (member == NULL || self->values->number(&member->value, &number) != WEIR_OK ||
        number.tag == WEIR_NUMBER) {
        weir_fail(ctx, "field '%s' is missing or no number", field->data);
        return WEIR_OK;
    }
    double distance = number.tag == WEIR_INT ? (double)number.as.i64 : number.as.f64;
    weir_value changed;
    weir_status st =
        set_member(self, ctx, map, distance * kilometres_per[self->config->unit], &changed);
    if (st != WEIR_OK) {
        return st;
    }
    weir_record *record = weir_record_with(ctx, entry->record, changed);
    return record != NULL ? weir_emit(ctx, 0, entry, record) : WEIR_E_NOMEM;
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    WEIR_EACH(ctx, in, entry) {
        weir_status st = convert(self, ctx, entry);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_option options[] = { { .name = "field",
                                         .type = WEIR_OPTION_TEXT,
                                         .flags = WEIR_OPTION_BODY,
                                         .offset = offsetof(struct config, field),
                                         .default_text = "distance",
                                         .summary = "The field that holds the distance" },
                                       { .name = "unit",
                                         .type = WEIR_OPTION_ENUM,
                                         .offset = offsetof(struct config, unit),
                                         .enum_names = units,
                                         .default_text = "miles",
                                         .summary = "What the distance is measured in" },
                                       { .name = "as",
                                         .type = WEIR_OPTION_TEXT,
                                         .offset = offsetof(struct config, as),
                                         .default_text = "kilometres",
                                         .summary = "The field to write" },
                                       WEIR_OPTIONS_END };

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable,
                                             .create = create,
                                             .process = process };
static const weir_factory kilometres = { .struct_size = sizeof kilometres,
                                         .kind = WEIR_KIND_OPERATOR,
                                         .name = "kilometres",
                                         .summary = "Adds a distance in kilometres",
                                         .options = options,
                                         .config_size = sizeof(struct config),
                                         .vtable = &vtable };
static const weir_factory *const factories[] = { &kilometres, NULL };
WEIR_PLUGIN(.id = "org.example.kilometres", .name = "kilometres", .version = "1.0.0",
            .vendor = "Example", .license = "MIT", .summary = "Distances in kilometres",
            .factories = factories);
