/* SPDX-License-Identifier: MIT */
/*
 * Messages and facts in the store: one batch per commit, chunks by the offset that they hold.
 */
#include <string.h>

#include "log/local/keys.h"
#include "log/local/local_store.h"

/* ---- committing ---------------------------------------------------------------------------------- */

static void put_part(rocksdb_writebatch_t *batch, const struct commit *commit,
                     const struct commit_part *part)
{
    for (size_t i = 0; i < part->chunk_count; i++) {
        const struct chunk *chunk = commit->chunks[part->first_chunk + i];
        char key[CHUNK_KEY_SIZE];
        key_chunk(key, part->topic->id, part->partition, chunk->base);
        rocksdb_writebatch_put(batch, key, sizeof key, (const char *)chunk->image,
                               (size_t)chunk->size);
    }
    char key[PART_KEY_SIZE];
    char value[PART_VALUE_SIZE];
    key_part(key, KEY_PART, part->topic->id, part->partition);
    part_encode(value, &part->state);
    rocksdb_writebatch_put(batch, key, sizeof key, value, sizeof value);
}

static void put_fact(rocksdb_writebatch_t *batch, const char *group, const struct log_fact *fact)
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

weir_status local_commit(struct store *base, const struct commit *commit, const char *group,
                         const struct log_fact *facts, size_t count, struct error *error)
{
    struct local_store *store = local_of(base);
    for (size_t i = 0; i < commit->part_count; i++) {
        put_part(store->batch, commit, &commit->parts[i]);
    }
    for (size_t i = 0; i < count; i++) {
        put_fact(store->batch, group, &facts[i]);
    }
    weir_status st = local_write(store, error);
    /* Writing succeeds in files that nobody can find any more. */
    return st != WEIR_OK ? st : owner_check(&store->owner, store->name, error);
}

/* ---- reading chunks ------------------------------------------------------------------------------ */

static weir_status report_chunk(const struct topic *topic, uint32_t partition, int64_t base,
                                const char *fault, struct error *error)
{
    weir_status st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                               "the log is damaged: topic '%s' partition %u offset %lld: "
                               "the chunk that begins there cannot be read, %s",
                               topic->face.name, partition, (long long)base, fault);
    error_hint(error, "keep a copy of the folder; reading can go on behind this chunk");
    return st;
}

static weir_status load_image(const uint8_t *image, size_t size, const struct topic *topic,
                              uint32_t partition, int64_t base, struct chunk_pool *pool,
                              struct chunk **ret_chunk, struct error *error)
{
    const char *fault = chunk_fault(image, size, base);
    if (fault != NULL) {
        return report_chunk(topic, partition, base, fault, error);
    }
    struct chunk *chunk = chunk_pool_take(pool, size);
    if (chunk == NULL) {
        return error_no_memory(error);
    }
    chunk_load(chunk, image, size);
    *ret_chunk = chunk;
    return WEIR_OK;
}

/* A chunk that begins at the offset: what reading on asks for. Touches no table that has it not. */
static weir_status get_chunk(struct local_store *store, const char *key, const struct topic *topic,
                             uint32_t partition, int64_t offset, struct chunk_pool *pool,
                             struct chunk **ret_chunk, char **text, struct error *error)
{
    size_t size = 0;
    rocksdb_pinnableslice_t *pinned =
        rocksdb_get_pinned(store->db, store->for_chunks, key, CHUNK_KEY_SIZE, text);
    if (pinned == NULL) {
        return WEIR_E_NOT_FOUND;
    }
    const char *value = rocksdb_pinnableslice_value(pinned, &size);
    weir_status st =
        load_image((const uint8_t *)value, size, topic, partition, offset, pool, ret_chunk, error);
    rocksdb_pinnableslice_destroy(pinned);
    return st;
}

/* The last chunk that begins before the offset, if it holds it. */
static weir_status take_chunk(rocksdb_iterator_t *cursor, const char *key,
                              const struct topic *topic, uint32_t partition, int64_t offset,
                              struct chunk_pool *pool, struct chunk **ret_chunk,
                              struct error *error)
{
    size_t size = 0;
    const char *found = rocksdb_iter_key(cursor, &size);
    if (size != CHUNK_KEY_SIZE || memcmp(found, key, PART_KEY_SIZE) != 0) {
        return WEIR_E_NOT_FOUND;
    }
    int64_t base = (int64_t)key_get64(found + PART_KEY_SIZE);
    const char *value = rocksdb_iter_value(cursor, &size);
    weir_status st =
        load_image((const uint8_t *)value, size, topic, partition, base, pool, ret_chunk, error);
    if (st == WEIR_OK && offset >= chunk_end(*ret_chunk)) {
        chunk_pool_give(pool, *ret_chunk);
        *ret_chunk = NULL;
        st = WEIR_E_NOT_FOUND;
    }
    return st;
}

static weir_status seek_chunk(struct local_store *store, const char *key, const struct topic *topic,
                              uint32_t partition, int64_t offset, struct chunk_pool *pool,
                              struct chunk **ret_chunk, char **text, struct error *error)
{
    rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->for_chunks);
    rocksdb_iter_seek_for_prev(cursor, key, CHUNK_KEY_SIZE);
    rocksdb_iter_get_error(cursor, text);
    weir_status st = WEIR_E_NOT_FOUND;
    if (*text == NULL && rocksdb_iter_valid(cursor)) {
        st = take_chunk(cursor, key, topic, partition, offset, pool, ret_chunk, error);
    }
    rocksdb_iter_destroy(cursor);
    return st;
}

