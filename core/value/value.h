/* SPDX-License-Identifier: MIT */
/*
 * What everybody must do alike with values: compare, hash, read numbers, tell kinds. The layout is
 * that of weir/value.h; its rules (docs/expressions.md, kinds and operators) live here.
 */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include <stdbool.h>

#include <weir/value.h>

#include "base/arena.h"

/*
 * Levels of lists and maps that the walks below go down: more than any decoder lets in. Beyond it
 * values are unequal, have no order, are not copied, and their hash looks no deeper.
 */
enum { VALUE_DEPTH_LIMIT = 1024 };

/* The kinds of the language: `number` counts as int or float. Bits, so that sets can be made. */
enum value_kind {
    KIND_NULL = 1u << 0,
    KIND_BOOL = 1u << 1,
    KIND_INT = 1u << 2,
    KIND_FLOAT = 1u << 3,
    KIND_TEXT = 1u << 4,
    KIND_BYTES = 1u << 5,
    KIND_LIST = 1u << 6,
    KIND_MAP = 1u << 7,
    KIND_TIMESTAMP = 1u << 8,
    KIND_NUM = KIND_BOOL | KIND_INT | KIND_FLOAT,
    KIND_TIME = KIND_INT | KIND_TIMESTAMP,
    KIND_ANY = (1u << 9) - 1
};

uint32_t value_kind(const weir_value *v);         /* one bit; 0 for an unknown tag */
const char *value_kind_name(const weir_value *v); /* "null" ... "timestamp"; "unknown" */
bool value_is_truthy(const weir_value *v);

/*
 * Reads int, float, bool and number: ret->tag becomes WEIR_INT or WEIR_FLOAT, or stays WEIR_NUMBER
 * where int64 or float64 does not suffice. False: no number.
 */
bool value_number(const weir_value *v, weir_value *ret);

/* `a == b` of the language. Never fails. */
bool value_equal(const weir_value *a, const weir_value *b);
/* `a is b`: same kind and ==, members likewise. */
bool value_is_same(const weir_value *a, const weir_value *b);

enum value_order {
    ORDER_LESS = -1,
    ORDER_EQUAL = 0,
    ORDER_GREATER = 1,
    ORDER_UNORDERED = 2,
    ORDER_NONE = 3
};
/* `<`: UNORDERED with NaN; NONE where these kinds have no order (an error of the record). */
enum value_order value_compare(const weir_value *a, const weir_value *b);

/* Values that are == have equal hashes (1, 1.0 and true alike). Stable within a process. */
uint64_t value_hash(const weir_value *v);

/* A deep copy whose memory is the arena's alone. False: no memory, or nested too deep. */
bool value_copy(struct arena *arena, const weir_value *v, weir_value *ret);

/*
 * The form that values have in common which `is` finds the same, for keys: numbers and times with as few
 * digits as suffice, texts, lists and maps without the bytes that they were decoded from. Members of maps
 * keep their order. What needs no change is shared. False: no memory.
 */
bool value_canonical(struct arena *arena, const weir_value *v, const weir_value **ret);

#endif
