/* SPDX-License-Identifier: MIT */
#include "log/embedded/key_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 1 << 12 };

/* offset + 1; 0: free */
struct key_slot {
    XXH128_hash_t hash;
    int64_t place;
};

void key_table_deinit(struct key_table *table)
{
    memory_unmap(table->slots, table->slot_count * sizeof *table->slots);
    *table = (struct key_table){ .slots = NULL };
}

static struct key_slot *find_slot(const struct key_table *table, XXH128_hash_t hash)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)hash.low64 & mask;
    while (table->slots[at].place != 0 && !XXH128_isEqual(table->slots[at].hash, hash)) {
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

static bool grow(struct key_table *table, size_t slot_count)
{
    struct key_table grown = { .slots = memory_map(slot_count * sizeof *grown.slots),
                               .slot_count = slot_count,
                               .count = table->count };
    if (grown.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].place != 0) {
            *find_slot(&grown, table->slots[i].hash) = table->slots[i];
        }
    }
    key_table_deinit(table);
    *table = grown;
    return true;
}

/* At most three of four slots are taken. */
bool key_table_reserve(struct key_table *table, size_t more)
{
    size_t wanted = table->count + more;
    size_t slots = table->slot_count == 0 ? FIRST_SLOTS : table->slot_count;
    if (wanted > KEY_TABLE_LIMIT) {
        return false;
    }
    while (wanted > slots / 4 * 3) {
        slots *= 2;
    }
    return slots == table->slot_count || grow(table, slots);
}

void key_table_put(struct key_table *table, weir_slice key, int64_t offset)
{
    XXH128_hash_t hash = XXH3_128bits(key.data, (size_t)key.size);
    struct key_slot *slot = find_slot(table, hash);
    table->count += slot->place == 0;
    *slot = (struct key_slot){ hash, offset + 1 };
}

int64_t key_table_get(const struct key_table *table, weir_slice key)
{
    if (table->count == 0) {
        return -1;
    }
    return find_slot(table, XXH3_128bits(key.data, (size_t)key.size))->place - 1;
}
