/* SPDX-License-Identifier: MIT */
/*
 * Text of JSON numbers to int64 and float64 and what the form of a text tells about printing back.
 *
 * A decimal of at most 15 digits survives a trip through float64, and a mantissa up to 2^53 times or
 * by a power of ten up to 10^22 is rounded once, so correctly. Everything else is left to yyjson.
 */
#include "value/number.h"

#include <string.h>

#include <yyjson.h>

#include "value/powers.h"

enum { MOST_EXACT_DIGITS = 15, MOST_INT_DIGITS = 19, MOST_LEADING_ZEROS = 4 };

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static weir_value kept(const char *text, uint32_t len)
{
    weir_value v = { WEIR_NUMBER, 0, 0, len, { 0 } };
    v.as.text = text;
    return v;
}

/* digits: 1 to 19, so that the magnitude is right. */
static bool apply_sign(uint64_t magnitude, bool is_negative, int64_t *ret)
{
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) {
        return false;
    }
    *ret = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

/* The fraction at `at`, behind the point; `whole` has at most 15 digits. */
static weir_value with_fraction(const char *text, uint32_t len, const char *at, uint64_t whole,
                                size_t whole_digits)
{
    const char *end = text + len;
    size_t fraction_len = (size_t)(end - at);
    if (fraction_len == 1 && *at == '0') {
        double f = (double)whole;
        return weir_float(text[0] == '-' ? -f : f);
    }
    if (end[-1] == '0' || fraction_len + whole_digits > MOST_EXACT_DIGITS + MOST_LEADING_ZEROS) {
        return kept(text, len);
    }
    uint64_t mantissa = whole;
    size_t zeros = 0;
    for (; at < end && is_digit(*at); at++) {
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        zeros += mantissa == 0;
    }
    bool is_exact =
        whole_digits + fraction_len - zeros <= MOST_EXACT_DIGITS && zeros <= MOST_LEADING_ZEROS;
    if (at < end || !is_exact) {
        return kept(text, len);
    }
    double f = (double)mantissa / powers_of_ten[fraction_len];
    return weir_float(text[0] == '-' ? -f : f);
}

weir_value number_from_json(const char *text, uint32_t len)
{
    const char *end = text + len;
    bool is_negative = text[0] == '-';
    const char *start = text + is_negative;
    const char *at = start;
    uint64_t whole = 0;
    for (; at < end && is_digit(*at); at++) {
        whole = whole * 10 + (uint64_t)(*at - '0'); /* wraps where there are too many to count */
    }
    size_t digits = (size_t)(at - start);
    if (at == end) {
        int64_t i;
        bool is_minus_zero = is_negative && whole == 0;
        if (digits <= MOST_INT_DIGITS && !is_minus_zero && apply_sign(whole, is_negative, &i)) {
            return weir_int(i);
        }
        return kept(text, len);
    }
    if (*at != '.' || digits > MOST_EXACT_DIGITS) {
        return kept(text, len);
    }
    return with_fraction(text, len, at + 1, whole, whole == 0 ? 0 : digits);
}

bool number_is_json(const char *text, size_t len)
{
    size_t at = len > 0 && text[0] == '-' ? 1 : 0;
    size_t start = at;
    while (at < len && is_digit(text[at])) {
        at++;
    }
    if (at == start || (text[start] == '0' && at - start > 1)) {
        return false;
    }
    if (at < len && text[at] == '.') {
        start = ++at;
        while (at < len && is_digit(text[at])) {
            at++;
        }
        if (at == start) {
            return false;
        }
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < len && (text[at] == '+' || text[at] == '-') ? 1 : 0;
        start = at;
        while (at < len && is_digit(text[at])) {
            at++;
        }
        if (at == start) {
            return false;
        }
    }
    return at == len;
}

bool number_is_integer_text(const char *text, size_t len)
{
    size_t at = len > 0 && text[0] == '-' ? 1 : 0;
    if (at == len) {
        return false;
    }
    while (at < len && is_digit(text[at])) {
        at++;
    }
    return at == len;
}

bool number_to_int(const char *text, size_t len, int64_t *ret)
{
    bool is_negative = len > 0 && text[0] == '-';
    size_t start = is_negative ? 1 : 0;
    if (len - start > MOST_INT_DIGITS) {
        return false;
    }
    uint64_t magnitude = 0;
    for (size_t at = start; at < len; at++) {
        magnitude = magnitude * 10 + (uint64_t)(text[at] - '0');
    }
    return apply_sign(magnitude, is_negative, ret);
}

