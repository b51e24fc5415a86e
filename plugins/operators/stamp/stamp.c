/* SPDX-License-Identifier: MIT */
/*
 * Operator `stamp`: writes the wall clock into a field.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/edit.h"
#include "support/step.h"

enum { FORM_TIMESTAMP, FORM_MS };

struct config {
    const weir_target *field;
    int64_t form;
};

struct stamp {
    struct step step;
    const weir_clock_api *clock;
    struct edit_place place;
    int64_t form;
};

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const struct config *config = config_data;
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct stamp), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct stamp *self = memory;
    self->clock = host->get_extension(host, WEIR_CLOCK);
    self->form = config->form;
    if (self->clock == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    *ret_self = self;
    return edit_place_init(&self->place, host, config->field) ? WEIR_OK : WEIR_E_NOMEM;
}

static weir_value now(const struct stamp *self)
{
    weir_value value = weir_int(self->clock->now_ms(self->step.host));
    if (self->form == FORM_TIMESTAMP) {
        value.tag = WEIR_TIMESTAMP;
        value.aux = 3;
    }
    return value;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct stamp *self = data;
    WEIR_EACH(ctx, in, entry) {
        weir_value made = now(self);
        weir_value value = entry->record->value;
        struct edit_fault fault;
        weir_status st = edit_set(ctx, &self->place, NULL, &value, &made, &fault);
        if (st == WEIR_E_DATA) {
            weir_text name = self->place.target->text;
            weir_fail(ctx, "cannot set '%.*s': %s", (int)name.size, name.data, fault.message);
            continue;
        }
        if (st == WEIR_OK) {
            st = weir_emit_value(ctx, 0, entry, value);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static const char *const form_names[] = { "timestamp", "ms", NULL };

static const weir_option options[] = { { .name = "field",
                                         .type = WEIR_OPTION_TARGET,
                                         .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
                                         .offset = offsetof(struct config, field),
                                         .summary = "The field that takes the time" },
                                       { .name = "form",
                                         .type = WEIR_OPTION_ENUM,
                                         .default_text = "timestamp",
                                         .offset = offsetof(struct config, form),
                                         .enum_names = form_names,
                                         .summary =
                                             "A timestamp, or an int of milliseconds since 1970" },
                                       WEIR_OPTIONS_END };

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory stamp_factory = {
    .struct_size = sizeof stamp_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "stamp",
    .summary = "Writes the time of processing into a field",
    .doc = "```yaml\n- stamp: processed_at\n- stamp: {field: meta.seen, form: ms}\n```\n\n"
           "The time is the wall clock's, so a record that is processed again gets another one: do "
           "not build keys or file names from it. The event time is `$timestamp`.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &stamp_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.stamp", .name = "stamp", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Writes the time of processing into a field",
            .factories = factories);
