/* SPDX-License-Identifier: MIT */
/*
 * The newest offset of each key, for one pass of compaction. Keys are known by 128 bits of their hash,
 * so that two of them are not taken for one. Grows up to a limit, in mapped memory.
 */
#ifndef LOG_KEY_TABLE_H
#define LOG_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/abi.h>

enum { KEY_TABLE_LIMIT = 3 << 18 }; /* keys; 24 MiB */

struct key_slot;

struct key_table {
    struct key_slot *slots;
    size_t slot_count;
    size_t count;
};

/* Zeroed: empty. */
void key_table_deinit(struct key_table *table);
/* Room for so many keys more. False: no memory, or beyond the limit. */
bool key_table_reserve(struct key_table *table, size_t more);
/* There is room. A later call for a key replaces the offset. */
void key_table_put(struct key_table *table, weir_slice key, int64_t offset);
/* -1: the key was not put. */
int64_t key_table_get(const struct key_table *table, weir_slice key);

#endif
