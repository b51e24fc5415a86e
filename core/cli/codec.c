/* SPDX-License-Identifier: MIT */
#include "cli/codec.h"

#include <weir/serializer.h>

#include "base/buffer.h"

weir_status codec_init(struct codec *codec, const struct services *services,
                       const struct plugin_use *use, struct error *error)
{
    *codec = (struct codec){ 0 };
    codec->instance = instance_create(services, use->factory->spec, use->config, use->label, error);
    if (codec->instance == NULL) {
        return error != NULL ? error->status : WEIR_E_INVALID;
    }
    codec->has_call = call_init(&codec->call, 0);
    return codec->has_call ? WEIR_OK : error_no_memory(error);
}

void codec_deinit(struct codec *codec)
{
    if (codec->has_call) {
        call_deinit(&codec->call);
    }
    instance_destroy(codec->instance);
}

/* The whole call has failed: by the details that it gave, else by its status. */
static weir_status whole_fault(const struct codec *codec, weir_status st, struct error *error)
{
    if (codec->call.whole.status != WEIR_OK) {
        *error = codec->call.whole;
        return error->status;
    }
    return error_set(error, st, WEIR_CLASS_BUG, "%s failed with status %d", codec->instance->label,
                     (int)st);
}

weir_status codec_decode(struct codec *codec, struct arena *arena, const weir_slice *payloads,
                         uint32_t count, weir_value *values, struct error *error)
{
    const weir_serializer_vtable *vtable = codec->instance->spec->vtable;
    call_begin(&codec->call, codec->instance, arena, NULL);
    weir_status st =
        vtable->decode(codec->instance->self, &codec->call.context, payloads, count, values);
    call_end(&codec->call);
    if (st < 0 || codec->call.whole.status != WEIR_OK) {
        return whole_fault(codec, st, error);
    }
    call_sort_failures(&codec->call);
    return WEIR_OK;
}

weir_status codec_encode(struct codec *codec, struct arena *arena, const weir_value *const *values,
                         uint32_t count, weir_buffer *out, weir_slice *payloads,
                         struct error *error)
{
    const weir_serializer_vtable *vtable = codec->instance->spec->vtable;
    uint64_t *ends = arena_alloc(arena, count * sizeof *ends);
    if (ends == NULL) {
        return error_no_memory(error);
    }
    buffer_clear(out);
    call_begin(&codec->call, codec->instance, arena, NULL);
    weir_status st =
        vtable->encode(codec->instance->self, &codec->call.context, values, count, out, ends);
    call_end(&codec->call);
    if (st < 0 || codec->call.whole.status != WEIR_OK) {
        return whole_fault(codec, st, error);
    }
    call_sort_failures(&codec->call);
    for (uint32_t i = 0; i < codec->call.failure_count; i++) {
        ends[codec->call.failures[i].index] = WEIR_ABSENT;
    }
    uint64_t start = 0;
    for (uint32_t i = 0; i < count; i++) {
        payloads[i] = (weir_slice){ NULL, WEIR_ABSENT };
        if (ends[i] != WEIR_ABSENT) {
            payloads[i] = (weir_slice){ out->data + start, ends[i] - start };
            start = ends[i];
        }
    }
    return WEIR_OK;
}
