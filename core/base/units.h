/* SPDX-License-Identifier: MIT */
/*
 * Readers of what people write: durations, sizes, times, numbers. Each takes the whole text or
 * fails; *ret_cure is then a static sentence part that stands behind "expects a duration, found '5'; "
 * ("write its unit too, as in 5s or 5ms"), or NULL where there is nothing to add; ret_cure may be NULL.
 * Durations and numbers are also literals of expressions (docs/expressions.md).
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cure for what has the right form and is beyond the type's range: compare the pointer. */
extern const char units_too_large[];

/* `1h30m`, `1.5s`, `250ms`, `0`; units ns us ms s m h d w from large to small; halves away from
 * zero. */
bool units_duration_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_cure);
/* Length of the longest prefix that has the form of a duration (digits, a fraction or none, a unit;
 * again and again; the order of units is not judged); 0: none. */
size_t units_duration_prefix(const char *text, size_t len);
/* `512`, `64KiB`, `1.5MiB`, `10MB`; B, KiB to TiB, kB to TB; a fraction of a byte is rounded. */
bool units_size_bytes(const char *text, size_t len, int64_t *ret_bytes, const char **ret_cure);
/* RFC 3339 date or date and time; UTC unless an offset is given. Digits beyond ms are cut. */
bool units_time_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_cure);
/* Decimal digits with an optional sign; `_` between digits. */
bool units_int(const char *text, size_t len, int64_t *ret, const char **ret_cure);
/* The same with a fraction or an exponent; neither infinite nor NaN. */
bool units_float(const char *text, size_t len, double *ret, const char **ret_cure);
/* `true`, `false`. */
bool units_bool(const char *text, size_t len, bool *ret, const char **ret_cure);
/* Writes a count of 10^-digits seconds since 1970 as RFC 3339 with `Z` and `digits` digits of the
 * second (0, 3, 6, 9); returns the length. Years beyond 0000 to 9999 get a sign. room: at least 40
 * bytes. */
size_t units_format_time(int64_t since_epoch, unsigned digits, char *room);

/* The other way round, in the largest unit that leaves no fraction: `7d`, `90m`, `1536KiB`, `0`. */
enum { UNITS_ROOM = 32 };
void units_format_duration(int64_t ms, char room[UNITS_ROOM]);
void units_format_size(int64_t bytes, char room[UNITS_ROOM]);

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
int64_t units_days_from_date(int64_t year, unsigned month, unsigned day);
void units_date_from_days(int64_t days, int64_t *ret_year, unsigned *ret_month, unsigned *ret_day);

#endif
