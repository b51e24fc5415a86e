/* SPDX-License-Identifier: MIT */
/*
 * Texts of numbers. A number becomes an int64 or a float64 only where its form shows that an
 * encoder would print the same bytes again; otherwise the text itself is the value (WEIR_NUMBER).
 */
#ifndef SUPPORT_JSON_NUMBER_H
#define SUPPORT_JSON_NUMBER_H

#include <weir/value.h>

/* text: already known to be a JSON number. It is borrowed by the value where it stays text. */
weir_value json_number_read(const char *text, uint32_t len);

/* A number that stays the text it was written as. */
static inline weir_value json_number_text(const char *text, uint32_t len)
{
    weir_value v = { WEIR_NUMBER, 0, 0, len, { 0 } };
    v.as.text = text;
    return v;
}

#endif
