/* SPDX-License-Identifier: MIT */
/* For tests of serializers: payloads in, payloads out, told as text. */
#ifndef SUPPORT_TESTING_PAYLOAD_FIXTURE_H
#define SUPPORT_TESTING_PAYLOAD_FIXTURE_H

#include "support/testing/fixture.h"

/* Decodes payloads; what was reported, or "". */
const char *fixture_decode(struct fixture *f, const weir_slice *payloads, uint32_t count,
                           weir_value *out);
/* The same for one; size WEIR_ABSENT: no payload. */
const char *fixture_decode_one(struct fixture *f, const char *bytes, uint64_t size,
                               weir_value *ret);

/*
 * Encodes up to 8 values: their payloads as hexadecimal digits, "none" where there is none, with "|"
 * between them; then, in lines of their own, what was reported.
 */
const char *fixture_encode(struct fixture *f, const weir_value *values, uint32_t count);
/* The same for one, given as JSON. */
const char *fixture_encode_json(struct fixture *f, const char *json);

#endif
