/* SPDX-License-Identifier: MIT */
/*
 * Blocks of memory that a plugin asks for, on regions that retire together. Each block ends with
 * marks that show who has written beyond it.
 */
#ifndef PLUGIN_DEBUG_LENT_MEMORY_H
#define PLUGIN_DEBUG_LENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/debug/region.h"

struct lent_memory {
    struct region *regions; /* the one in use first */
    size_t used;            /* of it */
    enum region_use use;
    const char *plugin;
    const char *label;
};

void lent_memory_init(struct lent_memory *memory, enum region_use use, const char *plugin,
                      const char *label);
/* Aligned to 16, filled with `fill`. NULL: no memory. */
void *lent_memory_alloc(struct lent_memory *memory, uint64_t size, int fill);
/* False: bytes behind a block of *ret_size bytes were written. */
bool lent_memory_is_whole(const struct lent_memory *memory, uint64_t *ret_size);
bool lent_memory_holds(const struct lent_memory *memory, const void *address);
void lent_memory_retire(struct lent_memory *memory);

#endif
