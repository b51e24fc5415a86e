/* SPDX-License-Identifier: MIT */
/*
 * Facts in the store.
 */
#include <string.h>

#include "log/embedded/local/keys.h"
#include "log/embedded/local/local_store.h"

void local_put_fact(rocksdb_writebatch_t *batch, const char *group, const struct log_fact *fact)
{
    const char kind = KEY_FACT;
    const char *const keys[] = { &kind, group, fact->key };
    const size_t key_sizes[] = { 1, strlen(group) + 1, strlen(fact->key) };
    if (fact->value.size == LOG_ABSENT) {
        rocksdb_writebatch_deletev(batch, 3, keys, key_sizes);
        return;
    }
    const char *const values[] = { (const char *)fact->value.data };
    const size_t value_sizes[] = { (size_t)fact->value.size };
    rocksdb_writebatch_putv(batch, 3, keys, key_sizes, 1, values, value_sizes);
}

/* Kind, group, NUL, key; without a key the beginning of all of the group's. NULL: no memory. */
static char *fact_key(struct arena *arena, const char *group, const char *key, size_t *ret_size)
{
    size_t group_size = strlen(group) + 1;
    size_t key_size = strlen(key);
    char *whole = arena_alloc(arena, 1 + group_size + key_size);
    if (whole != NULL) {
        whole[0] = KEY_FACT;
        memcpy(whole + 1, group, group_size);
        memcpy(whole + 1 + group_size, key, key_size);
        *ret_size = 1 + group_size + key_size;
    }
    return whole;
}

struct group_list {
    const char **names;
    size_t count;
    size_t capacity;
};

struct scan;
typedef weir_status scan_function(rocksdb_iterator_t *cursor, struct scan *scan,
                                  struct error *error);

/* What is looked for by a cursor, and how: a key, or what keys begin with; and what was found. */
struct scan {
    scan_function *find;
    struct arena *arena;
    const char *key;
    size_t key_size;
    weir_slice value;
    struct log_fact *facts;
    size_t fact_count;
    struct group_list groups;
};

static weir_status run_scan(struct local_store *store, void *wanted, char **text,
                            struct error *error)
{
    struct scan *scan = wanted;
    rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->read_options);
    weir_status st = scan->find(cursor, scan, error);
    rocksdb_iter_get_error(cursor, text);
    rocksdb_iter_destroy(cursor);
    return st;
}

/*
 * By a cursor and not by a plain get: beside a busy writer a secondary may hold an older version of a
 * key in memory than in its files. A get takes the first that it meets, a cursor the newest.
 */
static weir_status find_fact(rocksdb_iterator_t *cursor, struct scan *scan, struct error *error)
{
    size_t size = 0;
    rocksdb_iter_seek(cursor, scan->key, scan->key_size);
    scan->value = (weir_slice){ NULL, LOG_ABSENT };
    if (!rocksdb_iter_valid(cursor)) {
        return WEIR_OK;
    }
    const char *found = rocksdb_iter_key(cursor, &size);
    if (size != scan->key_size || memcmp(found, scan->key, size) != 0) {
        return WEIR_OK;
    }
    const char *value = rocksdb_iter_value(cursor, &size);
    char *copy = arena_copy(scan->arena, value, size);
    if (copy == NULL) {
        return error_no_memory(error);
    }
    scan->value = (weir_slice){ (const uint8_t *)copy, size };
    return WEIR_OK;
}

weir_status local_fact_get(struct store *base, const char *group, const char *key,
                           struct arena *arena, weir_slice *ret_value, struct error *error)
{
    struct scan scan = { .find = find_fact, .arena = arena };
    scan.key = fact_key(arena, group, key, &scan.key_size);
    if (scan.key == NULL) {
        return error_no_memory(error);
    }
    weir_status st = local_read(base, run_scan, &scan, error);
    *ret_value = scan.value;
    return st;
}

