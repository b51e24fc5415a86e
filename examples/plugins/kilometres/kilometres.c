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
    self->miles = weir_field_of(host, c->field);
    self->kilometres = weir_field_of(host, c->as);
    *ret_self = self;
    return WEIR_OK;
}

/* What happens to a record that fails is up to the step's on_error. */
static weir_status convert(struct kilometres *self, weir_context *ctx, const weir_entry *entry)
{
    const weir_value *map = &entry->record->value;
    weir_value changed;
    double miles;
    if (!weir_field_float(&self->miles, map, &miles)) {
        weir_fail(ctx, "field '%s' is missing or no number", self->miles.name);
        return WEIR_OK;
    }
    weir_status st =
        weir_field_set(&self->kilometres, ctx, map, weir_float(miles * 1.609344), &changed);
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
    WEIR_OPTION(struct config, field, WEIR_OPTION_TEXT, WEIR_OPTION_BODY, "distance",
                "The field that holds miles"),
    WEIR_OPTION(struct config, as, WEIR_OPTION_TEXT, 0, "kilometres", "The field to write"),
    WEIR_OPTIONS_END,
};

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable,
                                             .create = create,
                                             .process = process };

WEIR_OPERATOR_PLUGIN("org.example.kilometres", "kilometres", "1.0.0", "Example", "MIT",
                     "Adds a distance in kilometres", options, sizeof(struct config), &vtable);
