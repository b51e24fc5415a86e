/* SPDX-License-Identifier: MIT */
/*
 * Serializer `text`: messages are UTF-8 texts as they are. Keeps nothing; decoded values point into
 * the payloads.
 */
#include <stdio.h>

#include "support/code_point.h"
#include "support/payload.h"

static void read_one(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret)
{
    if (payload.size > UINT32_MAX) {
        payload_fail(ctx, index, "the payload is larger than 4 GiB", NULL);
        return;
    }
    const char *text = (const char *)payload.data;
    uint64_t valid = payload.size == 0 ? 0 : code_point_valid_prefix(text, payload.size);
    if (valid < payload.size) {
        char message[128];
        snprintf(message, sizeof message, "the payload is no text: byte %llu is not UTF-8",
                 (unsigned long long)valid);
        payload_fail(ctx, index, message, NULL);
        return;
    }
    *ret = weir_text_value(text, (uint32_t)payload.size);
}

static weir_status decode(void *self, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out)
{
    (void)self;
    return payloads_decode(ctx, payloads, count, out, read_one);
}

static weir_status write_one(const void *self, weir_context *ctx, uint32_t index,
                             const weir_value *v, weir_buffer *out)
{
    (void)self;
    if (v->tag != WEIR_TEXT) {
        return payload_refuse(ctx, index, "text", "text", v, "write text(...), or key: json");
    }
    /* Bytes of a topic's text were judged when they came in; a plugin's were not. */
    if (v->len > 0 && code_point_valid_prefix(v->as.text, v->len) < v->len) {
        return payload_fail(ctx, index, "the text is not valid UTF-8", NULL);
    }
    return weir_buffer_append(out, v->as.text, v->len);
}

static weir_status encode(void *self, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    return payloads_encode(self, ctx, values, count, out, ends, write_one);
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
