/* SPDX-License-Identifier: MIT */
/*
 * "did you mean ...?": the nearest of many names.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *wanted;
    size_t wanted_len;
    const char *best; /* NULL: none is near enough */
    size_t best_distance;
};

void nearest_start(struct nearest *search, const char *wanted, size_t wanted_len);
/* Offers a NUL-terminated name; it must outlive the search. */
void nearest_offer(struct nearest *search, const char *name);
/* The nearest one within a third of the length (at least 1, at most 3 edits; a swap is one), or
 * NULL. */
const char *nearest_found(const struct nearest *search);

#endif