static bool copy_fact(const rocksdb_iterator_t *cursor, size_t prefix_size, struct arena *arena,
                      struct log_fact *ret)
{
    size_t key_size = 0;
    size_t size = 0;
    const char *key = rocksdb_iter_key(cursor, &key_size);
    const char *value = rocksdb_iter_value(cursor, &size);
    ret->key = arena_copy(arena, key + prefix_size, key_size - prefix_size);
    ret->value = (weir_slice){ (const uint8_t *)arena_copy(arena, value, size), size };
    return ret->key != NULL && ret->value.data != NULL;
}

static weir_status find_facts(rocksdb_iterator_t *cursor, struct scan *scan, struct error *error)
{
    size_t count = 0;
    rocksdb_iter_seek(cursor, scan->key, scan->key_size);
    for (; local_is_at(cursor, scan->key, scan->key_size); rocksdb_iter_next(cursor)) {
        count++;
    }
    struct log_fact *facts = arena_alloc(scan->arena, (count + 1) * sizeof *facts);
    if (facts == NULL) {
        return error_no_memory(error);
    }
    rocksdb_iter_seek(cursor, scan->key, scan->key_size);
    for (size_t i = 0; i < count && rocksdb_iter_valid(cursor); i++) {
        if (!copy_fact(cursor, scan->key_size, scan->arena, &facts[i])) {
            return error_no_memory(error);
        }
        rocksdb_iter_next(cursor);
    }
    scan->facts = facts;
    scan->fact_count = count;
    return WEIR_OK;
}

weir_status local_facts(struct store *base, const char *group, struct arena *arena,
                        struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    struct scan scan = { .find = find_facts, .arena = arena };
    scan.key = fact_key(arena, group, "", &scan.key_size);
    if (scan.key == NULL) {
        return error_no_memory(error);
    }
    weir_status st = local_read(base, run_scan, &scan, error);
    *ret_facts = scan.facts;
    *ret_count = scan.fact_count;
    return st;
}

/* ---- groups --------------------------------------------------------------------------------------- */

/* Moves behind all facts of the group. False: no memory. */
static bool leave_group(rocksdb_iterator_t *cursor, struct arena *arena, const char *group)
{
    size_t size = 0;
    char *behind = fact_key(arena, group, "", &size);
    if (behind != NULL) {
        behind[size - 1] = 1; /* where its keys have the NUL */
        rocksdb_iter_seek(cursor, behind, size);
    }
    return behind != NULL;
}

static bool add_group(struct group_list *list, struct arena *arena, const char *group)
{
    if (list->count == list->capacity) {
        size_t grown = list->capacity == 0 ? 8 : list->capacity * 2;
        const char **names = arena_alloc(arena, grown * sizeof *names);
        if (names == NULL) {
            return false;
        }
        for (size_t i = 0; i < list->count; i++) {
            names[i] = list->names[i];
        }
        list->names = names;
        list->capacity = grown;
    }
    list->names[list->count++] = group;
    return true;
}

static weir_status find_groups(rocksdb_iterator_t *cursor, struct scan *scan, struct error *error)
{
    const char kind = KEY_FACT;
    scan->groups = (struct group_list){ .count = 0 };
    rocksdb_iter_seek(cursor, &kind, 1);
    while (local_is_at(cursor, &kind, 1)) {
        size_t size = 0;
        const char *key = rocksdb_iter_key(cursor, &size);
        const char *group = arena_copy(scan->arena, key + 1, strnlen(key + 1, size - 1));
        if (group == NULL || !add_group(&scan->groups, scan->arena, group) ||
            !leave_group(cursor, scan->arena, group)) {
            return error_no_memory(error);
        }
    }
    return WEIR_OK;
}

weir_status local_groups(struct store *base, struct arena *arena, const char ***ret_groups,
                         size_t *ret_count, struct error *error)
{
    struct scan scan = { .find = find_groups, .arena = arena };
    weir_status st = local_read(base, run_scan, &scan, error);
    *ret_groups = scan.groups.names;
    *ret_count = scan.groups.count;
    return st;
}
