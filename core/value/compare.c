/* SPDX-License-Identifier: MIT */
/*
 * Equality, order and hashes of values (value.h).
 *
 * Numbers are compared by exact value: an int is never rounded to meet a float. Only ints beyond 64
 * bits, which are texts, meet floats through float64. A hash may depend only on what == looks at.
 */
#include <string.h>

#include "base/hashmap.h"
#include "value/number.h"
#include "value/value.h"

/* ---- numbers ----------------------------------------------------------------------------------- */

/* As value_number, but a float text beyond float64 counts as an infinity: NUMBER is then an int. */
static bool read_number(const weir_value *v, weir_value *ret)
{
    if (!value_number(v, ret)) {
        return false;
    }
    if (ret->tag == WEIR_NUMBER && !number_is_integer_text(ret->as.text, ret->len)) {
        *ret = weir_float(number_to_float(ret->as.text, ret->len));
    }
    return true;
}

static enum value_order order_of_ints(int64_t a, int64_t b)
{
    return a < b ? ORDER_LESS : a > b ? ORDER_GREATER : ORDER_EQUAL;
}

static enum value_order order_of_floats(double a, double b)
{
    if (a < b) {
        return ORDER_LESS;
    }
    if (a > b) {
        return ORDER_GREATER;
    }
    return a == b ? ORDER_EQUAL : ORDER_UNORDERED;
}

static enum value_order turned(enum value_order order)
{
    switch (order) {
    case ORDER_LESS:
        return ORDER_GREATER;
    case ORDER_GREATER:
        return ORDER_LESS;
    default:
        return order;
    }
}

static enum value_order order_of_int_and_float(int64_t i, double f)
{
    if (__builtin_isnan(f)) {
        return ORDER_UNORDERED;
    }
    if (f >= 0x1p63) {
        return ORDER_LESS;
    }
    if (f < -0x1p63) {
        return ORDER_GREATER;
    }
    int64_t whole = (int64_t)f;
    if (i != whole) {
        return order_of_ints(i, whole);
    }
    return order_of_floats(0, f - (double)whole);
}

/* Both are ints beyond 64 bits, as JSON writes them: no zeros in front. */
static enum value_order order_of_digits(const weir_value *a, const weir_value *b)
{
    bool is_negative = a->as.text[0] == '-';
    if (is_negative != (b->as.text[0] == '-')) {
        return is_negative ? ORDER_LESS : ORDER_GREATER;
    }
    int difference =
        a->len != b->len ? (a->len < b->len ? -1 : 1) : memcmp(a->as.text, b->as.text, a->len);
    if (difference == 0) {
        return ORDER_EQUAL;
    }
    return (difference < 0) != is_negative ? ORDER_LESS : ORDER_GREATER;
}

static enum value_order order_of_digits_and_other(const weir_value *digits, const weir_value *other)
{
    if (other->tag == WEIR_FLOAT) {
        return order_of_floats(number_to_float(digits->as.text, digits->len), other->as.f64);
    }
    return digits->as.text[0] == '-' ? ORDER_LESS : ORDER_GREATER;
}

static enum value_order order_of_numbers(const weir_value *a, const weir_value *b)
{
    if (a->tag == WEIR_NUMBER) {
        return b->tag == WEIR_NUMBER ? order_of_digits(a, b) : order_of_digits_and_other(a, b);
    }
    if (b->tag == WEIR_NUMBER) {
        return turned(order_of_digits_and_other(b, a));
    }
    if (a->tag == WEIR_INT) {
        return b->tag == WEIR_INT ? order_of_ints(a->as.i64, b->as.i64)
                                  : order_of_int_and_float(a->as.i64, b->as.f64);
    }
    return b->tag == WEIR_INT ? turned(order_of_int_and_float(b->as.i64, a->as.f64))
                              : order_of_floats(a->as.f64, b->as.f64);
}

/* ---- timestamps -------------------------------------------------------------------------------- */

struct instant {
    int64_t seconds;
    int64_t nanoseconds;
};

static struct instant instant_of(const weir_value *v)
{
    static const int64_t per_second[] = { 1,      10,      100,      1000,      10000,
                                          100000, 1000000, 10000000, 100000000, 1000000000 };
    int64_t unit = per_second[v->aux > 9 ? 9 : v->aux];
    int64_t seconds = v->as.i64 / unit;
    int64_t rest = v->as.i64 % unit;
    if (rest < 0) {
        seconds--;
        rest += unit;
    }
    return (struct instant){ seconds, rest * (1000000000 / unit) };
}

static enum value_order order_of_instants(const weir_value *a, const weir_value *b)
{
    struct instant left = instant_of(a);
    struct instant right = instant_of(b);
    enum value_order order = order_of_ints(left.seconds, right.seconds);
    return order != ORDER_EQUAL ? order : order_of_ints(left.nanoseconds, right.nanoseconds);
}

