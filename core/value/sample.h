/* SPDX-License-Identifier: MIT */
/* Short ways to write values in the unit tests of this folder. */
#ifndef VALUE_SAMPLE_H
#define VALUE_SAMPLE_H

#include <string.h>

#include <weir/value.h>

#define LIST(...)                                                                                  \
 weir_list_value((weir_value[]){ __VA_ARGS__ },                                                    \
                 sizeof((weir_value[]){ __VA_ARGS__ }) / sizeof(weir_value))
#define MAP(...)                                                                                   \
 weir_map_value((weir_member[]){ __VA_ARGS__ },                                                    \
                sizeof((weir_member[]){ __VA_ARGS__ }) / sizeof(weir_member))

static inline weir_value sample_text(const char *text)
{
    return weir_text_value(text, (uint32_t)strlen(text));
}

static inline weir_value sample_bytes(const char *text)
{
    return weir_bytes_value(text, (uint32_t)strlen(text));
}

static inline weir_value sample_number(const char *text)
{
    weir_value v = sample_text(text);
    v.tag = WEIR_NUMBER;
    return v;
}

static inline weir_value sample_time(int64_t since, uint16_t digits)
{
    weir_value v = { WEIR_TIMESTAMP, 0, digits, 0, { since } };
    return v;
}

static inline weir_member sample_member(const char *key, weir_value value)
{
    weir_member member = { WEIR_SYMBOL_NONE, (uint32_t)strlen(key), key, value };
    return member;
}

/* `levels` lists around a value; items: room for as many. */
static inline weir_value sample_nest(weir_value inner, unsigned levels, weir_value *items)
{
    for (unsigned i = 0; i < levels; i++) {
        items[i] = inner;
        inner = weir_list_value(&items[i], 1);
    }
    return inner;
}

#endif
