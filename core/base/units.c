/* SPDX-License-Identifier: MIT */
/*
 * Numbers, durations and sizes. Quantities with a fraction are summed exactly in 128 bits, as
 * multiples of 10^-15 of the result's unit: the first digit that is cut never decides a rounding.
 */
#include "base/units.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 wide;

#define FRACTION_ONE UINT64_C(1000000000000000)

struct unit {
    const char *name;
    wide scale; /* in FRACTION_ONE-ths of the result's unit */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char units_too_large[] = "it does not fit in 64 bits";

static bool fail(const char **ret_cure, const char *cure)
{
    if (ret_cure != NULL) {
        *ret_cure = cure;
    }
    return false;
}

static size_t digits_length(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && is_digit(text[at])) {
        at++;
    }
    return at;
}

/* Length of `digits` or `digits.digits`; 0: none. */
static size_t quantity_length(const char *text, size_t len)
{
    size_t whole = digits_length(text, len);
    if (whole == 0 || whole == len || text[whole] != '.') {
        return whole;
    }
    size_t fraction = digits_length(text + whole + 1, len - whole - 1);
    return fraction == 0 ? 0 : whole + 1 + fraction;
}

/* The quantity times the scale, added to *sum. False: too large. */
static bool add_scaled(const char *text, size_t len, wide scale, wide *sum)
{
    static const wide largest = (wide)INT64_MAX * FRACTION_ONE + FRACTION_ONE;
    size_t whole = digits_length(text, len);
    wide count = 0;
    for (size_t i = 0; i < whole; i++) {
        count = count * 10 + (unsigned)(text[i] - '0');
        if (count > largest / scale) {
            return false;
        }
    }
    wide total = *sum + count * scale;
    for (size_t i = whole + 1; i < len && scale > 0; i++) {
        total += scale * (unsigned)(text[i] - '0') / 10;
        scale /= 10;
    }
    *sum = total;
    return total <= largest;
}

static bool round_sum(wide sum, int64_t *ret)
{
    wide rounded = (sum + FRACTION_ONE / 2) / FRACTION_ONE;
    if (rounded > INT64_MAX) {
        return false;
    }
    *ret = (int64_t)rounded;
    return true;
}

/* The longest unit that the text begins with, or NULL. */
static const struct unit *find_unit(const struct unit *units, size_t count, const char *text,
                                    size_t len)
{
    const struct unit *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < count; i++) {
        size_t name_len = strlen(units[i].name);
        if (name_len > best_len && name_len <= len && memcmp(text, units[i].name, name_len) == 0) {
            best = &units[i];
            best_len = name_len;
        }
    }
    return best;
}

/* From large to small; in 10^-15 ms. */
static const struct unit duration_units[] = {
    { "w", (wide)604800000 * FRACTION_ONE }, { "d", (wide)86400000 * FRACTION_ONE },
    { "h", (wide)3600000 * FRACTION_ONE },   { "m", (wide)60000 * FRACTION_ONE },
    { "s", (wide)1000 * FRACTION_ONE },      { "ms", (wide)FRACTION_ONE },
    { "us", (wide)FRACTION_ONE / 1000 },     { "ns", (wide)FRACTION_ONE / 1000000 },
};
enum { DURATION_UNITS = sizeof duration_units / sizeof duration_units[0] };

size_t units_duration_prefix(const char *text, size_t len)
{
    size_t end = 0;
    while (end < len) {
        size_t quantity = quantity_length(text + end, len - end);
        const struct unit *unit = quantity == 0
                                      ? NULL
                                      : find_unit(duration_units, DURATION_UNITS,
                                                  text + end + quantity, len - end - quantity);
        if (unit == NULL) {
            break;
        }
        end += quantity + strlen(unit->name);
    }
    return end;
}

/* Copies the text without its blanks, as far as there is room; returns the length. */
static size_t without_blanks(const char *text, size_t len, char *room, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < len && kept < size; i++) {
        if (text[i] != ' ') {
            room[kept++] = text[i];
        }
    }
    return kept;
}

