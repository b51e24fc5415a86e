/* SPDX-License-Identifier: MIT */
#include "support/json_decode.h"

#include <stdio.h>
#include <stdlib.h>

#include <yyjson.h>

#include "support/json_quick.h"
#include "support/json_walk.h"

enum {
    PADDING = JSON_QUICK_PADDING, /* zeros behind the copy; yyjson wants fewer */
    KEEP_LIMIT = 4 << 20,         /* what a larger payload took is given back */
    REST_LIMIT = 63
};
_Static_assert((int)PADDING >= (int)YYJSON_PADDING_SIZE, "what yyjson may read");

weir_status json_decoder_init(struct json_decoder *decoder, const weir_host *host,
                              uint32_t max_depth)
{
    memset(decoder, 0, sizeof *decoder);
    json_shapes_init(&decoder->shapes, host);
    decoder->root = json_shape_create(&decoder->shapes);
    decoder->max_depth = max_depth == 0 ? JSON_DECODE_DEPTH : max_depth;
    decoder->seed = (uint64_t)(uintptr_t)decoder * 0x9E3779B97F4A7C15u;
    return decoder->shapes.is_refused ? WEIR_E_NOMEM : WEIR_OK;
}

static void decoder_shrink(struct json_decoder *decoder)
{
    free(decoder->copy);
    free(decoder->pool);
    free(decoder->slots);
    free(decoder->stack);
    decoder->copy = NULL;
    decoder->pool = NULL;
    decoder->slots = NULL;
    decoder->stack = NULL;
    decoder->copy_room = 0;
    decoder->pool_room = 0;
    decoder->slot_room = 0;
    decoder->stack_room = 0;
}

void json_decoder_deinit(struct json_decoder *decoder)
{
    decoder_shrink(decoder);
}

/* ---- yyjson's memory: one block, since a document read in place asks for one -------------------
 */

static void *pool_realloc(void *self, void *memory, size_t old_size, size_t size)
{
    struct json_decoder *decoder = self;
    (void)memory;
    (void)old_size;
    if (size > decoder->pool_room) {
        void *pool = realloc(decoder->pool, size);
        if (pool == NULL) {
            return NULL;
        }
        decoder->pool = pool;
        decoder->pool_room = size;
    }
    return decoder->pool;
}

static void *pool_malloc(void *self, size_t size)
{
    return pool_realloc(self, NULL, 0, size);
}

static void pool_free(void *self, void *memory)
{
    (void)self;
    (void)memory;
}

/* ---- faults ------------------------------------------------------------------------------------
 */

static weir_status fail(struct json_fault *fault, uint64_t byte, const char *message)
{
    fault->byte = byte;
    snprintf(fault->message, sizeof fault->message, "%s", message);
    return WEIR_E_DATA;
}

/* ---- a payload ---------------------------------------------------------------------------------
 */

static bool copy_payload(struct json_decoder *decoder, weir_slice payload)
{
    uint64_t room = payload.size + PADDING;
    if (room > decoder->copy_room) {
        room += room / 2;
        char *copy = realloc(decoder->copy, room);
        if (copy == NULL) {
            return false;
        }
        decoder->copy = copy;
        decoder->copy_room = room;
    }
    memcpy(decoder->copy, payload.data, payload.size);
    memset(decoder->copy + payload.size, 0, PADDING);
    return true;
}

static weir_status check_size(weir_slice payload, struct json_fault *fault)
{
    if (payload.size == 0) {
        return fail(fault, 0, "the payload is empty");
    }
    if (payload.size > UINT32_MAX) {
        return fail(fault, UINT32_MAX, "the payload is larger than 4 GiB");
    }
    if (payload.size >= 3 && memcmp(payload.data, "\xEF\xBB\xBF", 3) == 0) {
        return fail(fault, 0, "a byte order mark (EF BB BF) stands at the start; remove it");
    }
    return WEIR_OK;
}

static weir_status decode_any(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                              weir_value *ret_value, struct json_fault *ret_fault)
{
    yyjson_alc alc = { pool_malloc, pool_realloc, pool_free, decoder };
    yyjson_read_err err;
    yyjson_doc *doc = yyjson_read_opts(decoder->copy, payload.size,
                                       YYJSON_READ_INSITU | YYJSON_READ_NUMBER_AS_RAW, &alc, &err);
    if (doc != NULL) {
        return json_walk(decoder, ctx, payload, doc, ret_value, ret_fault);
    }
    return err.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION ? WEIR_E_NOMEM
                                                           : fail(ret_fault, err.pos, err.msg);
}

/* WEIR_AGAIN: it is not for json_quick. The more such payloads, the seldomer that is tried. */
static weir_status decode_quick(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                                weir_value *ret_value)
{
    if (decoder->rest > 0) {
        decoder->rest--;
        return WEIR_AGAIN;
    }
    weir_status st = json_quick(decoder, ctx, payload, ret_value);
    if (st == WEIR_AGAIN) {
        decoder->refused = decoder->refused < REST_LIMIT ? decoder->refused * 2 + 1 : REST_LIMIT;
        decoder->rest = decoder->refused;
    } else {
        decoder->refused /= 2;
    }
    return st;
}

weir_status json_decode(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                        weir_value *ret_value, struct json_fault *ret_fault)
{
    weir_status st = check_size(payload, ret_fault);
    if (st != WEIR_OK) {
        return st;
    }
    if (!copy_payload(decoder, payload)) {
        return WEIR_E_NOMEM;
    }
    st = decode_quick(decoder, ctx, payload, ret_value);
    if (st == WEIR_AGAIN) {
        st = decode_any(decoder, ctx, payload, ret_value, ret_fault);
    }
    if (decoder->copy_room > KEEP_LIMIT) {
        decoder_shrink(decoder);
    }
    if (decoder->shapes.is_refused) {
        decoder->shapes.is_refused = false;
        return WEIR_E_NOMEM;
    }
    return st;
}
