/* SPDX-License-Identifier: MIT */
/* Base64 with the standard alphabet and padding: the form that bytes have in JSON. */
#ifndef VALUE_BASE64_H
#define VALUE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Letters that so many bytes take. */
static inline size_t base64_length(size_t size)
{
    return (size + 2) / 3 * 4;
}

/* room: base64_length(size) letters, without a NUL. */
void base64_encode(const void *bytes, size_t size, char *room);
/* room: len / 4 * 3 bytes. False: it is not base64. */
bool base64_decode(const char *text, size_t len, char *room, size_t *ret_size);

#endif