static const char *duration_cure(const char *text, size_t len)
{
    char room[64];
    size_t prefix = units_duration_prefix(text, len);
    size_t kept = without_blanks(text, len, room, sizeof room);
    if (len > 0 && quantity_length(text, len) == len) {
        return "write its unit too, as in 5s or 5ms";
    }
    if (prefix > 0 && quantity_length(text + prefix, len - prefix) == len - prefix) {
        return "write the unit of each number, as in 1h30m";
    }
    if (len > 0 && text[0] == '-') {
        return "it cannot be negative";
    }
    if (kept > 0 && kept < len && units_duration_prefix(room, kept) == kept) {
        return "write it without blanks, as in 5s or 1h30m";
    }
    return "write it like 5s, 250ms or 1h30m (units: w d h m s ms us ns)";
}

bool units_duration_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_cure)
{
    if (len == 1 && text[0] == '0') {
        *ret_ms = 0;
        return true;
    }
    if (len == 0 || units_duration_prefix(text, len) != len) {
        return fail(ret_cure, duration_cure(text, len));
    }
    wide sum = 0;
    const struct unit *before = NULL;
    for (size_t at = 0; at < len;) {
        size_t quantity = quantity_length(text + at, len - at);
        const struct unit *unit =
            find_unit(duration_units, DURATION_UNITS, text + at + quantity, len - at - quantity);
        if (before != NULL && unit <= before) {
            return fail(ret_cure, "write each unit once, from large to small");
        }
        if (!add_scaled(text + at, quantity, unit->scale, &sum)) {
            return fail(ret_cure, units_too_large);
        }
        before = unit;
        at += quantity + strlen(unit->name);
    }
    return round_sum(sum, ret_ms) || fail(ret_cure, units_too_large);
}

static const struct unit size_units[] = {
    { "B", FRACTION_ONE },
    { "KiB", (wide)FRACTION_ONE << 10 },
    { "MiB", (wide)FRACTION_ONE << 20 },
    { "GiB", (wide)FRACTION_ONE << 30 },
    { "TiB", (wide)FRACTION_ONE << 40 },
    { "kB", (wide)FRACTION_ONE * 1000 },
    { "MB", (wide)FRACTION_ONE * 1000000 },
    { "GB", (wide)FRACTION_ONE * 1000000000 },
    { "TB", (wide)FRACTION_ONE * 1000000000000 },
};
enum { SIZE_UNITS = sizeof size_units / sizeof size_units[0] };

/* A quantity, and behind it nothing or the whole name of a unit. */
static bool has_form_of_size(const char *text, size_t len, size_t *ret_quantity,
                             const struct unit **ret_unit)
{
    size_t quantity = quantity_length(text, len);
    size_t left = len - quantity;
    const struct unit *unit =
        left == 0 ? &size_units[0] : find_unit(size_units, SIZE_UNITS, text + quantity, left);
    *ret_quantity = quantity;
    *ret_unit = unit;
    return quantity > 0 && unit != NULL && (left == 0 || strlen(unit->name) == left);
}

static const char *size_cure(const char *text, size_t len)
{
    char room[64];
    const struct unit *unit;
    size_t quantity;
    size_t kept = without_blanks(text, len, room, sizeof room);
    if (kept < len && has_form_of_size(room, kept, &quantity, &unit)) {
        return "write it without blanks, as in 64KiB or 10MB";
    }
    if (quantity_length(text, len) > 0) {
        return "its unit is one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB";
    }
    return len > 0 && text[0] == '-' ? "it cannot be negative" : "write it like 512, 64KiB or 10MB";
}

bool units_size_bytes(const char *text, size_t len, int64_t *ret_bytes, const char **ret_cure)
{
    const struct unit *unit;
    size_t quantity;
    wide sum = 0;
    if (!has_form_of_size(text, len, &quantity, &unit)) {
        return fail(ret_cure, size_cure(text, len));
    }
    if (!add_scaled(text, quantity, unit->scale, &sum) || !round_sum(sum, ret_bytes)) {
        return fail(ret_cure, units_too_large);
    }
    return true;
}

