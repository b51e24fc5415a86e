/* SPDX-License-Identifier: MIT */
/*
 * The serializers of a topic at the command line: payloads to values and back, outside of a run.
 */
#ifndef CLI_CODEC_H
#define CLI_CODEC_H

#include "pipeline/pipeline.h"
#include "plugin/call.h"

/* The key's or the value's serializer. Zeroed: none. */
struct codec {
    struct instance *instance;
    struct call call; /* of the last use: its failures, by index */
    bool has_call;
};

weir_status codec_init(struct codec *codec, const struct services *services,
                       const struct plugin_use *use, struct error *error);
void codec_deinit(struct codec *codec);

/*
 * Decodes payloads, which must live in the arena, into values. Lanes that fail are in codec->call
 * (call_failure), the rest is fine; only a call that fails as a whole is an error.
 */
weir_status codec_decode(struct codec *codec, struct arena *arena, const weir_slice *payloads,
                         uint32_t count, weir_value *values, struct error *error);
/* Encodes values; payloads point into `out`, which is emptied first. The rest as for decode. */
weir_status codec_encode(struct codec *codec, struct arena *arena, const weir_value *const *values,
                         uint32_t count, weir_buffer *out, weir_slice *payloads,
                         struct error *error);

#endif
