/* SPDX-License-Identifier: MIT */
/*
 * Serializer `bytes`: messages as they are. Keeps nothing; decoded values point into the payloads.
 */
#include <stdio.h>

#include <weir/plugin.h>
#include <weir/serializer.h>

#include "support/kind.h"

static weir_status decode(void *self, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out)
{
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        if (payloads[i].size == WEIR_ABSENT) {
            out[i] = weir_null();
        } else if (payloads[i].size > UINT32_MAX) {
            weir_fail_class(ctx, i, WEIR_E_DATA, WEIR_CLASS_DATA,
                            "the payload is larger than 4 GiB", NULL);
        } else {
            const void *bytes = payloads[i].size == 0 ? (const void *)"" : payloads[i].data;
            out[i] = weir_bytes_value(bytes, (uint32_t)payloads[i].size);
        }
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
        if (v->tag == WEIR_BYTES) {
            weir_status st = weir_buffer_append(out, v->as.text, v->len);
            if (st != WEIR_OK) {
                return st;
            }
            ends[i] = out->size;
        } else if (v->tag != WEIR_NULL) {
            char message[128];
            snprintf(message, sizeof message, "the serializer 'bytes' takes bytes, not %s",
                     kind_name(v));
            weir_fail_class(ctx, i, WEIR_E_DATA, WEIR_CLASS_DATA, message,
                            "write bytes(...) for text, or use another serializer");
        }
    }
    return WEIR_OK;
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
