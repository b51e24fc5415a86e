/* SPDX-License-Identifier: MIT */
/*
 * Memory that is lent to a plugin for a time: pages of their own in one window of addresses.
 *
 *     open (read and write) -> sealed (read) -> retired (nothing)
 *
 * A retired region's addresses are not used again until the window has come round, so whoever kept a
 * pointer is caught by the processor, and the trap can tell what it was. Behind every region lies a
 * page that nobody may touch.
 */
#ifndef PLUGIN_DEBUG_REGION_H
#define PLUGIN_DEBUG_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a region holds, which decides the rule that a bad access breaks. */
enum region_use {
    REGION_INPUT,    /* records, values, payloads of one call */
    REGION_CONTEXT,  /* the context of one call */
    REGION_BATCH,    /* what weir_alloc gave during one call */
    REGION_INSTANCE, /* what weir.memory/1 gave */
    REGION_CONFIG,
    REGION_HOST
};

struct region {
    uint8_t *base;
    size_t size;
    struct region *next; /* for its holder */
    struct region *next_live;
    enum region_use use;
};

/*
 * What is remembered of a region, also after it has retired. A handler of signals reads it while others
 * write theirs, without a lock.
 */
struct region_trace {
    const uint8_t *_Atomic base;
    atomic_size_t size; /* 0 while the others change */
    _Atomic enum region_use use;
    atomic_bool is_retired;
    char plugin[96];
    char label[160];
};

/* Reserves the window. False: the system has no room for it. */
bool region_start(void);
/* At least `size` bytes, zeroed. plugin, label: of the borrower, copied. NULL: no memory. */
struct region *region_open(enum region_use use, size_t size, const char *plugin, const char *label);
void region_seal(struct region *region);
/* NULL is allowed. The handle is freed. */
void region_retire(struct region *region);

/* True where the address lies in the window. */
bool region_is_ours(const void *address);
/* The newest region that holds the address, or NULL. Takes no lock: safe in a handler of signals. */
const struct region_trace *region_find(const void *address);

static inline bool region_holds(const struct region *region, const void *address)
{
    return region != NULL && (const uint8_t *)address >= region->base &&
           (const uint8_t *)address < region->base + region->size;
}

#endif
