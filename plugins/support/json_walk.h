/* SPDX-License-Identifier: MIT */
#ifndef SUPPORT_JSON_WALK_H
#define SUPPORT_JSON_WALK_H

#include <yyjson.h>

#include "support/json_decode.h"

/* The value of a document that yyjson has read from decoder->copy in place. Returns as json_decode. */
weir_status json_walk(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                      const yyjson_doc *doc, weir_value *ret, struct json_fault *fault);

#endif
