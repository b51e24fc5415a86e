/* SPDX-License-Identifier: MIT */
/*
 * What is known of values before any record is there: their kinds, and what lists and maps hold.
 * Types are immutable and shared. Nothing here fails: what cannot be known, be it for want of memory
 * or of budget, is any, and any fits everywhere.
 */
#ifndef EXPR_TYPE_H
#define EXPR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/types.h>

#include "base/arena.h"
#include "base/nearest.h"

/* Deeper types are any: so recursion over types is bounded. */
enum { TYPE_MAX_DEPTH = 200 };

/* name: NUL-terminated, lives as long as the type */
struct type_member {
    const char *name;
    uint32_t len;
    const weir_type *type;
};

/*
 * kinds        set of enum value_kind
 * is_optional  may be missing, too
 * is_open      map: members that are not listed may be read, of any type
 * is_promise   map that is not open: members that are not listed may be there all the same
 * depth        of nesting; 0: nothing inside is known
 * items        list: of every item; NULL: any
 * members      map
 * origin       who says so, to be put behind "'delay' is text": " in topic 'flights'"; NULL: computed
 * closed_by    map that is not open: to be put behind "field 'x' " where it has no such member:
 *              "is not declared in topic 'flights'"
 */
struct weir_type {
    uint32_t kinds;
    bool is_optional;
    bool is_open;
    bool is_promise;
    uint32_t depth;
    uint32_t member_count;
    const weir_type *items;
    const struct type_member *members;
    const char *origin;
    const char *closed_by;
};

/*
 * Where types are made. budget: members that may still be written or compared; at 0 all is any;
 * is_promise: maps that are made here tell of data that may hold more.
 */
struct type_room {
    struct arena *arena;
    uint32_t budget;
    bool is_promise;
};
enum { TYPE_BUDGET = 2000000 };

extern const weir_type type_any;

const weir_type *type_of_kinds(struct type_room *room, uint32_t kinds);
const weir_type *type_list(struct type_room *room, const weir_type *items);
/* A closed map. The members are copied, their names are not; of equal ones the last stands. */
const weir_type *type_map(struct type_room *room, const struct type_member *members, uint32_t count,
                          const char *origin, const char *closed_by);
/* The same with another origin. */
const weir_type *type_from(struct type_room *room, const weir_type *type, const char *origin);
/* `T?` */
const weir_type *type_optional(struct type_room *room, const weir_type *type);
/* Without "may be missing", and without null where that is said too. */
const weir_type *type_present(struct type_room *room, const weir_type *type, bool is_null_gone);

/* NULL: not listed. */
const weir_type *type_member(const weir_type *type, const char *name, uint32_t len);
/* Of every item of a list. */
const weir_type *type_items(struct type_room *room, const weir_type *list);
void type_offer(const weir_type *map, struct nearest *search);

/* One of the two. */
const weir_type *type_join(struct type_room *room, const weir_type *a, const weir_type *b);
/* `value` after `target` in it was written. */
const weir_type *type_with(struct type_room *room, const weir_type *value,
                           const weir_target *target, const weir_type *type);

/* A path of members in a value. */
struct type_path {
    const char *const *names;
    const uint32_t *lens;
    uint32_t count;
};
/* `value` where the path is there; is_null_gone: and is not null. */
const weir_type *type_narrow(struct type_room *room, const weir_type *value,
                             const struct type_path *path, bool is_null_gone);

/* Names of the simple types, by their number; NULL behind the last. */
const char *type_name(uint32_t number);

/*
 * A type from its text: `int`, `text?`, `[T]`, `{name: T}`. NULL where it is none: fault says why, at
 * bytes [from, to).
 */
struct type_fault {
    char message[320];
    size_t from;
    size_t to;
};
const weir_type *type_parse(struct type_room *room, const char *text, size_t len,
                            const char *origin, const char *closed_by, struct type_fault *fault);

#endif
