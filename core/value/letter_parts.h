/* SPDX-License-Identifier: MIT */
/*
 * What making, reducing and reading letters share: maps of few members with names of our own.
 */
#ifndef VALUE_LETTER_PARTS_H
#define VALUE_LETTER_PARTS_H

#include <string.h>

#include "base/arena.h"
#include "value/letter.h"

enum { LETTER_MEMBERS = 8 }; /* the most that one of its maps has */

/* Out of memory is noted and told once, at the end. */
struct maker {
    struct arena *arena;
    bool has_memory;
};

/* A map under construction. */
struct draft {
    weir_member members[LETTER_MEMBERS];
    uint32_t count;
};

static inline void draft_put(struct draft *draft, const char *name, weir_value value)
{
    draft->members[draft->count++] =
        (weir_member){ WEIR_SYMBOL_NONE, (uint32_t)strlen(name), name, value };
}

/* Memory, or NULL. */
void *maker_take(struct maker *m, size_t size);
/* The map that was drafted. */
weir_value maker_finish(struct maker *m, const struct draft *draft);

/* The member of this name; NULL: there is none, or `map` is none. */
const weir_value *letter_find(const weir_value *map, const char *name);
/* The base64 text of {"$bytes": ...}; NULL: it is something else. */
const weir_value *letter_base64(const weir_value *v);

#endif
