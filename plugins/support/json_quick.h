/* SPDX-License-Identifier: MIT */
#ifndef SUPPORT_JSON_QUICK_H
#define SUPPORT_JSON_QUICK_H

#include "support/json_decode.h"

/* Zeros that must stand behind decoder->copy: they end everything, and wide loads go no further. */
enum { JSON_QUICK_PADDING = 32 };

/*
 * The value of a payload that has been copied to decoder->copy, which stays as it is.
 * Returns WEIR_OK; WEIR_AGAIN: it is not for this reader; WEIR_E_NOMEM
 */
weir_status json_quick(struct json_decoder *decoder, weir_context *ctx, weir_slice payload,
                       weir_value *ret);

#endif
