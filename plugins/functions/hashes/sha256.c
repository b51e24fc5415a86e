/* SPDX-License-Identifier: MIT */
/*
 * sha256: by OpenSSL, as hexadecimal digits.
 */
#include "hashes_functions.h"
#include "support/lane.h"

#include <openssl/sha.h>

static weir_status sha256_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    static const char digits[] = "0123456789abcdef";
    const weir_value *v = lane_arg(call, 0, lane);
    unsigned char hash[SHA256_DIGEST_LENGTH];
    char *room = weir_alloc(call->ctx, 2 * sizeof hash);
    if (room == NULL) {
        return WEIR_E_NOMEM;
    }
    if (SHA256((const unsigned char *)(v->len > 0 ? v->as.text : ""), v->len, hash) == NULL) {
        return WEIR_E_NOMEM; /* the library says no more than that it could not */
    }
    for (size_t i = 0; i < sizeof hash; i++) {
        room[2 * i] = digits[hash[i] >> 4];
        room[2 * i + 1] = digits[hash[i] & 15];
    }
    *ret = weir_text_value(room, 2 * sizeof hash);
    return WEIR_OK;
}

static weir_status evaluate_sha256(weir_call *call)
{
    return lanes_evaluate(call, sha256_lane);
}

const weir_factory sha256_function = {
    FUNCTION("sha256", "The SHA-256 hash of a text or of bytes, as 64 hexadecimal digits",
             "Of a text its UTF-8 bytes are hashed."),
    .vtable =
        FUNCTION_TABLE(.signature = "(text|bytes) text", .example = "sha256(\"abc\")",
                       .example_result =
                           "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
                       .evaluate = evaluate_sha256),
};
