/* SPDX-License-Identifier: MIT */
/*
 * Serializer `text`: messages are UTF-8 texts as they are. Keeps nothing; decoded values point into
 * the payloads.
 */
#include <stdio.h>

#include <weir/plugin.h>
#include <weir/serializer.h>

#include "support/code_point.h"
#include "support/kind.h"

static void report(weir_context *ctx, uint32_t index, const char *message, const char *hint)
{
    weir_fail_class(ctx, index, WEIR_E_DATA, WEIR_CLASS_DATA, message, hint);
}

static void decode_one(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret)
{
    if (payload.size == WEIR_ABSENT) {
        *ret = weir_null();
        return;
    }
    if (payload.size > UINT32_MAX) {
        report(ctx, index, "the payload is larger than 4 GiB", NULL);
        return;
    }
    const char *text = (const char *)payload.data;
    uint64_t valid = payload.size == 0 ? 0 : code_point_valid_prefix(text, payload.size);
    if (valid < payload.size) {
        char message[128];
        snprintf(message, sizeof message, "the payload is no text: byte %llu is not UTF-8",
                 (unsigned long long)valid);
        report(ctx, index, message, NULL);
        return;
    }
    *ret = weir_text_value(text, (uint32_t)payload.size);
}

static weir_status decode(void *self, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out)
{
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        decode_one(ctx, i, payloads[i], &out[i]);
    }
    return WEIR_OK;
}

static weir_status encode(void *self, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        const weir_value *v = values[i];
        ends[i] = WEIR_ABSENT;
        if (v->tag == WEIR_TEXT) {
            weir_status st = weir_buffer_append(out, v->as.text, v->len);
            if (st != WEIR_OK) {
                return st;
            }
            ends[i] = out->size;
        } else if (v->tag != WEIR_NULL) {
            char message[128];
            snprintf(message, sizeof message, "the serializer 'text' takes text, not %s",
                     kind_name(v));
            report(ctx, i, message, "write text(...), or key: json");
        }
    }
    return WEIR_OK;
}

static const weir_serializer_vtable vtable = {
    .struct_size = sizeof vtable,
    .decode = decode,
    .encode = encode,
};

static const weir_factory text_factory = {
    .struct_size = sizeof text_factory,
    .kind = WEIR_KIND_SERIALIZER,
    .name = "text",
    .summary = "UTF-8 text as it is",
    .doc = "The value is the message's bytes as text; bytes that are not UTF-8 are an error. A "
           "message without payload is null, and null is written as one. Every other kind is an "
           "error: write `text(id)`, or give the topic `key: json`.",
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &text_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.serializer.text", .name = "text", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Messages as plain text",
            .factories = factories);
