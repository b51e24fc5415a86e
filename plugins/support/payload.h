/* SPDX-License-Identifier: MIT */
/*
 * What serializers of single values share: the loops over a batch, in which no payload is null and
 * null is no payload, reports of what cannot be read or written, numbers of a fixed width.
 */
#ifndef SUPPORT_PAYLOAD_H
#define SUPPORT_PAYLOAD_H

#include <stdbool.h>

#include <weir/plugin.h>
#include <weir/serializer.h>

/* Reads one payload that is there, or reports it. */
typedef void payload_reader(weir_context *ctx, uint32_t index, weir_slice payload, weir_value *ret);
/*
 * Appends one value that is not null. WEIR_E_DATA: it has been reported, and nothing appended;
 * another negative status ends the whole call.
 */
typedef weir_status payload_writer(const void *self, weir_context *ctx, uint32_t index,
                                   const weir_value *v, weir_buffer *out);

/* The body of a decode. Inlined, as the next one, so that the compiler sees through the pointer. */
__attribute__((always_inline)) static inline weir_status payloads_decode(weir_context *ctx,
                                                                         const weir_slice *payloads,
                                                                         uint32_t count,
                                                                         weir_value *out,
                                                                         payload_reader *read)
{
    for (uint32_t i = 0; i < count; i++) {
        if (payloads[i].size == WEIR_ABSENT) {
            out[i] = weir_null();
        } else {
            read(ctx, i, payloads[i], &out[i]);
        }
    }
    return WEIR_OK;
}

/* The body of an encode. */
__attribute__((always_inline)) static inline weir_status payloads_encode(
    const void *self, weir_context *ctx, const weir_value *const *values, uint32_t count,
    weir_buffer *out, uint64_t *ends, payload_writer *write)
{
    for (uint32_t i = 0; i < count; i++) {
        ends[i] = WEIR_ABSENT;
        if (values[i]->tag == WEIR_NULL) {
            continue;
        }
        weir_status st = write(self, ctx, i, values[i], out);
        if (st == WEIR_OK) {
            ends[i] = out->size;
        } else if (st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

/* The slot `create` of a serializer whose state is the host's weir.values/1 table. */
weir_status payload_create(const weir_host *host, const void *config, void **ret_self);
static inline const weir_values_api *payload_values(const void *self)
{
    return self;
}

/* Reports one payload or value; always WEIR_E_DATA, so that a writer can end with it. */
weir_status payload_fail(weir_context *ctx, uint32_t index, const char *message, const char *hint);
/* The same for a kind that the serializer does not take. taken: "int or bool". */
weir_status payload_refuse(weir_context *ctx, uint32_t index, const char *serializer,
                           const char *taken, const weir_value *v, const char *hint);

/* The bits of a number, most significant byte first. False: another length has been reported. */
bool payload_read_bits(weir_context *ctx, uint32_t index, const char *serializer,
                       weir_slice payload, uint32_t width, uint64_t *ret);
weir_status payload_append_bits(weir_buffer *out, uint64_t bits, uint32_t width);

#endif
