/* SPDX-License-Identifier: MIT */
/*
 * Text of numbers: shortest digits that read back the same, and the other way.
 */
#ifndef VALUE_NUMBER_H
#define VALUE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/value.h>

enum { NUMBER_ROOM = 40 }; /* bytes that suffice for any number below */

/* Decimal digits; returns the length. */
size_t number_write_int(int64_t i, char *room);
/*
 * The shortest decimal that reads back as f, in JSON's form: `1.0`, `0.00001`, exponent from 1e16 up
 * and below 1e-5 (`1e+16`, `1e-6`), `-0.0`. Not for NaN and infinities. Returns the length.
 */
size_t number_write_float(double f, char *room);

/*
 * Makes a value from a JSON number text (already known to be one) that an encoder prints back byte
 * for byte: WEIR_INT, WEIR_FLOAT where the form shows that float64 prints it back, else WEIR_NUMBER
 * pointing to `text`.
 */
weir_value number_from_json(const char *text, uint32_t len);
/* True where all of the text is a JSON number. */
bool number_is_json(const char *text, size_t len);
/* Without fraction and exponent. */
bool number_is_integer_text(const char *text, size_t len);

/* The nearest float64 of a JSON number text; an infinity where it lies beyond. */
double number_to_float(const char *text, size_t len);
/* The value of a JSON number text without fraction and exponent. False: beyond 64 bits. */
bool number_to_int(const char *text, size_t len, int64_t *ret);

#endif