/* ---- equality ---------------------------------------------------------------------------------- */

/* is_strict: `is`, which also wants equal kinds */
static bool is_equal(bool is_strict, const weir_value *a, const weir_value *b, unsigned levels);

static bool same_key(const weir_member *a, const weir_member *b)
{
    return weir_same_bytes(a->key, a->key_len, b->key, b->key_len);
}

static bool has_equal_items(bool is_strict, const weir_value *a, const weir_value *b,
                            unsigned levels)
{
    for (uint32_t i = 0; i < a->len; i++) {
        if (!is_equal(is_strict, &a->as.items[i], &b->as.items[i], levels)) {
            return false;
        }
    }
    return true;
}

/* Looks from a position on and round: maps that are alike are found at once. */
static const weir_member *find_from(const weir_value *map, const weir_member *wanted, uint32_t *at)
{
    for (uint32_t tried = 0; tried < map->len; tried++) {
        const weir_member *member = &map->as.members[*at];
        *at = *at + 1 == map->len ? 0 : *at + 1;
        if (same_key(member, wanted)) {
            return member;
        }
    }
    return NULL;
}

/* False: no memory. */
static bool index_members(struct hashmap *index, const weir_value *map)
{
    for (uint32_t i = 0; i < map->len; i++) {
        const weir_member *member = &map->as.members[i];
        if (!hashmap_put(index, member->key, member->key_len, (void *)(uintptr_t)(i + 1u))) {
            return false;
        }
    }
    return true;
}

/* For large maps whose members stand in another order; without memory every key is looked for. */
static bool has_equal_members_by_index(bool is_strict, const weir_value *a, const weir_value *b,
                                       unsigned levels)
{
    struct hashmap index;
    hashmap_init(&index);
    bool has_index = index_members(&index, b);
    bool are_equal = true;
    uint32_t at = 0;
    for (uint32_t i = 0; are_equal && i < a->len; i++) {
        const weir_member *wanted = &a->as.members[i];
        const weir_member *member;
        if (has_index) {
            uintptr_t place = (uintptr_t)hashmap_get(&index, wanted->key, wanted->key_len);
            member = place == 0 ? NULL : &b->as.members[place - 1];
        } else {
            member = find_from(b, wanted, &at);
        }
        are_equal = member != NULL && is_equal(is_strict, &wanted->value, &member->value, levels);
    }
    hashmap_deinit(&index);
    return are_equal;
}

static bool has_equal_members(bool is_strict, const weir_value *a, const weir_value *b,
                              unsigned levels)
{
    enum { INDEXED_FROM = 256 };
    uint32_t at = 0;
    for (uint32_t i = 0; i < a->len; i++) {
        const weir_member *wanted = &a->as.members[i];
        if (a->len >= INDEXED_FROM && !same_key(wanted, &b->as.members[i])) {
            return has_equal_members_by_index(is_strict, a, b, levels);
        }
        const weir_member *member = find_from(b, wanted, &at);
        if (member == NULL || !is_equal(is_strict, &wanted->value, &member->value, levels)) {
            return false;
        }
    }
    return true;
}

static bool is_equal(bool is_strict, const weir_value *a, const weir_value *b, unsigned levels)
{
    weir_value left;
    weir_value right;
    if (read_number(a, &left)) {
        return read_number(b, &right) && (!is_strict || value_kind(a) == value_kind(b)) &&
               order_of_numbers(&left, &right) == ORDER_EQUAL;
    }
    if (a->tag != b->tag) {
        return false;
    }
    switch (a->tag) {
    case WEIR_NULL:
        return true;
    case WEIR_TEXT:
    case WEIR_BYTES:
        return a->len == b->len && (a->len == 0 || memcmp(a->as.text, b->as.text, a->len) == 0);
    case WEIR_TIMESTAMP:
        return order_of_instants(a, b) == ORDER_EQUAL;
    case WEIR_LIST:
        return a->len == b->len && levels > 0 && has_equal_items(is_strict, a, b, levels - 1);
    case WEIR_MAP:
        return a->len == b->len && levels > 0 && has_equal_members(is_strict, a, b, levels - 1);
    default:
        return a->aux == b->aux && a->len == b->len && a->as.bits == b->as.bits;
    }
}

bool value_equal(const weir_value *a, const weir_value *b)
{
    return is_equal(false, a, b, VALUE_DEPTH_LIMIT);
}

bool value_is_same(const weir_value *a, const weir_value *b)
{
    return is_equal(true, a, b, VALUE_DEPTH_LIMIT);
}

/* ---- order ------------------------------------------------------------------------------------- */

static enum value_order compare(const weir_value *a, const weir_value *b, unsigned levels);

