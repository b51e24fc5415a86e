/* SPDX-License-Identifier: MIT */
/*
 * Messages in the store: one batch per commit, chunks by the offset that they hold, and what is known
 * of each chunk beside it.
 */
#include <string.h>

#include "log/embedded/local/keys.h"
#include "log/embedded/local/local_store.h"

enum { BLOCK_BYTES = 4096 /* what else may lie in a block of a table beside a chunk */ };

/* ---- committing ---------------------------------------------------------------------------------- */

static void put_index(rocksdb_writebatch_t *batch, uint32_t topic_id, uint32_t partition,
                      const struct chunk_about *about)
{
    char key[CHUNK_KEY_SIZE];
    char value[INDEX_VALUE_SIZE];
    key_chunk(key, KEY_INDEX, topic_id, partition, about->base);
    index_encode(value, about);
    rocksdb_writebatch_put(batch, key, sizeof key, value, sizeof value);
}

static void put_chunk(rocksdb_writebatch_t *batch, uint32_t topic_id, uint32_t partition,
                      struct chunk *chunk)
{
    char key[CHUNK_KEY_SIZE];
    struct chunk_about about = chunk_about(chunk);
    chunk_seal(chunk);
    key_chunk(key, KEY_CHUNK, topic_id, partition, chunk->base);
    rocksdb_writebatch_put(batch, key, sizeof key, (const char *)chunk->image, (size_t)chunk->size);
    put_index(batch, topic_id, partition, &about);
}

static void put_state(rocksdb_writebatch_t *batch, uint32_t topic_id, uint32_t partition,
                      const struct partition_state *state)
{
    char key[PART_KEY_SIZE];
    char value[PART_VALUE_SIZE];
    key_part(key, KEY_PART, topic_id, partition);
    part_encode(value, state);
    rocksdb_writebatch_put(batch, key, sizeof key, value, sizeof value);
}

static void put_part(rocksdb_writebatch_t *batch, const struct commit *commit,
                     const struct commit_part *part)
{
    for (size_t i = 0; i < part->chunk_count; i++) {
        put_chunk(batch, part->topic->id, part->partition, commit->chunks[part->first_chunk + i]);
    }
    put_state(batch, part->topic->id, part->partition, &part->state);
}

weir_status local_commit(struct store *base, const struct commit *commit, const char *group,
                         const struct log_fact *facts, size_t count, struct error *error)
{
    struct local_store *store = local_of(base);
    int64_t more = 0;
    for (size_t i = 0; i < commit->part_count; i++) {
        const struct commit_part *part = &commit->parts[i];
        put_part(store->batch, commit, part);
        more += part->state.end - part->topic->parts[part->partition].kept.end;
    }
    for (size_t i = 0; i < count; i++) {
        local_put_fact(store->batch, group, &facts[i]);
    }
    weir_status st = local_write(store, more, error);
    /* Writing succeeds in files that nobody can find any more. */
    return st != WEIR_OK ? st : owner_check(&store->owner, store->name, error);
}

/* ---- rewriting ----------------------------------------------------------------------------------- */

static void delete_chunk(rocksdb_writebatch_t *batch, uint32_t topic_id, uint32_t partition,
                         int64_t base)
{
    char key[CHUNK_KEY_SIZE];
    key_chunk(key, KEY_CHUNK, topic_id, partition, base);
    rocksdb_writebatch_delete(batch, key, sizeof key);
    key_chunk(key, KEY_INDEX, topic_id, partition, base);
    rocksdb_writebatch_delete(batch, key, sizeof key);
}

/* Gives back whole files that hold nothing but chunks before `begin`; nothing depends on it. */
static void free_files_before(struct local_store *store, uint32_t topic_id, uint32_t partition,
                              int64_t begin)
{
    char from[CHUNK_KEY_SIZE];
    char to[CHUNK_KEY_SIZE];
    char *ignored = NULL;
    key_chunk(from, KEY_CHUNK, topic_id, partition, 0);
    key_chunk(to, KEY_CHUNK, topic_id, partition, begin);
    rocksdb_delete_file_in_range(store->db, from, sizeof from, to, sizeof to, &ignored);
    rocksdb_free(ignored);
}

