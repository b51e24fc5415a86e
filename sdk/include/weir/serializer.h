/* SPDX-License-Identifier: MIT */
/*
 * Kind "weir.serializer/1": one message's key or value to and from bytes.
 */
#ifndef WEIR_SERIALIZER_H
#define WEIR_SERIALIZER_H

#include "host.h"

WEIR_BEGIN_C

#define WEIR_KIND_SERIALIZER "weir.serializer/1"

/* Message payload: absent (a tombstone) is not the same as empty. */
#define WEIR_ABSENT UINT64_MAX

/*
 * decode  [task] payloads[i].size is WEIR_ABSENT where there is none. The payloads live as long as
 *         the batch: values may point into them. Fills out[0 .. count); a lane that fails is
 *         reported with ctx->api->fail at its index and may stay unset
 * encode  [task] appends each value's bytes to `out` and stores where each ends in ends[i], counted
 *         from data[0]; WEIR_ABSENT where there is no payload. A lane that fails is reported like
 *         that of decode and leaves no bytes
 * An end that falls, or lies beyond the bytes, is a defect that ends the run.
 * Both return a negative status where the call as a whole failed.
 */
typedef struct weir_serializer_vtable {
    uint32_t struct_size;
    uint32_t reserved;
    weir_status (*create)(const weir_host *host, const void *config, void **ret_self);
    void (*destroy)(void *self);
    weir_status (*decode)(void *self, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out);
    weir_status (*encode)(void *self, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends);
} weir_serializer_vtable;

WEIR_END_C

#endif
