/* SPDX-License-Identifier: MIT */
/*
 * Slots of a power of two, linear probing, at most three quarters full. Slots hold indexes, so that
 * entries stay in order of insertion and only the slots move when the map grows.
 */
#include "base/hashmap.h"

#include <string.h>

#include "base/memory.h"

/* Odd constants without structure, as multipliers and salts of the hash. */
#define SALT_A UINT64_C(0x2d358dccaa6c78a5)
#define SALT_B UINT64_C(0x8bb84b93962eacc9)
#define SALT_C UINT64_C(0x4b33a62ed433d4a3)

static inline uint64_t read_u64(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint64_t read_u32(const uint8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* Both halves of the 128-bit product, folded. */
static inline uint64_t fold_product(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed)
{
    const uint8_t *from = bytes;
    uint64_t state = seed ^ fold_product(seed ^ SALT_A, SALT_B);
    uint64_t a = 0;
    uint64_t b = 0;
    size_t left = size;
    for (; left > 16; left -= 16, from += 16) {
        state = fold_product(read_u64(from) ^ SALT_B, read_u64(from + 8) ^ state);
    }
    /* The last 1 to 16 bytes, by words that may overlap. */
    if (left >= 8) {
        a = read_u64(from);
        b = read_u64(from + left - 8);
    } else if (left >= 4) {
        a = read_u32(from);
        b = read_u32(from + left - 4);
    } else if (left > 0) {
        a = ((uint64_t)from[0] << 16) | ((uint64_t)from[left / 2] << 8) | from[left - 1];
    }
    return fold_product(SALT_C ^ size, fold_product(a ^ SALT_C, b ^ state));
}

void hashmap_init(struct hashmap *map)
{
    *map = (struct hashmap){ 0 };
}

void hashmap_deinit(struct hashmap *map)
{
    for (size_t i = 0; i < map->count; i++) {
        memory_free((void *)(uintptr_t)map->entries[i].key);
    }
    memory_free(map->entries);
    memory_free(map->slots);
    hashmap_init(map);
}

static struct hashmap_entry *find_hashed(const struct hashmap *map, const char *key, size_t key_len,
                                         uint64_t hash)
{
    if (map->slot_count == 0) {
        return NULL;
    }
    size_t mask = map->slot_count - 1;
    for (size_t at = (size_t)hash & mask; map->slots[at] != 0; at = (at + 1) & mask) {
        struct hashmap_entry *entry = &map->entries[map->slots[at] - 1];
        if (entry->hash == hash && entry->key_len == key_len &&
            (key_len == 0 || memcmp(entry->key, key, key_len) == 0)) {
            return entry;
        }
    }
    return NULL;
}

struct hashmap_entry *hashmap_find(const struct hashmap *map, const char *key, size_t key_len)
{
    return find_hashed(map, key, key_len, hash_bytes(key, key_len, 0));
}

void *hashmap_get(const struct hashmap *map, const char *key, size_t key_len)
{
    const struct hashmap_entry *entry = hashmap_find(map, key, key_len);
    return entry == NULL ? NULL : entry->value;
}

static void occupy(uint32_t *slots, size_t slot_count, uint64_t hash, size_t index)
{
    size_t at = (size_t)hash & (slot_count - 1);
    while (slots[at] != 0) {
        at = (at + 1) & (slot_count - 1);
    }
    slots[at] = (uint32_t)(index + 1);
}

static bool grow_slots(struct hashmap *map)
{
    size_t slot_count = map->slot_count == 0 ? 16 : map->slot_count * 2;
    uint32_t *slots = memory_zeroed(slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->count; i++) {
        occupy(slots, slot_count, map->entries[i].hash, i);
    }
    memory_free(map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    return true;
}

static bool grow_entries(struct hashmap *map)
{
    size_t capacity = map->capacity == 0 ? 12 : map->capacity * 2;
    if (capacity > SIZE_MAX / sizeof *map->entries) {
        return false;
    }
    struct hashmap_entry *entries = memory_resize(map->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    map->entries = entries;
    map->capacity = capacity;
    return true;
}

static bool has_room(struct hashmap *map)
{
    if (map->count >= UINT32_MAX - 1) {
        return false;
    }
    if (map->count == map->capacity && !grow_entries(map)) {
        return false;
    }
    return map->count + 1 <= map->slot_count / 4 * 3 || grow_slots(map);
}

bool hashmap_put(struct hashmap *map, const char *key, size_t key_len, void *value)
{
    uint64_t hash = hash_bytes(key, key_len, 0);
    struct hashmap_entry *known = find_hashed(map, key, key_len, hash);
    if (known != NULL) {
        known->value = value;
        return true;
    }
    char *copy = has_room(map) && key_len < SIZE_MAX ? memory_alloc(key_len + 1) : NULL;
    if (copy == NULL) {
        return false;
    }
    if (key_len > 0) {
        memcpy(copy, key, key_len);
    }
    copy[key_len] = '\0';
    map->entries[map->count] = (struct hashmap_entry){ copy, key_len, value, hash };
    occupy(map->slots, map->slot_count, hash, map->count);
    map->count++;
    return true;
}