weir_status local_rewrite(struct store *base, const struct rewrite *rewrite, struct error *error)
{
    struct local_store *store = local_of(base);
    uint32_t id = rewrite->topic->id;
    for (size_t i = 0; i < rewrite->removed_count; i++) {
        delete_chunk(store->batch, id, rewrite->partition, rewrite->removed[i]);
    }
    for (size_t i = 0; i < rewrite->added_count; i++) {
        put_chunk(store->batch, id, rewrite->partition, rewrite->added[i]);
    }
    for (size_t i = 0; i < rewrite->marked_count; i++) {
        put_index(store->batch, id, rewrite->partition, &rewrite->marked[i]);
    }
    for (size_t i = 0; i < rewrite->fact_count; i++) {
        local_put_fact(store->batch, rewrite->facts[i].group, &rewrite->facts[i].fact);
    }
    put_state(store->batch, id, rewrite->partition, &rewrite->state);
    weir_status st = local_write(store, 0, error);
    if (st == WEIR_OK && rewrite->removed_count > 0 && rewrite->added_count == 0) {
        free_files_before(store, id, rewrite->partition, rewrite->state.begin);
    }
    return st;
}

/* ---- the index ----------------------------------------------------------------------------------- */

/* Chunks of a partition from an offset on, as many as there is room for. */
struct listing {
    const struct topic *topic;
    uint32_t partition;
    int64_t from;
    struct chunk_about *chunks;
    size_t max;
    size_t count;
};

static weir_status report_index(const struct listing *listing, int64_t base, struct error *error)
{
    return error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                     "the log is damaged: topic '%s' partition %u: what is known of the chunk at "
                     "offset %lld cannot be understood",
                     listing->topic->face.name, listing->partition, (long long)base);
}

static weir_status list_index(rocksdb_iterator_t *cursor, struct listing *listing,
                              struct error *error)
{
    char key[CHUNK_KEY_SIZE];
    struct chunk_about *chunks = listing->chunks;
    size_t count = 0;
    key_chunk(key, KEY_INDEX, listing->topic->id, listing->partition, listing->from);
    rocksdb_iter_seek_for_prev(cursor, key, sizeof key);
    if (!local_is_at(cursor, key, PART_KEY_SIZE)) { /* none begins before */
        rocksdb_iter_seek(cursor, key, PART_KEY_SIZE);
    }
    for (; count < listing->max && local_is_at(cursor, key, PART_KEY_SIZE);
         rocksdb_iter_next(cursor)) {
        size_t key_size = 0;
        size_t size = 0;
        const char *found = rocksdb_iter_key(cursor, &key_size);
        const char *value = rocksdb_iter_value(cursor, &size);
        int64_t base = key_size == CHUNK_KEY_SIZE ? (int64_t)key_get64(found + PART_KEY_SIZE) : -1;
        if (!index_decode(value, size, base, &chunks[count])) {
            return report_index(listing, base, error);
        }
        count += chunks[count].end > listing->from;
    }
    listing->count = count;
    return WEIR_OK;
}

static weir_status look_at_index(struct local_store *store, void *wanted, char **text,
                                 struct error *error)
{
    rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->read_options);
    weir_status st = list_index(cursor, wanted, error);
    rocksdb_iter_get_error(cursor, text);
    rocksdb_iter_destroy(cursor);
    return st;
}

weir_status local_list_chunks(struct store *base, const struct topic *topic, uint32_t partition,
                              int64_t from, struct chunk_about *ret_chunks, size_t max,
                              size_t *ret_count, struct error *error)
{
    struct listing listing = {
        .topic = topic, .partition = partition, .from = from, .chunks = ret_chunks, .max = max
    };
    weir_status st = local_read(base, look_at_index, &listing, error);
    *ret_count = listing.count;
    return st;
}

/* ---- reading chunks ------------------------------------------------------------------------------ */

/* The chunk that is looked for: the one with an offset. chunk: it, once it is found */
struct search {
    const struct topic *topic;
    uint32_t partition;
    int64_t offset;
    struct chunk_pool *pool;
    struct chunk *chunk;
};

static weir_status report_chunk(const struct search *search, int64_t base, const char *fault,
                                struct error *error)
{
    weir_status st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                               "the log is damaged: topic '%s' partition %u offset %lld: "
                               "the chunk that begins there cannot be read, %s",
                               search->topic->face.name, search->partition, (long long)base, fault);
    error_hint(error, "keep a copy of the folder; reading can go on behind this chunk");
    return st;
}

/* The bytes of a chunk. pinned: RocksDB's hold of them, or NULL: they are there for the moment only. */
struct found {
    const uint8_t *image;
    size_t size;
    rocksdb_pinnableslice_t *pinned;
};

