/* SPDX-License-Identifier: MIT */
/*
 * Serializer `double`: messages of eight bytes, an IEEE 754 binary64, most significant byte first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/payload.h"

enum { PAYLOAD_BYTES = 8 };

static void read_one(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret)
{
    uint64_t bits;
    if (payload_read_bits(ctx, index, "double", payload, PAYLOAD_BYTES, &bits)) {
        double number;
        memcpy(&number, &bits, sizeof number);
        *ret = weir_float(number);
    }
}

static weir_status decode(void *self, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out)
{
    (void)self;
    return payloads_decode(ctx, payloads, count, out, read_one);
}

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

static weir_status write_one(const void *self, weir_context *ctx, uint32_t index,
                             const weir_value *v, weir_buffer *out)
{
    weir_value number = weir_null();
    double written = 0;
    if (payload_values(self)->number(v, &number) != WEIR_OK) {
        return payload_refuse(ctx, index, "double", "int, float or bool", v, "write float(...)");
    }
    if (number.tag == WEIR_NUMBER) {
        weir_status st = read_long_number(ctx, &number, &written);
        if (st != WEIR_OK) {
            return st;
        }
        if (isinf(written)) {
            return payload_fail(ctx, index, "the number is too large for the serializer 'double'",
                                "use the serializer 'json'");
        }
    } else {
        written = number.tag == WEIR_INT ? (double)number.as.i64 : number.as.f64;
    }
    uint64_t bits;
    memcpy(&bits, &written, sizeof bits);
    return payload_append_bits(out, bits, PAYLOAD_BYTES);
}

static weir_status encode(void *self, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    return payloads_encode(self, ctx, values, count, out, ends, write_one);
}

static const weir_serializer_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = payload_create,
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
