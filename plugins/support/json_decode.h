/* SPDX-License-Identifier: MIT */
/*
 * JSON text to values in the memory of a batch.
 *
 * The text is read in a copy that is used again and again: by json_quick.c, and where that does not
 * take it by yyjson and json_walk.c. Values point into the payload itself, which must live as long as
 * the batch. Only texts with escapes are copied. Numbers
 * and whatever else keep their bytes: containers and escaped texts know the text that they came
 * from (WEIR_VALUE_SOURCE), numbers that nobody can ask for by name stay text.
 *
 * Of two equal keys the last value stands at the first's place; such an object, and all around it,
 * has no source.
 */
#ifndef SUPPORT_JSON_DECODE_H
#define SUPPORT_JSON_DECODE_H

#include <weir/host.h>

#include "support/json_shape.h"

enum { JSON_DECODE_DEPTH = 254 };

/* Why a payload could not be read. byte: offset in the payload. */
struct json_fault {
    uint64_t byte;
    char message[128]; /* without the place */
};

struct json_decoder {
    struct json_shapes shapes;
    struct json_shape *root;
    uint32_t max_depth;
    uint32_t rest;    /* payloads that json_quick is not asked for */
    uint32_t refused; /* how many it has not taken lately: the next rest */
    char *copy;       /* the payload as it is taken apart */
    uint64_t copy_room;
    uint8_t *stack; /* of json_quick */
    uint64_t stack_room;
    void *pool; /* yyjson's values */
    uint64_t pool_room;
    uint32_t *slots; /* a hash table of keys, for objects with keys in no known order */
    uint64_t slot_room;
    uint64_t seed;
};

/*
 * host       NULL: keys get no symbols and numbers stay text
 * max_depth  levels of nesting; 0 = JSON_DECODE_DEPTH
 * Returns    WEIR_OK; WEIR_E_NOMEM, and there is nothing to deinit
 */
weir_status json_decoder_init(struct json_decoder *decoder, const weir_host *host,
                              uint32_t max_depth);
void json_decoder_deinit(struct json_decoder *decoder);

/*
 * payload  borrowed; must live as long as the batch of ctx
 * Returns  WEIR_OK; WEIR_E_DATA with *ret_fault set; WEIR_E_NOMEM
 * Cost     O(bytes); allocates from the batch only, once the decoder has grown to its payloads
 */
weir_status json_decode(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                        weir_value *ret_value, struct json_fault *ret_fault);

#endif
