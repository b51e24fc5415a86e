/* SPDX-License-Identifier: MIT */
/*
 * Serializer `integer`: messages of four bytes, a signed number, most significant byte first.
 */
#include <stdbool.h>

#include "support/kind.h"
#include "support/payload.h"

enum { PAYLOAD_BYTES = 4 };

static void read_one(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret)
{
    uint64_t bits;
    if (payload_read_bits(ctx, index, "integer", payload, PAYLOAD_BYTES, &bits)) {
        *ret = weir_int((int32_t)(uint32_t)bits);
    }
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
    weir_value number = weir_null();
    bool is_number = payload_values(self)->number(v, &number) == WEIR_OK;
    bool is_float = is_number && v->tag != WEIR_BOOL && kind_name(v)[0] == 'f';
    if (!is_number || is_float) {
        return payload_refuse(ctx, index, "integer", "int or bool", v,
                              is_float ? "write int(...) or round(...)" : "write int(...)");
    }
    if (number.tag != WEIR_INT || number.as.i64 < INT32_MIN || number.as.i64 > INT32_MAX) {
        return payload_fail(ctx, index,
                            "the serializer 'integer' takes numbers from -2147483648 to "
                            "2147483647, this one lies outside",
                            "use the serializer 'json' or 'text'");
    }
    return payload_append_bits(out, (uint32_t)number.as.i64, PAYLOAD_BYTES);
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
