/* SPDX-License-Identifier: MIT */
#include <weir/serializer.h>

#include "bad.h"

static weir_status decode(void *self, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out)
{
    const struct config *config = self;
    (void)ctx;
    for (uint32_t i = 0; i < count; i++) {
        if (is_act(config, "decode_unset") && i == 0) {
            continue;
        }
        out[i] = weir_text_value((const char *)payloads[i].data, (uint32_t)payloads[i].size);
        if (is_act(config, "decode_bad_text")) {
            out[i] = weir_text_value("\xed\xa0\x80", 3);
        }
    }
    return WEIR_OK;
}

static weir_status encode(void *self, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    const struct config *config = self;
    for (uint32_t i = 0; i < count; i++) {
        weir_status st = weir_buffer_append(out, values[i]->as.text, values[i]->len);
        if (st != WEIR_OK) {
            return st;
        }
        ends[i] = out->size;
        if (is_act(config, "encode_beyond")) {
            ends[i]++;
        } else if (is_act(config, "encode_unset")) {
            ends[i] = UINT64_MAX - 1;
        } else if (is_act(config, "encode_failed_bytes")) {
            weir_fail_class(ctx, i, WEIR_E_DATA, WEIR_CLASS_DATA, "no", NULL);
        }
    }
    return is_act(config, "encode_again") ? WEIR_AGAIN : WEIR_OK;
}

static const struct {
    const char *name;
} deeds[] = {
    { "well" },         { "decode_unset" },        { "decode_bad_text" }, { "encode_beyond" },
    { "encode_unset" }, { "encode_failed_bytes" }, { "encode_again" },
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    (void)host;
    *ret_self = (void *)(uintptr_t)config;
    for (size_t i = 0; i < COUNT_OF(deeds); i++) {
        if (is_act(config, deeds[i].name)) {
            return WEIR_OK;
        }
    }
    return WEIR_E_UNSUPPORTED;
}

static const weir_serializer_vtable vtable = {
    .struct_size = sizeof vtable, .create = create, .decode = decode, .encode = encode
};

const weir_factory bad_serializer = { .struct_size = sizeof bad_serializer,
                                      .kind = WEIR_KIND_SERIALIZER,
                                      .name = "bad",
                                      .summary = "Breaks a rule of serializers",
                                      .options = bad_options,
                                      .config_size = sizeof(struct config),
                                      .vtable = &vtable };
