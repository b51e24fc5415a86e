/* SPDX-License-Identifier: MIT */
/*
 * Topics in the store: their records, the states of their partitions, and removing what they hold.
 */
#include <string.h>

#include "base/memory.h"
#include "log/embedded/local/keys.h"
#include "log/embedded/local/local_store.h"

static const char next_id_key[] = "mnext-topic-id";

/* ---- loading ------------------------------------------------------------------------------------- */

/*
 * What is loaded, and by which cursors.
 *
 * ends  the sum of the ends of all partitions
 */
struct loading {
    struct local_store *store;
    struct embedded_log *log;
    rocksdb_iterator_t *topics;
    rocksdb_iterator_t *parts;
    uint64_t ends;
};

static weir_status report_record(const struct loading *loading, const struct stored_topic *topic,
                                 struct error *error)
{
    return error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                     "the log in '%s' is damaged: the record of topic '%.*s' cannot be understood",
                     loading->store->name, (int)(topic->name_len > 200 ? 200 : topic->name_len),
                     topic->name);
}

/* False: something there cannot be understood. Partitions without a record stay as they are. */
static bool read_states(rocksdb_iterator_t *cursor, const struct stored_topic *topic)
{
    char prefix[PART_KEY_SIZE];
    key_part(prefix, KEY_PART, topic->id, 0);
    rocksdb_iter_seek(cursor, prefix, sizeof prefix);
    for (; rocksdb_iter_valid(cursor); rocksdb_iter_next(cursor)) {
        size_t key_size = 0;
        size_t size = 0;
        const char *key = rocksdb_iter_key(cursor, &key_size);
        if (key_size != PART_KEY_SIZE || memcmp(key, prefix, 5) != 0) {
            break;
        }
        const char *value = rocksdb_iter_value(cursor, &size);
        uint32_t partition = key_get32(key + 5);
        if (partition >= topic->partitions ||
            !part_decode(value, size, &topic->states[partition])) {
            return false;
        }
    }
    return true;
}

static weir_status load_topic(struct loading *loading, struct stored_topic *topic,
                              struct error *error)
{
    topic->states = memory_zeroed(topic->partitions, sizeof *topic->states);
    if (topic->states == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t p = 0; p < topic->partitions; p++) {
        topic->states[p].peak = INT64_MIN;
    }
    weir_status st = read_states(loading->parts, topic) ? topics_restore(loading->log, topic, error)
                                                        : report_record(loading, topic, error);
    for (uint32_t p = 0; p < topic->partitions; p++) {
        loading->ends += (uint64_t)topic->states[p].end;
    }
    memory_free(topic->states);
    return st;
}

static weir_status load_topics(struct loading *loading, struct error *error)
{
    const char kind = KEY_TOPIC;
    rocksdb_iterator_t *cursor = loading->topics;
    weir_status st = WEIR_OK;
    rocksdb_iter_seek(cursor, &kind, 1);
    for (; st == WEIR_OK && local_is_at(cursor, &kind, 1); rocksdb_iter_next(cursor)) {
        size_t key_size = 0;
        size_t size = 0;
        const char *key = rocksdb_iter_key(cursor, &key_size);
        const char *value = rocksdb_iter_value(cursor, &size);
        struct stored_topic topic = { .name = key + 1, .name_len = key_size - 1 };
        st = topic_decode(value, size, &topic) ? load_topic(loading, &topic, error)
                                               : report_record(loading, &topic, error);
    }
    return st;
}

/* Ids of dropped topics are never given again. */
static weir_status load_next_id(struct local_store *store, struct embedded_log *log, char **text)
{
    size_t size = 0;
    char *value =
        rocksdb_get(store->db, store->read_options, next_id_key, strlen(next_id_key), &size, text);
    if (value != NULL && size == sizeof(uint32_t)) {
        log->next_topic_id = key_get32(value);
    }
    rocksdb_free(value);
    return *text == NULL ? WEIR_OK : WEIR_E_IO;
}

/* A file that a reader does not find is passed over by RocksDB without a word. */
static weir_status report_ends(struct local_store *store, uint64_t found, struct error *error)
{
    char cause[CAUSE_BYTES] = "";
    local_cause(&store->base, cause, sizeof cause);
    weir_status st =
        error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                  "the log in '%s' is damaged: %s%llu messages were committed in all, its topics "
                  "tell of %llu",
                  store->name, cause[0] != '\0' ? cause : "a file in 'log' is missing; ",
                  (unsigned long long)store->ends, (unsigned long long)found);
    error_hint(error, "keep a copy of the folder; bring the file back from a backup, or start with "
                      "another folder");
    return st;
}

/* What looks damaged beside a writer may be what he is changing just now. */
static weir_status load_all(struct local_store *store, void *wanted, char **text,
                            struct error *error)
{
    struct embedded_log *log = wanted;
    weir_status st = load_next_id(store, log, text);
    if (st == WEIR_OK && store->scratch != NULL) { /* it may have caught up meanwhile */
        local_read_commits(store, text);
    }
    if (st != WEIR_OK || *text != NULL) {
        return st;
    }
    struct loading loading = {
        .store = store,
        .log = log,
        .topics = rocksdb_create_iterator(store->db, store->read_options),
        .parts = rocksdb_create_iterator(store->db, store->read_options),
    };
    st = load_topics(&loading, error);
    if (st == WEIR_OK && loading.ends != store->ends) {
        st = report_ends(store, loading.ends, error);
    }
    rocksdb_iter_get_error(loading.topics, text);
    if (*text == NULL) {
        rocksdb_iter_get_error(loading.parts, text);
    }
    rocksdb_iter_destroy(loading.parts);
    rocksdb_iter_destroy(loading.topics);
    return st == WEIR_E_IO ? WEIR_AGAIN : st;
}