static enum value_order order_of_texts(const weir_value *a, const weir_value *b)
{
    uint32_t shared = a->len < b->len ? a->len : b->len;
    int difference = shared == 0 ? 0 : memcmp(a->as.text, b->as.text, shared);
    if (difference != 0) {
        return difference < 0 ? ORDER_LESS : ORDER_GREATER;
    }
    return order_of_ints(a->len, b->len);
}

static enum value_order order_of_lists(const weir_value *a, const weir_value *b, unsigned levels)
{
    uint32_t shared = a->len < b->len ? a->len : b->len;
    for (uint32_t i = 0; i < shared; i++) {
        if (!is_equal(false, &a->as.items[i], &b->as.items[i], levels)) {
            return compare(&a->as.items[i], &b->as.items[i], levels);
        }
    }
    return order_of_ints(a->len, b->len);
}

static enum value_order compare(const weir_value *a, const weir_value *b, unsigned levels)
{
    weir_value left;
    weir_value right;
    if (read_number(a, &left)) {
        return read_number(b, &right) ? order_of_numbers(&left, &right) : ORDER_NONE;
    }
    if (a->tag != b->tag) {
        return ORDER_NONE;
    }
    switch (a->tag) {
    case WEIR_TEXT:
    case WEIR_BYTES:
        return order_of_texts(a, b);
    case WEIR_TIMESTAMP:
        return order_of_instants(a, b);
    case WEIR_LIST:
        return levels > 0 ? order_of_lists(a, b, levels - 1) : ORDER_NONE;
    default:
        return ORDER_NONE;
    }
}

enum value_order value_compare(const weir_value *a, const weir_value *b)
{
    return compare(a, b, VALUE_DEPTH_LIMIT);
}

/* ---- hashes ------------------------------------------------------------------------------------ */

/* Seeds that keep kinds apart which never are ==. */
enum {
    SEED_NULL = 1,
    SEED_WHOLE,
    SEED_FLOAT,
    SEED_TEXT,
    SEED_BYTES,
    SEED_LIST,
    SEED_MAP,
    SEED_TIMESTAMP,
    SEED_OTHER
};

static uint64_t hash_float(double f)
{
    f = f == 0 ? 0.0 : f; /* -0.0 == 0.0 */
    return hash_bytes(&f, sizeof f, SEED_FLOAT);
}

/* Ints that float64 holds hash as it does, since they may be == to it. */
static uint64_t hash_int(int64_t i)
{
    double f = (double)i;
    if (f < 0x1p63 && (int64_t)f == i) {
        return hash_float(f);
    }
    return hash_bytes(&i, sizeof i, SEED_WHOLE);
}

static uint64_t hash_number(const weir_value *number)
{
    switch (number->tag) {
    case WEIR_INT:
        return hash_int(number->as.i64);
    case WEIR_FLOAT:
        return hash_float(number->as.f64);
    default:
        return hash_float(number_to_float(number->as.text, number->len));
    }
}

static uint64_t hash_pair(uint64_t a, uint64_t b, uint64_t seed)
{
    uint64_t both[2] = { a, b };
    return hash_bytes(both, sizeof both, seed);
}

static uint64_t hash(const weir_value *v, unsigned levels);

static uint64_t hash_list(const weir_value *v, unsigned levels)
{
    uint64_t state = v->len;
    for (uint32_t i = 0; levels > 0 && i < v->len; i++) {
        state = hash_pair(state, hash(&v->as.items[i], levels - 1), SEED_LIST);
    }
    return hash_pair(state, v->len, SEED_LIST);
}

/* A sum, since the order of members does not count. */
static uint64_t hash_map(const weir_value *v, unsigned levels)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; levels > 0 && i < v->len; i++) {
        const weir_member *member = &v->as.members[i];
        uint64_t key = hash_bytes(member->key, member->key_len, SEED_MAP);
        sum += hash_pair(key, hash(&member->value, levels - 1), SEED_MAP);
    }
    return hash_pair(sum, v->len, SEED_MAP);
}

static uint64_t hash(const weir_value *v, unsigned levels)
{
    weir_value number;
    if (value_number(v, &number)) {
        return hash_number(&number);
    }
    switch (v->tag) {
    case WEIR_NULL:
        return hash_pair(0, 0, SEED_NULL);
    case WEIR_TEXT:
        return hash_bytes(v->as.text, v->len, SEED_TEXT);
    case WEIR_BYTES:
        return hash_bytes(v->as.text, v->len, SEED_BYTES);
    case WEIR_TIMESTAMP: {
        struct instant instant = instant_of(v);
        return hash_pair((uint64_t)instant.seconds, (uint64_t)instant.nanoseconds, SEED_TIMESTAMP);
    }
    case WEIR_LIST:
        return hash_list(v, levels);
    case WEIR_MAP:
        return hash_map(v, levels);
    default:
        return hash_pair(v->tag, v->as.bits, SEED_OTHER);
    }
}

uint64_t value_hash(const weir_value *v)
{
    return hash(v, VALUE_DEPTH_LIMIT);
}
