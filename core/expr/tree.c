/* SPDX-License-Identifier: MIT */
/*
 * Nodes of the tree, and the names of what they can be.
 */
#include "expr/tree.h"

#include <string.h>

enum { FIRST_CAPACITY = 4 };

struct tree *tree_create(struct arena *arena, enum tree_kind kind, uint32_t from, uint32_t to)
{
    struct tree *tree = arena_zeroed(arena, sizeof *tree);
    if (tree != NULL) {
        tree->kind = kind;
        tree->from = from;
        tree->to = to;
    }
    return tree;
}

void *tree_grow(struct arena *arena, void *array, uint32_t count, size_t element_size)
{
    bool is_power = (count & (count - 1)) == 0;
    if (count != 0 && (count < FIRST_CAPACITY || !is_power)) {
        return array;
    }
    size_t capacity = count == 0 ? FIRST_CAPACITY : (size_t)count * 2;
    void *grown = arena_alloc(arena, capacity * element_size);
    if (grown != NULL && count > 0) {
        memcpy(grown, array, count * element_size);
    }
    return grown;
}

const char *operator_text(enum operation op)
{
    static const char *const texts[] = { "+", "-",  "*",   "/",      "//", "%",     "**",
                                         "-", "+",  "not", "==",     "!=", "<",     "<=",
                                         ">", ">=", "in",  "not in", "is", "is not" };
    return texts[op];
}

const char *record_name_text(enum record_name name)
{
    static const char *const texts[] = { "$value",   "$key",   "$timestamp",
                                         "$headers", "$topic", "$partition",
                                         "$offset",  "$it",    "$index" };
    return texts[name];
}

static const char *const forms[] = { "", "has", "env", "try", "map", "filter", "any", "all" };

enum form form_by_name(const char *name, size_t len)
{
    for (int i = FORM_HAS; i <= FORM_ALL; i++) {
        if (strlen(forms[i]) == len && memcmp(forms[i], name, len) == 0) {
            return (enum form)i;
        }
    }
    return FORM_NONE;
}

const char *form_name(enum form form)
{
    return forms[form];
}
