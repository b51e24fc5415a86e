/* SPDX-License-Identifier: MIT */
/*
 * What messages say about values: kinds by the name that the language gives them, texts cut short.
 */
#ifndef SUPPORT_KIND_H
#define SUPPORT_KIND_H

#include <stdbool.h>

#include <weir/value.h>

/* "null" ... "timestamp"; a number counts as int or float by its form. */
const char *kind_name(const weir_value *v);

/* At most `limit`, so that the text's last code point is whole: for "%.*s". */
int kind_excerpt(const char *text, uint64_t len, uint32_t limit);

/* True for int, float and number: what a table sets to the right. */
bool kind_is_number(const weir_value *v);

#endif
