/* SPDX-License-Identifier: MIT */
/*
 * What texts, keys and sources must be; no more than answers to questions.
 */
#ifndef PLUGIN_DEBUG_JUDGE_TEXT_H
#define PLUGIN_DEBUG_JUDGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/value.h>

bool text_is_utf8(const char *text, size_t len);
/* No byte that JSON would have to escape. */
bool text_is_plain(const char *text, size_t len);
/* A number as JSON writes it. */
bool text_is_number(const char *text, size_t len);
/* The map holds a key twice: *ret_index is where it stands for the second time. */
bool text_has_key_twice(const weir_value *map, uint32_t *ret_index);
/* The JSON text before a value with WEIR_VALUE_SOURCE reads as that value. */
bool text_is_source_of(const weir_value *v);

#endif
