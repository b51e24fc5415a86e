/* SPDX-License-Identifier: MIT */
/*
 * Symbols are positions in the map's order of insertion, counted from WEIR_SYMBOL_FIRST.
 */
#include "value/symbols.h"

#include <weir/value.h>

void symbols_init(struct symbols *symbols)
{
    hashmap_init(&symbols->names);
    symbols->is_sealed = false;
}

void symbols_deinit(struct symbols *symbols)
{
    hashmap_deinit(&symbols->names);
}

uint32_t symbols_lookup(const struct symbols *symbols, const char *name, uint32_t len)
{
    const struct hashmap_entry *known = hashmap_find(&symbols->names, name, len);
    if (known == NULL) {
        return WEIR_SYMBOL_NONE;
    }
    return WEIR_SYMBOL_FIRST + (uint32_t)(known - symbols->names.entries);
}

uint32_t symbols_intern(struct symbols *symbols, const char *name, uint32_t len)
{
    uint32_t symbol = symbols_lookup(symbols, name, len);
    if (symbol != WEIR_SYMBOL_NONE || symbols->is_sealed ||
        symbols->names.count >= UINT32_MAX - WEIR_SYMBOL_FIRST ||
        !hashmap_put(&symbols->names, name, len, NULL)) {
        return symbol;
    }
    return WEIR_SYMBOL_FIRST + (uint32_t)(symbols->names.count - 1);
}

void symbols_seal(struct symbols *symbols)
{
    symbols->is_sealed = true;
}
