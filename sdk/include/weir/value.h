/* SPDX-License-Identifier: MIT */
/*
 * Values, layout version 1: small, frozen, immutable structs that everybody may read directly.
 *
 * Whatever a batch reaches is shared by all branches and must never be written to. A changed field
 * is a new member array that shares everything else. Memory comes from the batch (weir_alloc in
 * host.h) and lives until the batch retires.
 *
 * Rules that readers and builders keep:
 *   - An unknown tag is passed through untouched.
 *   - Flags 0 and symbol 0 are always right. Whoever builds or changes a value clears its flags:
 *     a set flag promises something about these very bytes.
 *   - Text is valid UTF-8, without a NUL at its end.
 *   - Maps keep insertion order and hold each key once.
 *   - Lists and maps are nested at most 1024 levels.
 *   - A pointer is NULL only where its length is 0; aux is 0 where nothing is said of it.
 */
#ifndef WEIR_VALUE_H
#define WEIR_VALUE_H

#include "abi.h"

WEIR_BEGIN_C

enum {
    WEIR_NULL = 0,      /* as.bits is 0 */
    WEIR_BOOL = 1,      /* as.i64: 0 or 1 */
    WEIR_INT = 2,       /* as.i64 */
    WEIR_FLOAT = 3,     /* as.f64 */
    WEIR_TEXT = 4,      /* as.text, len bytes */
    WEIR_BYTES = 5,     /* as.text, len bytes */
    WEIR_LIST = 6,      /* as.items, len values */
    WEIR_MAP = 7,       /* as.members, len members */
    WEIR_TIMESTAMP = 8, /* as.i64 since 1970 UTC; aux = decimal digits of the second: 0, 3, 6, 9 */
    WEIR_NUMBER = 9,    /* as.text, len bytes: a JSON number, kept as it was written */

    /* Never inside a batch; only in columns of results. */
    WEIR_TAG_MISSING = 254, /* the path does not exist in this record */
    WEIR_TAG_ERROR = 255    /* this lane failed; as.bits is the host's handle of the error */
};

enum {
    /* text: holds no byte that JSON would have to escape (below 0x20, '"', '\') */
    WEIR_VALUE_PLAIN = 1u,
    /* text, list, map: a weir_slice directly before as.text, as.items, as.members holds the JSON
     * text that this value was decoded from, so that an encoder may copy it byte for byte */
    WEIR_VALUE_SOURCE = 2u
};

/* Symbols of member keys. */
enum {
    WEIR_SYMBOL_NONE = 0,  /* unknown: compare the bytes */
    WEIR_SYMBOL_PLAIN = 1, /* no interned name, and a key that JSON need not escape */
    WEIR_SYMBOL_FIRST = 2  /* interned names begin here */
};

typedef struct weir_value {
    uint8_t tag;
    uint8_t flags;
    uint16_t aux;
    uint32_t len;
    union {
        int64_t i64;
        double f64;
        uint64_t bits;
        const char *text;
        const struct weir_value *items;
        const struct weir_member *members;
    } as;
} weir_value;

typedef struct weir_member {
    uint32_t symbol;
    uint32_t key_len;
    const char *key;
    weir_value value;
} weir_member;

static inline weir_value weir_null(void)
{
    weir_value v = { WEIR_NULL, 0, 0, 0, { 0 } };
    return v;
}

static inline weir_value weir_bool(int truth)
{
    weir_value v = { WEIR_BOOL, 0, 0, 0, { truth != 0 } };
    return v;
}

static inline weir_value weir_int(int64_t i)
{
    weir_value v = { WEIR_INT, 0, 0, 0, { i } };
    return v;
}

static inline weir_value weir_float(double f)
{
    weir_value v = { WEIR_FLOAT, 0, 0, 0, { 0 } };
    v.as.f64 = f;
    return v;
}

/* text  borrowed; must live as long as the value; valid UTF-8 */
static inline weir_value weir_text_value(const char *text, uint32_t len)
{
    weir_value v = { WEIR_TEXT, 0, 0, 0, { 0 } };
    v.len = len;
    v.as.text = text;
    return v;
}

static inline weir_value weir_bytes_value(const void *bytes, uint32_t len)
{
    weir_value v = { WEIR_BYTES, 0, 0, 0, { 0 } };
    v.len = len;
    v.as.text = (const char *)bytes;
    return v;
}

static inline weir_value weir_list_value(const weir_value *items, uint32_t len)
{
    weir_value v = { WEIR_LIST, 0, 0, 0, { 0 } };
    v.len = len;
    v.as.items = items;
    return v;
}

static inline weir_value weir_map_value(const weir_member *members, uint32_t len)
{
    weir_value v = { WEIR_MAP, 0, 0, 0, { 0 } };
    v.len = len;
    v.as.members = members;
    return v;
}

/* The JSON text a container or text was decoded from; only where WEIR_VALUE_SOURCE is set. */
static inline weir_slice weir_value_source(const weir_value *v)
{
    weir_slice slice;
    __builtin_memcpy(&slice, (const char *)v->as.text - sizeof slice, sizeof slice);
    return slice;
}

static inline int weir_same_bytes(const char *a, uint32_t a_len, const char *b, uint32_t b_len)
{
    return a_len == b_len && __builtin_memcmp(a, b, a_len) == 0;
}

/* True where `m` is the member of this name. symbol: an interned one, never NONE or PLAIN. */
static inline int weir_member_is(const weir_member *m, uint32_t symbol, const char *key,
                                 uint32_t key_len)
{
    if (m->symbol != WEIR_SYMBOL_NONE) {
        return m->symbol == symbol;
    }
    return weir_same_bytes(m->key, m->key_len, key, key_len);
}

/*
 * The member of a map by interned name, or NULL. `slot` remembers where it was found last time:
 * keep one per name and call site, 0 at first. Cost: one comparison while maps look alike.
 */
static inline const weir_member *weir_map_find(const weir_value *map, uint32_t symbol,
                                               const char *key, uint32_t key_len, uint32_t *slot)
{
    const weir_member *members = map->as.members;
    uint32_t hint = *slot;
    if (hint < map->len && weir_member_is(&members[hint], symbol, key, key_len)) {
        return &members[hint];
    }
    for (uint32_t i = 0; i < map->len; i++) {
        if (weir_member_is(&members[i], symbol, key, key_len)) {
            *slot = i;
            return &members[i];
        }
    }
    return NULL;
}

WEIR_END_C

#endif
