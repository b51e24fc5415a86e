/* SPDX-License-Identifier: MIT */
/*
 * Serializer `integer`: messages of four bytes, a signed number, most significant byte first.
 */
#include <stdbool.h>
#include <stdio.h>

#include <weir/plugin.h>
#include <weir/serializer.h>

#include "support/kind.h"

enum { PAYLOAD_BYTES = 4 };

struct integer {
    const weir_values_api *values;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    (void)config;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    if (memory == NULL || values == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct integer *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->values = values;
    *ret_self = self;
    return WEIR_OK;
}

static void report(weir_context *ctx, uint32_t index, const char *message, const char *hint)
{
    weir_fail_class(ctx, index, WEIR_E_DATA, WEIR_CLASS_DATA, message, hint);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static void decode_one(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret)
{
    if (payload.size == WEIR_ABSENT) {
        *ret = weir_null();
        return;
    }
    if (payload.size != PAYLOAD_BYTES) {
        char message[128];
        snprintf(message, sizeof message,
                 "the payload is no integer: it has %llu bytes instead of %d",
                 (unsigned long long)payload.size, PAYLOAD_BYTES);
        report(ctx, index, message, NULL);
        return;
    }
    uint32_t bits = 0;
    for (int i = 0; i < PAYLOAD_BYTES; i++) {
        bits = bits << 8 | payload.data[i];
    }
    *ret = weir_int((int32_t)bits);
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

/* ---- writing ----------------------------------------------------------------------------------- */

/* False: the value has been reported. */
static bool to_int32(const struct integer *self, weir_context *ctx, uint32_t index,
                     const weir_value *v, int32_t *ret)
{
    weir_value number = weir_null();
    bool is_number = self->values->number(v, &number) == WEIR_OK;
    bool is_float = is_number && v->tag != WEIR_BOOL && kind_name(v)[0] == 'f';
    if (!is_number || is_float) {
        char message[128];
        snprintf(message, sizeof message, "the serializer 'integer' takes int or bool, not %s",
                 kind_name(v));
        report(ctx, index, message, is_float ? "write int(...) or round(...)" : "write int(...)");
        return false;
    }
    if (number.tag != WEIR_INT || number.as.i64 < INT32_MIN || number.as.i64 > INT32_MAX) {
        report(ctx, index,
               "the serializer 'integer' takes numbers from -2147483648 to 2147483647, this one "
               "lies outside",
               "use the serializer 'json' or 'text'");
        return false;
    }
    *ret = (int32_t)number.as.i64;
    return true;
}

static weir_status encode(void *data, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    const struct integer *self = data;
    for (uint32_t i = 0; i < count; i++) {
        int32_t number;
        ends[i] = WEIR_ABSENT;
        if (values[i]->tag == WEIR_NULL || !to_int32(self, ctx, i, values[i], &number)) {
            continue;
        }
        uint32_t bits = (uint32_t)number;
        const uint8_t bytes[PAYLOAD_BYTES] = { (uint8_t)(bits >> 24), (uint8_t)(bits >> 16),
                                               (uint8_t)(bits >> 8), (uint8_t)bits };
        weir_status st = weir_buffer_append(out, bytes, sizeof bytes);
        if (st != WEIR_OK) {
            return st;
        }
        ends[i] = out->size;
    }
    return WEIR_OK;
}

static const weir_serializer_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .decode = decode,
    .encode = encode,
};

static const weir_factory integer_factory = {
    .struct_size = sizeof integer_factory,
    .kind = WEIR_KIND_SERIALIZER,
    .name = "integer",
    .summary = "A signed 32-bit integer in four bytes",
    .doc = "Most significant byte first. A message of another length is an error. A bool is "
           "written as 0 or 1; an int outside 32 bits, a float (1.0 too) and every other kind is "
           "an error: write `int(x)`. A message without payload is null, and null is written as "
           "one.",
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &integer_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.serializer.integer", .name = "integer", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Messages as 32-bit integers", .factories = factories);
