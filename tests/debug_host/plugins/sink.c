/* SPDX-License-Identifier: MIT */
#include <weir/sink.h>

#include "bad.h"

struct self {
    const struct config *config;
    const weir_record *kept;
    int published;
    int flushed;
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

static weir_status open_sink(void *self, weir_context *ctx, weir_slice token)
{
    (void)self, (void)ctx, (void)token;
    return WEIR_OK;
}

static weir_status write_records(void *self_data, weir_context *ctx, const weir_batch *in)
{
    struct self *self = self_data;
    self->kept = in->entries[0].record;
    if (is_act(self->config, "write_emits")) {
        (void)weir_pass(ctx, 0, in->entries);
    }
    if (is_act(self->config, "deliver_failed")) {
        weir_delivered(ctx, 0, 1);
        weir_fail(ctx, "no");
    } else if (is_act(self->config, "deliver_beyond")) {
        weir_delivered(ctx, 0, in->count + 1);
    }
    return is_act(self->config, "write_pending") ? WEIR_PENDING : WEIR_OK;
}

static weir_status flush(void *self_data, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    struct self *self = self_data;
    (void)ctx, (void)deadline_ns, (void)flags;
    if (is_act(self->config, "keep_batch") && self->kept != NULL && self->kept->offset < 0) {
        return WEIR_E_IO;
    }
    if (is_act(self->config, "token_over_limit")) {
        ret_token->limit = UINT64_MAX;
    }
    if (is_act(self->config, "flush_forgets") && self->flushed++ > 0) {
        return WEIR_OK;
    }
    return weir_buffer_append(ret_token, "t", 1);
}

static weir_status publish(void *self_data, weir_context *ctx, weir_slice token)
{
    struct self *self = self_data;
    (void)token;
    if (is_act(self->config, "publish_once") && self->published++ > 0) {
        weir_fail_class(ctx, -1, WEIR_E_INVALID, WEIR_CLASS_BUG, "it is published already", NULL);
        return WEIR_E_INVALID;
    }
    return WEIR_OK;
}

static weir_status tick(void *self_data, weir_context *ctx, int64_t now_ms, int64_t *ret_next_ms)
{
    const struct self *self = self_data;
    (void)ctx, (void)now_ms, (void)ret_next_ms;
    return is_act(self->config, "tick_end") ? WEIR_END : WEIR_OK;
}

static weir_status discard(void *self_data, weir_context *ctx)
{
    const struct self *self = self_data;
    (void)ctx;
    return is_act(self->config, "discard_end") ? WEIR_END : WEIR_OK;
}

static const struct {
    const char *name;
} deeds[] = {
    { "well" },           { "keep_batch" },       { "write_emits" }, { "write_pending" },
    { "publish_once" },   { "token_over_limit" }, { "discard_end" }, { "locate_pending" },
    { "deliver_failed" }, { "deliver_beyond" },   { "tick_end" },    { "flush_forgets" },
};

static weir_status locate(void *self_data, weir_buffer *out)
{
    const struct self *self = self_data;
    if (is_act(self->config, "locate_pending")) {
        return WEIR_PENDING;
    }
    for (size_t i = 0; i < COUNT_OF(deeds); i++) {
        if (is_act(self->config, deeds[i].name)) {
            return weir_buffer_append(out, "nowhere", 7);
        }
    }
    return WEIR_E_UNSUPPORTED;
}

static const weir_sink_vtable vtable = { .struct_size = sizeof vtable,
                                         .create = create,
                                         .open = open_sink,
                                         .write = write_records,
                                         .flush = flush,
                                         .publish = publish,
                                         .discard = discard,
                                         .locate = locate,
                                         .tick = tick };

const weir_factory bad_sink = { .struct_size = sizeof bad_sink,
                                .kind = WEIR_KIND_SINK,
                                .name = "bad",
                                .summary = "Breaks a rule of sinks",
                                .options = bad_options,
                                .config_size = sizeof(struct config),
                                .vtable = &vtable };
