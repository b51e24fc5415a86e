/* SPDX-License-Identifier: MIT */
/* Operator `kilometres`: adds a field with a distance in kilometres to one in miles. */
#include <weir/field.h>
#include <weir/operator.h>
#include <weir/plugin.h>

struct config {
    weir_text field;
    weir_text as;
};

struct kilometres {
    const weir_values_api *values;
    weir_field miles;
    weir_field kilometres;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const struct config *c = config;
    struct kilometres *self = weir_instance_alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->values = host->get_extension(host, WEIR_VALUES);
    self->miles = weir_field_of(host, c->field);
    self->kilometres = weir_field_of(host, c->as);
    *ret_self = self;
    return WEIR_OK;
}

/* What happens to a record that fails is up to the step's on_error. */
static weir_status convert(struct kilometres *self, weir_context *ctx, const weir_entry *entry)
{
    const weir_value *map = &entry->record->value;
    const weir_value *miles = weir_field_get(&self->miles, map);
    weir_value number, changed;
    if (miles == NULL || self->values->number(miles, &number) != WEIR_OK ||
        number.tag == WEIR_NUMBER) {
        weir_fail(ctx, "field '%s' is missing or no number", self->miles.name);
        return WEIR_OK;
    }
    double distance = number.tag == WEIR_INT ? (double)number.as.i64 : number.as.f64;
    weir_status st =
        weir_field_set(&self->kilometres, ctx, map, weir_float(distance * 1.609344), &changed);
    return st == WEIR_OK ? weir_emit_value(ctx, 0, entry, changed) : st;
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    weir_status st = WEIR_OK;
    WEIR_EACH(ctx, in, entry) {
        st = st == WEIR_OK ? convert(self, ctx, entry) : st;
    }
    return st;
}

static const weir_option options[] = {
    { .name = "field",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_BODY,
      .default_text = "distance",
      .offset = offsetof(struct config, field),
      .summary = "The field that holds miles" },
    { .name = "as",
      .type = WEIR_OPTION_TEXT,
      .default_text = "kilometres",
      .offset = offsetof(struct config, as),
      .summary = "The field to write" },
    WEIR_OPTIONS_END,
};

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable,
                                             .create = create,
                                             .process = process };

WEIR_OPERATOR_PLUGIN("org.example.kilometres", "kilometres", "1.0.0", "Example", "MIT",
                     "Adds a distance in kilometres", options, sizeof(struct config), &vtable);
