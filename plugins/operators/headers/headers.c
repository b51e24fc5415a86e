/* SPDX-License-Identifier: MIT */
/*
 * Operator `headers`: appends headers to records.
 */
#include <stdbool.h>
#include <string.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/kind.h"
#include "support/step.h"

struct config {
    weir_option_map add;
    uint8_t replace;
};

struct headers {
    struct step step;
    const struct config *config;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    weir_status st = step_create(host, sizeof(struct headers), ret_self);
    if (st == WEIR_OK) {
        ((struct headers *)*ret_self)->config = config;
    }
    return st;
}

static bool is_added(const weir_option_map *add, const weir_member *header)
{
    for (uint64_t i = 0; i < add->count; i++) {
        weir_text name = add->items[i].key.text;
        if (weir_same_bytes(header->key, header->key_len, name.data, (uint32_t)name.size)) {
            return true;
        }
    }
    return false;
}

/* Those that the record keeps, into `members`. */
static uint32_t keep(const struct config *config, const weir_record *record, weir_member *members)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->header_count; i++) {
        if (config->replace == 0 || !is_added(&config->add, &record->headers[i])) {
            members[count++] = record->headers[i];
        }
    }
    return count;
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status make_header(weir_context *ctx, weir_text name, const weir_value *value,
                               weir_member *ret)
{
    if (value->tag == WEIR_TAG_ERROR) {
        ctx->api->fail_value(ctx, ctx->cursor, value);
        return WEIR_E_DATA;
    }
    if (value->tag != WEIR_TEXT && value->tag != WEIR_BYTES && value->tag != WEIR_NULL) {
        weir_fail(ctx, "header '%.*s' takes text, bytes or null, not %s; write text(...)",
                  kind_excerpt(name.data, name.size, 64), name.data, kind_name(value));
        return WEIR_E_DATA;
    }
    *ret = (weir_member){ .key = name.data, .key_len = (uint32_t)name.size };
    ret->value =
        value->tag == WEIR_NULL ? weir_null() : weir_bytes_value(value->as.text, value->len);
    return WEIR_OK;
}

/* columns: one per header to add. */
static weir_status emit_one(const struct headers *self, weir_context *ctx, const weir_entry *entry,
                            weir_value *const *columns)
{
    const weir_option_map *add = &self->config->add;
    uint64_t most = entry->record->header_count + add->count;
    weir_member *members = weir_alloc(ctx, (most + 1) * sizeof *members);
    weir_record *record = step_record(ctx, entry);
    if (members == NULL || record == NULL) {
        return WEIR_E_NOMEM;
    }
    uint32_t count = keep(self->config, entry->record, members);
    for (uint64_t i = 0; i < add->count; i++) {
        weir_status st =
            make_header(ctx, add->items[i].key.text, &columns[i][ctx->cursor], &members[count++]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    record->headers = members;
    record->header_count = count;
    return weir_emit(ctx, 0, entry, record);
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct headers *self = data;
    const weir_option_map *add = &self->config->add;
    weir_value **columns = weir_alloc(ctx, (add->count + 1) * sizeof(weir_value *));
    if (columns == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint64_t i = 0; i < add->count; i++) {
        weir_status st = step_column(&self->step, ctx, add->items[i].value.expression, in->entries,
                                     in->count, &columns[i]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    WEIR_EACH(ctx, in, entry) {
        weir_status st = emit_one(self, ctx, entry, columns);
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_type *types_of(const void *config, const weir_types *types, const weir_type *in)
{
    const weir_option_map *add = &((const struct config *)config)->add;
    for (uint64_t i = 0; i < add->count; i++) {
        (void)types->want(types, in, add->items[i].value.expression, "text|bytes?");
    }
    return in;
}

static const weir_option value_element = {
    .name = "value",
    .type = WEIR_OPTION_EXPRESSION,
    .summary = "Text, bytes or null",
};

static const weir_option options[] = {
    { .name = "add",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED,
      .offset = offsetof(struct config, add),
      .key_type = WEIR_OPTION_TEXT,
      .min = 1,
      .max = 1000,
      .element = &value_element,
      .summary = "Names of headers, each with its value",
      .doc = "Appended in this order. A value is text, bytes or null." },
    { .name = "replace",
      .type = WEIR_OPTION_BOOL,
      .default_text = "false",
      .offset = offsetof(struct config, replace),
      .summary = "Whether headers of the same names are taken away first" },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory headers_factory = {
    .struct_size = sizeof headers_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "headers",
    .summary = "Appends headers to records",
    .doc =
        "```yaml\n- headers:\n    add: {trace: id, origin: '\"plant 7\"'}\n    replace: true\n"
        "```\n\nA name may stand several times among a record's headers: without `replace` the new "
        "one is put behind those that are there.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &headers_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.headers", .name = "headers", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Appends headers to records", .factories = factories);