/* ---- any text to float64 ----------------------------------------------------------------------- */

/*
 * A decimal taken apart: significant digits (without leading zeros), of which the first
 * SIGNIFICANT are kept, and the power of ten behind the last kept one. yyjson rounds wrongly where
 * more than 768 digits end in zeros.
 */
enum { SIGNIFICANT = 767 }; /* the most that a midpoint between two float64 has */
struct decimal {
    char digits[SIGNIFICANT + 1]; /* one more for "and something follows" */
    size_t count;
    int64_t exponent;
    bool is_negative;
};

static int64_t read_exponent(const char *at, const char *end)
{
    enum { CLEARLY_BEYOND = 1000000000 };
    bool is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+') ? 1 : 0;
    int64_t exponent = 0;
    for (; at < end && exponent < CLEARLY_BEYOND; at++) {
        exponent = exponent * 10 + (*at - '0');
    }
    return is_negative ? -exponent : exponent;
}

static void take_apart(const char *text, size_t len, struct decimal *decimal)
{
    const char *end = text + len;
    const char *at = text;
    bool is_fraction = false;
    bool is_inexact = false;
    decimal->count = 0;
    decimal->exponent = 0;
    decimal->is_negative = len > 0 && text[0] == '-';
    at += decimal->is_negative ? 1 : 0;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        if (decimal->count == SIGNIFICANT) {
            is_inexact |= *at != '0';
            decimal->exponent += is_fraction ? 0 : 1;
            continue;
        }
        if (decimal->count > 0 || *at != '0') {
            decimal->digits[decimal->count++] = *at;
        }
        decimal->exponent -= is_fraction ? 1 : 0;
    }
    if (at < end) {
        decimal->exponent += read_exponent(at + 1, end);
    }
    if (is_inexact) {
        decimal->digits[decimal->count++] = '1';
        decimal->exponent--;
    }
}

/* text: NUL-terminated JSON number. */
static double read_with_yyjson(const char *text)
{
    yyjson_val number;
    if (yyjson_read_number(text, &number, YYJSON_READ_ALLOW_INF_AND_NAN, NULL, NULL) == NULL) {
        return 0;
    }
    return yyjson_get_num(&number);
}

static double read_taken_apart(const char *text, size_t len)
{
    enum { BEYOND = 400 };
    struct decimal decimal;
    take_apart(text, len, &decimal);
    double f;
    int64_t magnitude = decimal.exponent + (int64_t)decimal.count;
    if (decimal.count == 0 || magnitude < -BEYOND) {
        f = 0;
    } else if (magnitude > BEYOND) {
        f = __builtin_inf();
    } else {
        char room[SIGNIFICANT + 32];
        memcpy(room, decimal.digits, decimal.count);
        size_t at = decimal.count;
        room[at++] = 'e';
        at += number_write_int(decimal.exponent, room + at);
        room[at] = '\0';
        f = read_with_yyjson(room);
    }
    return decimal.is_negative ? -f : f;
}

/* Mantissa and power of ten that are exact in float64. False: not so simple. */
static bool read_simple(const char *text, size_t len, double *ret)
{
    enum { MOST_DIGITS = 18 };
    const char *end = text + len;
    const char *at = text + (text[0] == '-' ? 1 : 0);
    uint64_t mantissa = 0;
    size_t digits = 0;
    int64_t exponent = 0;
    bool is_fraction = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        digits += mantissa != 0;
        exponent -= is_fraction ? 1 : 0;
        if (digits > MOST_DIGITS) {
            return false;
        }
    }
    if (at < end) {
        exponent += read_exponent(at + 1, end);
    }
    if (mantissa > (UINT64_C(1) << 53) || exponent < -MOST_POWER || exponent > MOST_POWER) {
        return false;
    }
    double f = (double)mantissa;
    f = exponent < 0 ? f / powers_of_ten[-exponent] : f * powers_of_ten[exponent];
    *ret = text[0] == '-' ? -f : f;
    return true;
}

double number_to_float(const char *text, size_t len)
{
    char room[64];
    double f;
    if (len == 0) {
        return 0;
    }
    if (read_simple(text, len, &f)) {
        return f;
    }
    if (len < sizeof room) {
        memcpy(room, text, len);
        room[len] = '\0';
        return read_with_yyjson(room);
    }
    return read_taken_apart(text, len);
}
