/* SPDX-License-Identifier: MIT */
#include <weir/source.h>

#include "bad.h"

enum { RECORDS = 4 };

struct self {
    const struct config *config;
    uint32_t next;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    struct self *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->config = config;
    *ret_self = self;
    return WEIR_OK;
}

static weir_status open_source(void *self_data, weir_context *ctx, weir_slice position,
                               uint32_t flags)
{
    const struct self *self = self_data;
    (void)ctx, (void)position, (void)flags;
    return is_act(self->config, "open_end") ? WEIR_END : WEIR_OK;
}

static weir_status produce(struct self *self, weir_context *ctx)
{
    weir_record *record = weir_alloc(ctx, sizeof *record);
    if (record == NULL) {
        return WEIR_E_NOMEM;
    }
    *record = (weir_record){ .timestamp = 0,
                             .offset = WEIR_NO_OFFSET,
                             .key = weir_null(),
                             .value = weir_int(self->next++) };
    if (is_act(self->config, "emit_entry")) {
        weir_entry entry = { record, 5, 0, 0 };
        return weir_pass(ctx, 0, &entry);
    }
    return weir_produce(ctx, record);
}

static weir_status poll_source(void *self_data, weir_context *ctx, uint32_t max_records,
                               int64_t timeout_ms)
{
    struct self *self = self_data;
    uint32_t count = is_act(self->config, "poll_more") ? max_records + 1 : max_records;
    (void)timeout_ms;
    if (is_act(self->config, "poll_pending")) {
        return WEIR_PENDING;
    }
    for (uint32_t i = 0; i < count && self->next < RECORDS; i++) {
        weir_status st = produce(self, ctx);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return self->next < RECORDS ? WEIR_OK : WEIR_END;
}

static weir_status position(void *self_data, weir_context *ctx, weir_buffer *out)
{
    struct self *self = self_data;
    (void)ctx;
    if (is_act(self->config, "position_beyond")) {
        out->size = out->capacity + 1;
        return WEIR_OK;
    }
    if (is_act(self->config, "position_over")) {
        out->size = 0;
    }
    return weir_buffer_append(out, &self->next, sizeof self->next);
}

/* Rows of bad.h's table; each is looked for where it is done. */
static const struct {
    const char *name;
} deeds[] = {
    { "well" },         { "open_end" },        { "emit_entry" },    { "poll_more" },
    { "poll_pending" }, { "position_beyond" }, { "position_over" },
};

static weir_status describe(void *self_data, weir_context *ctx, weir_buffer *out)
{
    const struct self *self = self_data;
    (void)ctx;
    for (size_t i = 0; i < COUNT_OF(deeds); i++) {
        if (is_act(self->config, deeds[i].name)) {
            return weir_buffer_append(out, "done", 4);
        }
    }
    return WEIR_E_UNSUPPORTED;
}

static const weir_source_vtable vtable = { .struct_size = sizeof vtable,
                                           .create = create,
                                           .open = open_source,
                                           .poll = poll_source,
                                           .position = position,
                                           .describe = describe };

const weir_factory bad_source = { .struct_size = sizeof bad_source,
                                  .kind = WEIR_KIND_SOURCE,
                                  .name = "bad",
                                  .summary = "Breaks a rule of sources",
                                  .options = bad_options,
                                  .config_size = sizeof(struct config),
                                  .vtable = &vtable };
