/* SPDX-License-Identifier: MIT */
/*
 * Serializer `bytes`: messages as they are. Keeps nothing; decoded values point into the payloads.
 */
#include "support/payload.h"

static void read_one(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret)
{
    if (payload.size > UINT32_MAX) {
        payload_fail(ctx, index, "the payload is larger than 4 GiB", NULL);
        return;
    }
    const void *bytes = payload.size == 0 ? (const void *)"" : payload.data;
    *ret = weir_bytes_value(bytes, (uint32_t)payload.size);
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
    if (v->tag != WEIR_BYTES) {
        return payload_refuse(ctx, index, "bytes", "bytes", v,
                              "write bytes(...) for text, or use another serializer");
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

static const weir_factory bytes_factory = {
    .struct_size = sizeof bytes_factory,
    .kind = WEIR_KIND_SERIALIZER,
    .name = "bytes",
    .summary = "Bytes as they are",
    .doc = "The value is the message itself, as bytes; nothing is looked at. A message without "
           "payload is null, and null is written as one; an empty payload is empty bytes. Every "
           "other kind is an error, text too: write `bytes(name)`.",
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &bytes_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.serializer.bytes", .name = "bytes", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL, .summary = "Messages as bytes",
            .factories = factories);
