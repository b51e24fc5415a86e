/* SPDX-License-Identifier: MIT */
/*
 * Serializer `double`: messages of eight bytes, an IEEE 754 binary64, most significant byte first.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/plugin.h>
#include <weir/serializer.h>

#include "support/kind.h"

enum { PAYLOAD_BYTES = 8 };

struct binary64 {
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
    struct binary64 *self = memory->alloc(host, sizeof *self);
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
                 "the payload is no double: it has %llu bytes instead of %d",
                 (unsigned long long)payload.size, PAYLOAD_BYTES);
        report(ctx, index, message, NULL);
        return;
    }
    uint64_t bits = 0;
    double number;
    for (int i = 0; i < PAYLOAD_BYTES; i++) {
        bits = bits << 8 | payload.data[i];
    }
    memcpy(&number, &bits, sizeof number);
    *ret = weir_float(number);
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

/* The nearest double of a number that is kept as text, since it needs more than 64 bits. */
static weir_status read_long_number(weir_context *ctx, const weir_value *text, double *ret)
{
    char *copy = weir_alloc(ctx, (uint64_t)text->len + 1);
    if (copy == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(copy, text->as.text, text->len);
    copy[text->len] = '\0';
    *ret = strtod(copy, NULL);
    return WEIR_OK;
}

/* WEIR_E_DATA: the value has been reported. */
static weir_status to_double(const struct binary64 *self, weir_context *ctx, uint32_t index,
                             const weir_value *v, double *ret)
{
    weir_value number = weir_null();
    weir_status st = self->values->number(v, &number);
    if (st != WEIR_OK) {
        char message[128];
        snprintf(message, sizeof message,
                 "the serializer 'double' takes int, float or bool, not %s", kind_name(v));
        report(ctx, index, message, "write float(...)");
        return WEIR_E_DATA;
    }
    if (number.tag == WEIR_NUMBER) {
        st = read_long_number(ctx, &number, ret);
        if (st == WEIR_OK && isinf(*ret)) {
            report(ctx, index, "the number is too large for the serializer 'double'",
                   "use the serializer 'json'");
            return WEIR_E_DATA;
        }
        return st;
    }
    *ret = number.tag == WEIR_INT ? (double)number.as.i64 : number.as.f64;
    return WEIR_OK;
}

static weir_status append(weir_buffer *out, double number)
{
    uint64_t bits;
    uint8_t bytes[PAYLOAD_BYTES];
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < PAYLOAD_BYTES; i++) {
        bytes[i] = (uint8_t)(bits >> (8 * (PAYLOAD_BYTES - 1 - i)));
    }
    return weir_buffer_append(out, bytes, sizeof bytes);
}

static weir_status encode(void *data, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    const struct binary64 *self = data;
    for (uint32_t i = 0; i < count; i++) {
        double number = 0;
        ends[i] = WEIR_ABSENT;
        if (values[i]->tag == WEIR_NULL) {
            continue;
        }
        weir_status st = to_double(self, ctx, i, values[i], &number);
        if (st == WEIR_E_DATA) {
            continue;
        }
        st = st == WEIR_OK ? append(out, number) : st;
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

static const weir_factory double_factory = {
    .struct_size = sizeof double_factory,
    .kind = WEIR_KIND_SERIALIZER,
    .name = "double",
    .summary = "A 64-bit float in eight bytes",
    .doc = "IEEE 754 binary64, most significant byte first; NaN and infinities included. A message "
           "of another length is an error. An int is written as the nearest float, a bool as 0 or "
           "1; a number beyond the range and every other kind is an error: write `float(x)`. A "
           "message without payload is null, and null is written as one.",
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &double_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.serializer.double", .name = "double", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL, .summary = "Messages as 64-bit floats",
            .factories = factories);
