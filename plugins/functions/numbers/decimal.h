/* SPDX-License-Identifier: MIT */
/*
 * Exact decimal digits of floats: the C library prints and reads them without error, in its "C"
 * locale whatever the process has chosen.
 */
#ifndef FUNCTIONS_DECIMAL_H
#define FUNCTIONS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define DECIMAL_DIGITS_MAX 1000
#define DECIMAL_ROOM       (1 + 309 + 1 + DECIMAL_DIGITS_MAX + 1)

/* Writes a finite number with so many digits after the point, halves to even; returns the length. */
size_t decimal_write(double number, int digits, char room[DECIMAL_ROOM]);
size_t decimal_write_int(int64_t number, int digits, char room[DECIMAL_ROOM]);

/*
 * The nearest float of the number rounded at so many digits after the point, before it if negative.
 * NaN and infinities stay; the result may be infinite.
 */
double decimal_round(double number, int64_t digits);
double decimal_round_int(int64_t number, int64_t digits);

#endif
