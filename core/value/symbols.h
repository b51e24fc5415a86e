/* SPDX-License-Identifier: MIT */
/*
 * Numbers for field names. Filled while a pipeline is built, then sealed: lookups need no lock.
 */
#ifndef VALUE_SYMBOLS_H
#define VALUE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashmap.h"

struct symbols {
    struct hashmap names;
    bool is_sealed;
};

void symbols_init(struct symbols *symbols);
void symbols_deinit(struct symbols *symbols);
/* WEIR_SYMBOL_NONE: no memory, or sealed and unknown. */
uint32_t symbols_intern(struct symbols *symbols, const char *name, uint32_t len);
uint32_t symbols_lookup(const struct symbols *symbols, const char *name, uint32_t len);
void symbols_seal(struct symbols *symbols);

#endif
