/* SPDX-License-Identifier: MIT */
/*
 * Hash map from byte strings to pointers: open addressing, keys copied into the map, insertion
 * order kept for iteration. No deletion. Not thread-safe; concurrent lookups of an unchanging map
 * are fine.
 */
#ifndef BASE_HASHMAP_H
#define BASE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashmap_entry {
    const char *key; /* NUL-terminated copy */
    size_t key_len;
    void *value;
    uint64_t hash;
};

struct hashmap {
    struct hashmap_entry *entries; /* in order of insertion */
    size_t count;
    size_t capacity;
    uint32_t *slots; /* index + 1; 0 = free */
    size_t slot_count;
};

void hashmap_init(struct hashmap *map);
void hashmap_deinit(struct hashmap *map); /* frees keys, not values */
/* NULL: not there (or there with a NULL value). */
void *hashmap_get(const struct hashmap *map, const char *key, size_t key_len);
struct hashmap_entry *hashmap_find(const struct hashmap *map, const char *key, size_t key_len);
/* Adds or replaces. False: no memory, nothing changed. */
bool hashmap_put(struct hashmap *map, const char *key, size_t key_len, void *value);
/* Hash of bytes; the same within a process. */
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed);

#endif
