/* SPDX-License-Identifier: MIT */
#include "decimal.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A constant object of the C library: nothing is allocated, nothing to free. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

size_t decimal_write(double number, int digits, char room[DECIMAL_ROOM])
{
    locale_t before = uselocale(c_locale());
    int len = snprintf(room, DECIMAL_ROOM, "%.*f", digits, number);
    uselocale(before);
    return len > 0 ? (size_t)len : 0;
}

size_t decimal_write_int(int64_t number, int digits, char room[DECIMAL_ROOM])
{
    size_t len = (size_t)snprintf(room, DECIMAL_ROOM, "%lld", (long long)number);
    if (digits > 0) {
        room[len] = '.';
        memset(room + len + 1, '0', (size_t)digits);
        len += 1 + (size_t)digits;
    }
    return len;
}

static double read_back(const char *text)
{
    return strtod_l(text, NULL, c_locale());
}

/* ---- rounding before the point -------------------------------------------------------------------- */

/*
 * `whole` digits (no sign), the last `drop` of them cut: does the cut part round up? has_fraction:
 * something not zero follows behind the point.
 */
static int rounds_up(const char *whole, size_t len, size_t drop, int has_fraction)
{
    if (drop > len) {
        return 0; /* less than a tenth of the unit */
    }
    const char *cut = whole + len - drop;
    if (cut[0] != '5') {
        return cut[0] > '5';
    }
    for (size_t i = 1; i < drop; i++) {
        has_fraction |= cut[i] != '0';
    }
    if (has_fraction) {
        return 1;
    }
    return len > drop && (cut[-1] - '0') % 2 != 0;
}

/* Adds one to the number in front of `end`; room[0] is a spare '0'. */
static void carry(char *room, size_t end)
{
    while (room[--end] == '9') {
        room[end] = '0';
    }
    room[end]++;
}

/* text: "-123" or "123.450"; drop: digits before the point to become zero, at least 1. */
static double round_before_point(const char *text, size_t drop)
{
    char room[320];
    int is_negative = text[0] == '-';
    text += is_negative;
    size_t len = strcspn(text, ".");
    int has_fraction = text[len] != '\0' && strspn(text + len + 1, "0") < strlen(text + len + 1);
    room[0] = '0';
    memcpy(room + 1, text, len);
    room[len + 1] = '\0';
    int up = rounds_up(room + 1, len, drop, has_fraction);
    size_t zeros = drop < len ? drop : len;
    memset(room + 1 + len - zeros, '0', zeros);
    if (up) {
        carry(room, 1 + len - zeros);
    }
    double result = read_back(room);
    return is_negative ? -result : result;
}

/* ---- rounding anywhere ------------------------------------------------------------------------------ */

double decimal_round(double number, int64_t digits)
{
    char room[1 + 309 + 1 + 1080];
    if (!isfinite(number) || digits >= 1074) {
        return number; /* no float has more than 1074 digits behind the point */
    }
    locale_t before = uselocale(c_locale());
    snprintf(room, sizeof room, "%.*f", digits >= 0 ? (int)digits : 1074, number);
    uselocale(before);
    if (digits >= 0) {
        return read_back(room);
    }
    return round_before_point(room, digits < -400 ? 400 : (size_t)-digits);
}

double decimal_round_int(int64_t number, int64_t digits)
{
    char room[DECIMAL_ROOM];
    if (digits >= 0) {
        return (double)number;
    }
    decimal_write_int(number, 0, room);
    /* an int has no negative zero */
    return round_before_point(room, digits < -400 ? 400 : (size_t)-digits) + 0.0;
}
