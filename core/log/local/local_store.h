/* SPDX-License-Identifier: MIT */
/*
 * The inside of the store in a folder: FOLDER/lock (who writes), FOLDER/log (RocksDB).
 */
#ifndef LOG_LOCAL_LOCAL_STORE_H
#define LOG_LOCAL_LOCAL_STORE_H

#include <rocksdb/c.h>

#include "base/arena.h"
#include "log/local/owner.h"
#include "log/store.h"

/*
 * name       the folder as the user wrote it, for messages
 * database   RocksDB's folder; scratch: of a secondary, for its own log file; NULL for the writer
 * batch      used again by every change; one change at a time
 * for_chunks reads that leave RocksDB's cache alone: the log has a cache of its own
 */
struct local_store {
    struct store base;
    struct arena names;
    const char *name;
    const char *database;
    char *scratch;
    struct owner owner;
    rocksdb_t *db;
    rocksdb_writeoptions_t *write_options;
    rocksdb_readoptions_t *read_options;
    rocksdb_readoptions_t *for_chunks;
    rocksdb_writebatch_t *batch;
};

static inline struct local_store *local_of(struct store *store)
{
    return (struct local_store *)(void *)store;
}

/* Takes RocksDB's error text, frees it: "could not WHAT the log in 'NAME': TEXT". */
weir_status local_fault(const struct local_store *store, const char *what, char *text,
                        struct error *error);
/* Writes the batch, synced, and empties it. */
weir_status local_write(struct local_store *store, struct error *error);
/* An error text is there: a reader beside a writer looks again a few times. False: give up. */
bool local_retries(struct local_store *store, unsigned attempt, char **text);

/* ---- local_topics.c ----------------------------------------------------------------------------- */

weir_status local_load(struct store *base, struct log *log, struct error *error);
weir_status local_topic_create(struct store *base, const struct topic *topic, struct error *error);
weir_status local_topic_empty(struct store *base, const struct topic *topic, struct error *error);
weir_status local_topic_drop(struct store *base, const struct topic *topic, struct error *error);

/* ---- local_data.c ------------------------------------------------------------------------------- */

weir_status local_commit(struct store *base, const struct commit *commit, const char *group,
                         const struct log_fact *facts, size_t count, struct error *error);
weir_status local_read_chunk(struct store *base, const struct topic *topic, uint32_t partition,
                             int64_t offset, struct chunk_pool *pool, struct chunk **ret_chunk,
                             struct error *error);
weir_status local_fact_get(struct store *base, const char *group, const char *key,
                           struct arena *arena, weir_slice *ret_value, struct error *error);
weir_status local_facts(struct store *base, const char *group, struct arena *arena,
                        struct log_fact **ret_facts, size_t *ret_count, struct error *error);

#endif
