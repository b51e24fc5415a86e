/* SPDX-License-Identifier: MIT */
#include "support/json_number.h"

#include <stdbool.h>

enum {
    INT_DIGITS = 18,  /* any integer of so many digits fits in 64 bits */
    FLOAT_DIGITS = 15 /* any decimal of so many digits survives float64 */
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static weir_value read_long_int(const char *text, uint32_t len, bool is_negative)
{
    const char *digits = text + is_negative;
    uint32_t count = len - is_negative;
    if (count != INT_DIGITS + 1) {
        return json_number_text(text, len);
    }
    uint64_t magnitude = 0; /* 19 digits fit in unsigned 64 bits */
    for (uint32_t i = 0; i < count; i++) {
        magnitude = magnitude * 10 + (uint64_t)(digits[i] - '0');
    }
    if (magnitude > (uint64_t)INT64_MAX + is_negative) {
        return json_number_text(text, len);
    }
    return weir_int(is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude);
}

/*
 * whole: the digits before the point; text + i is the byte after the point. 10^22 and below and
 * integers below 2^53 are exact in float64, so one division rounds once: correctly.
 */
static weir_value read_decimal(const char *text, uint32_t len, uint32_t i, uint64_t whole,
                               bool is_negative)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    uint32_t point = i - 1;
    uint32_t digits = whole == 0 ? 0 : point - is_negative;
    uint32_t decimals = len - i;
    uint64_t mantissa = whole;
    for (; i < len; i++) {
        if (!is_digit(text[i])) {
            return json_number_text(text, len); /* an exponent */
        }
        digits += digits > 0 || text[i] != '0';
        if (digits > FLOAT_DIGITS + 1) {
            return json_number_text(text, len);
        }
        mantissa = mantissa * 10 + (uint64_t)(text[i] - '0');
    }
    if (decimals == 1 && text[len - 1] == '0') {
        return weir_float(is_negative ? -(double)whole : (double)whole);
    }
    if (text[len - 1] == '0' || digits > FLOAT_DIGITS ||
        decimals >= sizeof powers / sizeof *powers) {
        return json_number_text(text, len);
    }
    double f = (double)mantissa / powers[decimals];
    if (f < 1e-5) {
        return json_number_text(text, len); /* printed with an exponent */
    }
    return weir_float(is_negative ? -f : f);
}

weir_value json_number_read(const char *text, uint32_t len)
{
    bool is_negative = text[0] == '-';
    uint32_t i = is_negative;
    uint64_t whole = 0;
    uint32_t end = i + INT_DIGITS < len ? i + INT_DIGITS : len;
    for (; i < end && is_digit(text[i]); i++) {
        whole = whole * 10 + (uint64_t)(text[i] - '0');
    }
    if (i == len) {
        if (is_negative && whole == 0) {
            return json_number_text(text, len);
        }
        return weir_int(is_negative ? -(int64_t)whole : (int64_t)whole);
    }
    if (text[i] == '.') {
        if (i - is_negative > FLOAT_DIGITS) {
            return json_number_text(text, len);
        }
        return read_decimal(text, len, i + 1, whole, is_negative);
    }
    for (uint32_t k = i; k < len; k++) {
        if (!is_digit(text[k])) {
            return json_number_text(text, len);
        }
    }
    return read_long_int(text, len, is_negative);
}
