/* SPDX-License-Identifier: MIT */
/*
 * What a text looks like inside a JSON string. Escaped are '"', '\' and what is below 0x20 (short
 * forms where JSON has them, else lower-case \u00xx); bytes that are not UTF-8 become U+FFFD.
 */
#ifndef BASE_JSON_ESCAPE_H
#define BASE_JSON_ESCAPE_H

#include <stddef.h>

/* Bytes that json_escape writes, at most 6 * len. */
size_t json_escape_size(const char *text, size_t len);
/* Writes the escaped text, without quotes and NUL; returns its length. */
size_t json_escape(const char *text, size_t len, char *room);

#endif
