/* SPDX-License-Identifier: MIT */
#include "support/payload.h"

#include <stdio.h>

#include "support/kind.h"

weir_status payload_create(const weir_host *host, const void *config, void **ret_self)
{
    (void)config;
    const void *api = host->get_extension(host, WEIR_VALUES);
    if (api == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    *ret_self = (void *)(uintptr_t)api; /* handed back as const void * and never written to */
    return WEIR_OK;
}

weir_status payload_fail(weir_context *ctx, uint32_t index, const char *message, const char *hint)
{
    weir_fail_class(ctx, index, WEIR_E_DATA, WEIR_CLASS_DATA, message, hint);
    return WEIR_E_DATA;
}

weir_status payload_refuse(weir_context *ctx, uint32_t index, const char *serializer,
                           const char *taken, const weir_value *v, const char *hint)
{
    char message[128];
    snprintf(message, sizeof message, "the serializer '%s' takes %s, not %s", serializer, taken,
             kind_name(v));
    return payload_fail(ctx, index, message, hint);
}

bool payload_read_bits(weir_context *ctx, uint32_t index, const char *serializer,
                       weir_slice payload, uint32_t width, uint64_t *ret)
{
    if (payload.size != width) {
        char message[128];
        snprintf(message, sizeof message, "the payload is no %s: it has %llu bytes instead of %u",
                 serializer, (unsigned long long)payload.size, (unsigned)width);
        payload_fail(ctx, index, message, NULL);
        return false;
    }
    uint64_t bits = 0;
    for (uint32_t i = 0; i < width; i++) {
        bits = bits << 8 | payload.data[i];
    }
    *ret = bits;
    return true;
}

weir_status payload_append_bits(weir_buffer *out, uint64_t bits, uint32_t width)
{
    uint8_t bytes[sizeof bits];
    for (uint32_t i = 0; i < width; i++) {
        bytes[i] = (uint8_t)(bits >> (8 * (width - 1 - i)));
    }
    return weir_buffer_append(out, bytes, width);
}