static void unpin(void *pinned)
{
    rocksdb_pinnableslice_destroy(pinned);
}

/* What is pinned need not be copied. */
static struct chunk *chunk_for(const struct found *found, struct chunk_pool *pool)
{
    if (found->pinned == NULL) {
        return chunk_pool_take(pool, found->size);
    }
    struct chunk_loan loan = { unpin, found->pinned };
    return chunk_pool_wrap(pool, found->image, found->size + BLOCK_BYTES, loan);
}

/* Takes what is pinned over, whatever happens. */
static weir_status load_chunk(struct search *search, const struct found *found, int64_t base,
                              struct error *error)
{
    const char *fault = chunk_fault(found->image, found->size, base);
    struct chunk *chunk = fault == NULL ? chunk_for(found, search->pool) : NULL;
    if (chunk != NULL) {
        chunk_load(chunk, found->image, found->size);
        search->chunk = chunk;
        return WEIR_OK;
    }
    if (found->pinned != NULL) {
        unpin(found->pinned);
    }
    return fault == NULL ? error_no_memory(error) : report_chunk(search, base, fault, error);
}

/* A chunk that begins at the offset: what reading on asks for. Touches no table that has it not. */
static weir_status get_chunk(struct local_store *store, struct search *search,
                             const char key[CHUNK_KEY_SIZE], char **text, struct error *error)
{
    struct found found = { .pinned = rocksdb_get_pinned(store->db, store->for_chunks, key,
                                                        CHUNK_KEY_SIZE, text) };
    if (found.pinned == NULL) {
        return WEIR_E_NOT_FOUND;
    }
    found.image = (const uint8_t *)rocksdb_pinnableslice_value(found.pinned, &found.size);
    return load_chunk(search, &found, search->offset, error);
}

/* The last chunk that begins before the offset, if it holds it. */
static weir_status take_chunk(rocksdb_iterator_t *cursor, struct search *search,
                              const char key[CHUNK_KEY_SIZE], struct error *error)
{
    size_t size = 0;
    const char *its_key = rocksdb_iter_key(cursor, &size);
    if (size != CHUNK_KEY_SIZE || memcmp(its_key, key, PART_KEY_SIZE) != 0) {
        return WEIR_E_NOT_FOUND;
    }
    int64_t base = (int64_t)key_get64(its_key + PART_KEY_SIZE);
    struct found found = { .pinned = NULL };
    found.image = (const uint8_t *)rocksdb_iter_value(cursor, &found.size);
    weir_status st = load_chunk(search, &found, base, error);
    if (st == WEIR_OK && search->offset >= search->chunk->end) {
        chunk_pool_give(search->pool, search->chunk);
        search->chunk = NULL;
        st = WEIR_E_NOT_FOUND;
    }
    return st;
}

static weir_status seek_chunk(struct local_store *store, struct search *search,
                              const char key[CHUNK_KEY_SIZE], char **text, struct error *error)
{
    rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->for_chunks);
    rocksdb_iter_seek_for_prev(cursor, key, CHUNK_KEY_SIZE);
    rocksdb_iter_get_error(cursor, text);
    weir_status st = WEIR_E_NOT_FOUND;
    if (*text == NULL && rocksdb_iter_valid(cursor)) {
        st = take_chunk(cursor, search, key, error);
    }
    rocksdb_iter_destroy(cursor);
    return st;
}

static weir_status look_for_chunk(struct local_store *store, void *wanted, char **text,
                                  struct error *error)
{
    struct search *search = wanted;
    char key[CHUNK_KEY_SIZE];
    key_chunk(key, KEY_CHUNK, search->topic->id, search->partition, search->offset);
    weir_status st = get_chunk(store, search, key, text, error);
    if (st == WEIR_E_NOT_FOUND && *text == NULL) {
        st = seek_chunk(store, search, key, text, error);
    }
    return st;
}

weir_status local_read_chunk(struct store *base, const struct topic *topic, uint32_t partition,
                             int64_t offset, struct chunk_pool *pool, struct chunk **ret_chunk,
                             struct error *error)
{
    struct search search = {
        .topic = topic, .partition = partition, .offset = offset, .pool = pool
    };
    weir_status st = local_read(base, look_for_chunk, &search, error);
    if (st == WEIR_OK) {
        *ret_chunk = search.chunk;
    }
    return st;
}
