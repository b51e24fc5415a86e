/* SPDX-License-Identifier: MIT */
/*
 * Base64 of RFC 4648 with padding, read strictly.
 */
#ifndef SUPPORT_BASE64_H
#define SUPPORT_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that `len` characters can hold at most. */
static inline size_t base64_room(size_t len)
{
    return len / 4 * 3 + 3;
}

/* Reads all of the text into `room` (base64_room bytes). False: it is not base64. */
bool base64_read(const char *text, size_t len, uint8_t *room, size_t *ret_size);

#endif