static weir_status read_chunk_once(struct local_store *store, const struct topic *topic,
                                   uint32_t partition, int64_t offset, struct chunk_pool *pool,
                                   struct chunk **ret_chunk, char **text, struct error *error)
{
    char key[CHUNK_KEY_SIZE];
    key_chunk(key, topic->id, partition, offset);
    weir_status st = get_chunk(store, key, topic, partition, offset, pool, ret_chunk, text, error);
    if (st == WEIR_E_NOT_FOUND && *text == NULL) {
        st = seek_chunk(store, key, topic, partition, offset, pool, ret_chunk, text, error);
    }
    return st;
}

weir_status local_read_chunk(struct store *base, const struct topic *topic, uint32_t partition,
                             int64_t offset, struct chunk_pool *pool, struct chunk **ret_chunk,
                             struct error *error)
{
    struct local_store *store = local_of(base);
    char *text = NULL;
    unsigned attempt = 0;
    weir_status st;
    do {
        st = read_chunk_once(store, topic, partition, offset, pool, ret_chunk, &text, error);
    } while (text != NULL && local_retries(store, ++attempt, &text));
    return text == NULL ? st : local_fault(store, "read", text, error);
}

/* ---- facts ----------------------------------------------------------------------------------------- */

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

/*
 * By a cursor and not by a plain get: beside a busy writer a secondary may hold an older version of a
 * key in memory than in its files. A get takes the first that it meets, a cursor the newest.
 */
static weir_status get_fact(rocksdb_iterator_t *cursor, const char *key, size_t key_size,
                            struct arena *arena, weir_slice *ret_value, struct error *error)
{
    size_t size = 0;
    rocksdb_iter_seek(cursor, key, key_size);
    *ret_value = (weir_slice){ NULL, LOG_ABSENT };
    if (!rocksdb_iter_valid(cursor)) {
        return WEIR_OK;
    }
    const char *found = rocksdb_iter_key(cursor, &size);
    if (size != key_size || memcmp(found, key, size) != 0) {
        return WEIR_OK;
    }
    const char *value = rocksdb_iter_value(cursor, &size);
    char *copy = arena_copy(arena, value, size);
    if (copy == NULL) {
        return error_no_memory(error);
    }
    *ret_value = (weir_slice){ (const uint8_t *)copy, size };
    return WEIR_OK;
}

weir_status local_fact_get(struct store *base, const char *group, const char *key,
                           struct arena *arena, weir_slice *ret_value, struct error *error)
{
    struct local_store *store = local_of(base);
    size_t key_size = 0;
    char *whole = fact_key(arena, group, key, &key_size);
    if (whole == NULL) {
        return error_no_memory(error);
    }
    char *text = NULL;
    unsigned attempt = 0;
    weir_status st;
    do {
        rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->read_options);
        st = get_fact(cursor, whole, key_size, arena, ret_value, error);
        rocksdb_iter_get_error(cursor, &text);
        rocksdb_iter_destroy(cursor);
    } while (text != NULL && local_retries(store, ++attempt, &text));
    return text == NULL ? st : local_fault(store, "read", text, error);
}

static bool is_at_prefix(const rocksdb_iterator_t *cursor, const char *prefix, size_t prefix_size)
{
    if (!rocksdb_iter_valid(cursor)) {
        return false;
    }
    size_t size = 0;
    const char *key = rocksdb_iter_key(cursor, &size);
    return size >= prefix_size && memcmp(key, prefix, prefix_size) == 0;
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

static weir_status copy_facts(rocksdb_iterator_t *cursor, const char *prefix, size_t prefix_size,
                              struct arena *arena, struct log_fact **ret_facts, size_t *ret_count,
                              struct error *error)
{
    size_t count = 0;
    rocksdb_iter_seek(cursor, prefix, prefix_size);
    for (; is_at_prefix(cursor, prefix, prefix_size); rocksdb_iter_next(cursor)) {
        count++;
    }
    struct log_fact *facts = arena_alloc(arena, (count + 1) * sizeof *facts);
    if (facts == NULL) {
        return error_no_memory(error);
    }
    rocksdb_iter_seek(cursor, prefix, prefix_size);
    for (size_t i = 0; i < count && rocksdb_iter_valid(cursor); i++) {
        if (!copy_fact(cursor, prefix_size, arena, &facts[i])) {
            return error_no_memory(error);
        }
        rocksdb_iter_next(cursor);
    }
    *ret_facts = facts;
    *ret_count = count;
    return WEIR_OK;
}

weir_status local_facts(struct store *base, const char *group, struct arena *arena,
                        struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    struct local_store *store = local_of(base);
    size_t prefix_size = 0;
    char *prefix = fact_key(arena, group, "", &prefix_size);
    if (prefix == NULL) {
        return error_no_memory(error);
    }
    char *text = NULL;
    unsigned attempt = 0;
    weir_status st;
    do {
        rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->read_options);
        st = copy_facts(cursor, prefix, prefix_size, arena, ret_facts, ret_count, error);
        rocksdb_iter_get_error(cursor, &text);
        rocksdb_iter_destroy(cursor);
    } while (text != NULL && local_retries(store, ++attempt, &text));
    return text == NULL ? st : local_fault(store, "read", text, error);
}
