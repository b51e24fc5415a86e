/* SPDX-License-Identifier: MIT */
/*
 * Readers of what people write: durations, sizes, times, numbers. Each takes the whole text or
 * fails; *ret_fault is then a static sentence part ("needs a unit: 5s or 5ms?") and may be NULL.
 * Formats: the language's sections 2 and 11 (docs/expressions.md).
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `1h30m`, `1.5s`, `250ms`; units ns us ms s m h d w from large to small; halves away from zero. */
bool units_duration_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_fault);
/* Length of the longest prefix that is a duration (a digit, then digits and units); 0: none. */
size_t units_duration_prefix(const char *text, size_t len);
/* `512`, `64KiB`, `1.5MiB`, `10MB`; B, KiB to TiB, kB to TB. */
bool units_size_bytes(const char *text, size_t len, int64_t *ret_bytes, const char **ret_fault);
/* RFC 3339 date or date and time; UTC unless an offset is given. */
bool units_time_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_fault);
/* Decimal digits with an optional sign; `_` between digits. */
bool units_int(const char *text, size_t len, int64_t *ret, const char **ret_fault);
bool units_float(const char *text, size_t len, double *ret, const char **ret_fault);
/* `true`, `false`. */
bool units_bool(const char *text, size_t len, bool *ret, const char **ret_fault);
/* Writes ms as RFC 3339 with `Z` and as many digits of the second (0, 3, 6, 9) from a count of
 * 10^-digits seconds; returns the length. room: at least 40 bytes. */
size_t units_format_time(int64_t since_epoch, unsigned digits, char *room);

#endif