weir_status local_load(struct store *base, struct embedded_log *log, struct error *error)
{
    return local_read(base, load_all, log, error);
}

/* ---- changing ------------------------------------------------------------------------------------ */

static void put_topic_key(rocksdb_writebatch_t *batch, const struct topic *topic, const char *value)
{
    const char kind = KEY_TOPIC;
    const char *const keys[] = { &kind, topic->face.name };
    const size_t key_sizes[] = { 1, strlen(topic->face.name) };
    const char *const values[] = { value };
    const size_t value_sizes[] = { TOPIC_VALUE_SIZE };
    if (value != NULL) {
        rocksdb_writebatch_putv(batch, 2, keys, key_sizes, 1, values, value_sizes);
    } else {
        rocksdb_writebatch_deletev(batch, 2, keys, key_sizes);
    }
}

weir_status local_topic_create(struct store *base, const struct topic *topic, struct error *error)
{
    struct local_store *store = local_of(base);
    char value[TOPIC_VALUE_SIZE];
    char next_id[sizeof(uint32_t)];
    topic_encode(value, topic->id, topic->face.partitions, &topic->options);
    key_put32(next_id, topic->id + 1);
    put_topic_key(store->batch, topic, value);
    rocksdb_writebatch_put(store->batch, next_id_key, strlen(next_id_key), next_id, sizeof next_id);
    return local_write(store, 0, error);
}

weir_status local_topic_options(struct store *base, const struct topic *topic,
                                const struct log_topic_options *options, struct error *error)
{
    struct local_store *store = local_of(base);
    char value[TOPIC_VALUE_SIZE];
    topic_encode(value, topic->id, topic->face.partitions, options);
    put_topic_key(store->batch, topic, value);
    return local_write(store, 0, error);
}

/* Everything of a kind that a topic has: [from, to). */
static void topic_range(char from[PART_KEY_SIZE], char to[PART_KEY_SIZE], char kind, uint32_t id)
{
    key_part(from, kind, id, 0);
    key_part(to, kind, id + 1, 0);
}

static void delete_kind(rocksdb_writebatch_t *batch, char kind, uint32_t id)
{
    char from[PART_KEY_SIZE];
    char to[PART_KEY_SIZE];
    topic_range(from, to, kind, id);
    rocksdb_writebatch_delete_range(batch, from, sizeof from, to, sizeof to);
}

/* Gives back whole files at once; the rest goes when they are next rewritten. */
static void free_files(struct local_store *store, uint32_t id)
{
    char from[PART_KEY_SIZE];
    char to[PART_KEY_SIZE];
    char *ignored = NULL; /* nothing depends on it */
    topic_range(from, to, KEY_CHUNK, id);
    rocksdb_delete_file_in_range(store->db, from, sizeof from, to, sizeof to, &ignored);
    rocksdb_free(ignored);
}

weir_status local_topic_empty(struct store *base, const struct topic *topic,
                              const struct group_fact *facts, size_t count, struct error *error)
{
    struct local_store *store = local_of(base);
    const struct commit_part *before = embedded_of(topic->face.log)->commit.parts;
    int64_t more = 0;
    delete_kind(store->batch, KEY_CHUNK, topic->id);
    delete_kind(store->batch, KEY_INDEX, topic->id);
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        char key[PART_KEY_SIZE];
        char value[PART_VALUE_SIZE];
        key_part(key, KEY_PART, topic->id, p);
        part_encode(value, &topic->parts[p].kept);
        rocksdb_writebatch_put(store->batch, key, sizeof key, value, sizeof value);
        more += topic->parts[p].kept.end - before[p].state.end;
    }
    for (size_t i = 0; i < count; i++) {
        local_put_fact(store->batch, facts[i].group, &facts[i].fact);
    }
    weir_status st = local_write(store, more, error);
    if (st == WEIR_OK) {
        free_files(store, topic->id);
    }
    return st;
}

weir_status local_topic_drop(struct store *base, const struct topic *topic,
                             const struct group_fact *facts, size_t count, struct error *error)
{
    struct local_store *store = local_of(base);
    int64_t gone = 0;
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        gone += topic->parts[p].kept.end;
    }
    put_topic_key(store->batch, topic, NULL);
    delete_kind(store->batch, KEY_PART, topic->id);
    delete_kind(store->batch, KEY_CHUNK, topic->id);
    delete_kind(store->batch, KEY_INDEX, topic->id);
    for (size_t i = 0; i < count; i++) {
        local_put_fact(store->batch, facts[i].group, &facts[i].fact);
    }
    weir_status st = local_write(store, -gone, error);
    if (st == WEIR_OK) {
        free_files(store, topic->id);
    }
    return st;
}

/* Where nothing can be rewritten for want of room, whole files have gone at least. */
void local_reclaim(struct store *base, const struct topic *topic)
{
    struct local_store *store = local_of(base);
    char from[PART_KEY_SIZE];
    char to[PART_KEY_SIZE];
    topic_range(from, to, KEY_CHUNK, topic->id);
    rocksdb_compact_range(store->db, from, sizeof from, to, sizeof to);
}
