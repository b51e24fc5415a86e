/* SPDX-License-Identifier: MIT */
/*
 * Readers of what people write: durations, sizes, times, numbers. Each takes the whole text or
 * fails; *ret_fault is then a static sentence part that reads on after the quoted text ("needs a
 * unit, such as 5s or 5ms"); ret_fault may be NULL.
 * Formats: the language's sections 2 and 11 (docs/expressions.md).
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `1h30m`, `1.5s`, `250ms`, `0`; units ns us ms s m h d w from large to small; halves away from
 * zero. */
bool units_duration_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_fault);
/* Length of the longest prefix that has the form of a duration (digits, a fraction or none, a unit;
 * again and again; the order of units is not judged); 0: none. */
size_t units_duration_prefix(const char *text, size_t len);
/* `512`, `64KiB`, `1.5MiB`, `10MB`; B, KiB to TiB, kB to TB; a fraction of a byte is rounded. */
bool units_size_bytes(const char *text, size_t len, int64_t *ret_bytes, const char **ret_fault);
/* RFC 3339 date or date and time; UTC unless an offset is given. Digits beyond ms are cut. */
bool units_time_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_fault);
/* Decimal digits with an optional sign; `_` between digits. */
bool units_int(const char *text, size_t len, int64_t *ret, const char **ret_fault);
/* The same with a fraction or an exponent; neither infinite nor NaN. */
bool units_float(const char *text, size_t len, double *ret, const char **ret_fault);
/* `true`, `false`. */
bool units_bool(const char *text, size_t len, bool *ret, const char **ret_fault);
/* Writes a count of 10^-digits seconds since 1970 as RFC 3339 with `Z` and `digits` digits of the
 * second (0, 3, 6, 9); returns the length. Years beyond 0000 to 9999 get a sign. room: at least 40
 * bytes. */
size_t units_format_time(int64_t since_epoch, unsigned digits, char *room);

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
int64_t units_days_from_date(int64_t year, unsigned month, unsigned day);
void units_date_from_days(int64_t days, int64_t *ret_year, unsigned *ret_month, unsigned *ret_day);

#endif
