/* SPDX-License-Identifier: MIT */
/*
 * Operator `timestamp`: gives records another event time.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/step.h"

struct config {
    const weir_expression *time;
};

struct timestamp {
    struct step step;
    const weir_values_api *values;
    const weir_expression *time;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct timestamp), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct timestamp *self = memory;
    self->values = host->get_extension(host, WEIR_VALUES);
    self->time = ((const struct config *)config)->time;
    *ret_self = self;
    return self->values != NULL ? WEIR_OK : WEIR_E_UNSUPPORTED;
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status emit_one(const struct timestamp *self, weir_context *ctx,
                            const weir_entry *entry, const weir_value *time)
{
    if (time->tag == WEIR_TAG_ERROR) {
        ctx->api->fail_value(ctx, ctx->cursor, time);
        return WEIR_E_DATA;
    }
    weir_record *record = step_record(ctx, entry);
    if (record == NULL) {
        return WEIR_E_NOMEM;
    }
    const char *fault = "";
    if (self->values->event_time(time, &record->timestamp, &fault) != WEIR_OK) {
        weir_fail(ctx, "%s", fault);
        return WEIR_E_DATA;
    }
    return weir_emit(ctx, 0, entry, record);
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct timestamp *self = data;
    weir_value *times = NULL;
    weir_status st = step_column(&self->step, ctx, self->time, in->entries, in->count, &times);
    if (st != WEIR_OK) {
        return st;
    }
    WEIR_EACH(ctx, in, entry) {
        st = emit_one(self, ctx, entry, &times[ctx->cursor]);
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_type *types_of(const void *config, const weir_types *types, const weir_type *in)
{
    (void)types->want(types, in, ((const struct config *)config)->time, "time|text");
    return in;
}

static const weir_option options[] = {
    { .name = "time",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, time),
      .summary = "The new event time",
      .doc = "An int is milliseconds since 1970, text is in the form of RFC 3339, a timestamp is "
             "itself. Null and every other kind are an error of the record." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory timestamp_factory = {
    .struct_size = sizeof timestamp_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "timestamp",
    .summary = "Gives records another event time",
    .doc =
        "```yaml\n- timestamp: measured_at\n- timestamp: $timestamp + 1h\n- timestamp: seconds * "
        "1000\n```\n\n"
        "The time goes with the record to sinks and topics and is `$timestamp` from here on. "
        "Where a whole topic has its time in a field, `event_time` of the topic is the better "
        "place.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &timestamp_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.timestamp", .name = "timestamp", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Gives records another event time", .factories = factories);
