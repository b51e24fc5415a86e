/* SPDX-License-Identifier: MIT */
/*
 * Optimal string alignment distance: inserting, dropping, replacing a byte and swapping two
 * neighbours cost 1 each; upper and lower case of ASCII count as the same letter.
 */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 200, MOST_EDITS = 3 };

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Neither text is longer than LONGEST. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    uint16_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_len; j++) {
        rows[0][j] = (uint16_t)j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        uint16_t *row = rows[i % 3];
        const uint16_t *above = rows[(i + 2) % 3];
        const uint16_t *two_above = rows[(i + 1) % 3];
        row[0] = (uint16_t)i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t replaced = above[j - 1] + (size_t)(lower(a[i - 1]) != lower(b[j - 1]));
            size_t best = least(replaced, least(above[j], row[j - 1]) + 1u);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                best = least(best, two_above[j - 2] + 1u);
            }
            row[j] = (uint16_t)best;
        }
    }
    return rows[a_len % 3][b_len];
}

static size_t edits_allowed(size_t wanted_len)
{
    size_t third = wanted_len / 3;
    return third < 1 ? 1 : least(third, MOST_EDITS);
}

void nearest_start(struct nearest *search, const char *wanted, size_t wanted_len)
{
    *search = (struct nearest){ .wanted = wanted, .wanted_len = wanted_len };
    search->best_distance = edits_allowed(wanted_len) + 1;
}

void nearest_offer(struct nearest *search, const char *name)
{
    size_t len = strlen(name);
    size_t difference =
        len > search->wanted_len ? len - search->wanted_len : search->wanted_len - len;
    if (len > LONGEST || search->wanted_len > LONGEST || difference >= search->best_distance) {
        return;
    }
    size_t distance = edit_distance(search->wanted, search->wanted_len, name, len);
    if (distance < search->best_distance) {
        search->best = name;
        search->best_distance = distance;
    }
}

const char *nearest_found(const struct nearest *search)
{
    return search->best;
}
