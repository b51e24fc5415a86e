/* SPDX-License-Identifier: MIT */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset of the first byte that is not valid UTF-8, or `len`. */
size_t utf8_valid_prefix(const char *text, size_t len);
/* Number of code points of valid text. */
size_t utf8_length(const char *text, size_t len);
/* Byte offset of the n-th code point of valid text; `len` where there are fewer. */
size_t utf8_offset(const char *text, size_t len, size_t n);
/* Reads one code point; returns its bytes (0 at the end; 1 and U+FFFD for a bad byte). */
size_t utf8_read(const char *text, size_t len, uint32_t *ret_point);
/* Writes one code point (U+FFFD for what is none); returns its bytes (1 to 4). */
size_t utf8_write(uint32_t point, char room[4]);
/* Unicode property White_Space. */
bool utf8_is_space(uint32_t point);

#endif
