/* SPDX-License-Identifier: MIT */
/*
 * Code points of UTF-8 text. All but code_point_valid_prefix take valid text, as values hold it, and
 * check nothing again.
 */
#ifndef SUPPORT_CODE_POINT_H
#define SUPPORT_CODE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the code point that begins with this byte. */
static inline size_t code_point_size(char first)
{
    unsigned char byte = (unsigned char)first;
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

static inline bool code_point_begins(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

uint32_t code_point_read(const char *text);
/* Writes 1 to 4 bytes; returns how many. */
size_t code_point_write(uint32_t point, char room[4]);
size_t code_point_count(const char *text, size_t len);
/* Byte offset of the n-th code point; `len` where there are fewer. */
size_t code_point_offset(const char *text, size_t len, size_t n);
/* Unicode property White_Space. */
bool code_point_is_space(uint32_t point);
/* Offset of the first byte that is not UTF-8 (overlong forms and surrogates are not), or `len`. */
size_t code_point_valid_prefix(const char *text, size_t len);

#endif