/* Copies digits, dropping `_` between two of them; *at moves on. False: no digit, or a bad `_`. */
static bool copy_digits(const char *text, size_t len, size_t *at, char *room, size_t *size)
{
    if (*at >= len || !is_digit(text[*at])) {
        return false;
    }
    while (*at < len) {
        char c = text[*at];
        if (is_digit(c)) {
            room[(*size)++] = c;
        } else if (c != '_' || *at + 1 >= len || !is_digit(text[*at + 1])) {
            return c != '_';
        }
        (*at)++;
    }
    return true;
}

bool units_int(const char *text, size_t len, int64_t *ret, const char **ret_cure)
{
    bool is_negative = len > 0 && text[0] == '-';
    size_t at = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (at == len || !is_digit(text[at])) {
        return fail(ret_cure, NULL);
    }
    /* Negative throughout: that side reaches one further. */
    int64_t value = 0;
    for (; at < len; at++) {
        if (text[at] == '_' && at + 1 < len && is_digit(text[at + 1]) && is_digit(text[at - 1])) {
            continue;
        }
        if (!is_digit(text[at])) {
            return fail(ret_cure, NULL);
        }
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, text[at] - '0', &value)) {
            return fail(ret_cure, units_too_large);
        }
    }
    if (!is_negative && value == INT64_MIN) {
        return fail(ret_cure, units_too_large);
    }
    *ret = is_negative ? value : -value;
    return true;
}

/* The text as strtod takes it: `_` dropped, NUL at the end. False: no decimal number. */
static bool plain_float(const char *text, size_t len, char *room)
{
    size_t at = 0;
    size_t size = 0;
    if (at < len && (text[at] == '-' || text[at] == '+')) {
        room[size++] = text[at++];
    }
    if (!copy_digits(text, len, &at, room, &size)) {
        return false;
    }
    if (at < len && text[at] == '.') {
        room[size++] = text[at++];
        if (!copy_digits(text, len, &at, room, &size)) {
            return false;
        }
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        room[size++] = text[at++];
        if (at < len && (text[at] == '-' || text[at] == '+')) {
            room[size++] = text[at++];
        }
        if (!copy_digits(text, len, &at, room, &size)) {
            return false;
        }
    }
    room[size] = '\0';
    return at == len;
}

bool units_float(const char *text, size_t len, double *ret, const char **ret_cure)
{
    char room[512];
    if (len >= sizeof room) {
        return fail(ret_cure, "it has more than 511 characters");
    }
    if (!plain_float(text, len, room)) {
        bool has_comma = memchr(text, ',', len) != NULL;
        return fail(ret_cure, has_comma ? "write its fraction behind a point, as in 1.5" : NULL);
    }
    /* Whoever embeds the engine may have set a locale with a decimal comma; "C" costs nothing. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c_locale != (locale_t)0 ? strtod_l(room, NULL, c_locale) : strtod(room, NULL);
    if (c_locale != (locale_t)0) {
        freelocale(c_locale);
    }
    if (__builtin_isinf(value)) {
        return fail(ret_cure, units_too_large);
    }
    *ret = value;
    return true;
}

/* What other languages and other versions of YAML take for a bool. */
static const char *bool_cure(const char *text, size_t len)
{
    static const char *const yes[] = { "true", "yes", "on", "y", "1" };
    static const char *const no[] = { "false", "no", "off", "n", "0" };
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (strlen(yes[i]) == len && strncasecmp(yes[i], text, len) == 0) {
            return "write true";
        }
        if (strlen(no[i]) == len && strncasecmp(no[i], text, len) == 0) {
            return "write false";
        }
    }
    return NULL;
}

bool units_bool(const char *text, size_t len, bool *ret, const char **ret_cure)
{
    bool is_true = len == 4 && memcmp(text, "true", 4) == 0;
    if (!is_true && (len != 5 || memcmp(text, "false", 5) != 0)) {
        return fail(ret_cure, bool_cure(text, len));
    }
    *ret = is_true;
    return true;
}
