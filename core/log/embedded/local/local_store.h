/* SPDX-License-Identifier: MIT */
/*
 * The inside of the store in a folder: FOLDER/lock (who writes), FOLDER/format and FOLDER/committed
 * (folder.h), FOLDER/log (RocksDB).
 */
#ifndef LOG_LOCAL_LOCAL_STORE_H
#define LOG_LOCAL_LOCAL_STORE_H

#include <rocksdb/c.h>

#include "base/arena.h"
#include "log/embedded/local/damage.h"
#include "log/embedded/local/folder.h"
#include "log/embedded/local/owner.h"
#include "log/embedded/store.h"

/*
 * name       the folder as the user wrote it, for messages
 * database   RocksDB's folder; scratch: of a secondary, for its own log file; NULL for the writer
 * gate       held for reading while `db` is used outside of a change, for writing while it is replaced
 * is_broken  a write has failed: the next one opens the database anew
 * commits    changes that the database holds
 * ends       sum of the ends of all partitions, kept with each change: what is loaded is held against it
 * batch      used again by every change; one change at a time
 * cuts       of the writer: what its write-ahead logs looked like before they were opened
 * cache      of blocks; kept while the database is opened anew, since chunks may lie in it
 * for_chunks reads that leave RocksDB's cache alone: the log has a cache of its own
 */
struct local_store {
    struct store base;
    struct arena names;
    const char *name;
    const char *database;
    char *scratch;
    struct log_memory memory;
    struct owner owner;
    struct witness witness;
    pthread_rwlock_t gate;
    bool is_broken;
    struct damage_cuts cuts;
    uint64_t commits;
    uint64_t ends;
    rocksdb_t *db; /* NULL: it could not be opened again */
    rocksdb_cache_t *cache;
    rocksdb_writeoptions_t *write_options;
    rocksdb_readoptions_t *read_options;
    rocksdb_readoptions_t *for_chunks;
    rocksdb_writebatch_t *batch;
};

static inline struct local_store *local_of(struct store *store)
{
    return (struct local_store *)(void *)store;
}

/* Takes RocksDB's error text, frees it: "could not WHAT the log in 'NAME': TEXT", or what is damaged.
 * Retriable where the disk is full. */
weir_status local_fault(const struct local_store *store, const char *what, char *text,
                        struct error *error);
/* Writes the batch, synced, and empties it. more: what it adds to the sum of ends. */
weir_status local_write(struct local_store *store, int64_t more, struct error *error);
/* See store_ops. */
void local_cause(struct store *base, char *text, size_t size);
/* Reads store->commits and store->ends by a cursor. */
void local_read_commits(struct local_store *store, char **text);

/* ---- local_options.c ---------------------------------------------------------------------------- */

/* Where no budget is given. */
extern const struct log_memory local_memory;
rocksdb_options_t *local_options(const struct local_store *store, bool is_reader);

/* ---- local_read.c ------------------------------------------------------------------------------- */

/*
 * Looks for something in the database, which is there and stays. RocksDB's error goes into *text. WEIR_AGAIN, with
 * an error: beside a writer another look may find it right.
 */
typedef weir_status local_look(struct local_store *store, void *wanted, char **text,
                               struct error *error);
/* A reader beside a writer, who may have removed what it was reading, looks again a few times. */
weir_status local_read(struct store *base, local_look *look, void *wanted, struct error *error);
/* Is the cursor at a key that begins so? */
bool local_is_at(const rocksdb_iterator_t *cursor, const char *prefix, size_t prefix_size);

/* ---- local_reader.c ----------------------------------------------------------------------------- */

weir_status local_open_reader(struct local_store *store, struct error *error);
weir_status local_refresh(struct store *store, struct error *error);
void local_close_reader(struct local_store *store);
/* What was read is of no use: a reader beside a writer looks again a few times. False: give up. */
bool local_retries(struct local_store *store, unsigned attempt, char **text);

/* ---- local_topics.c ----------------------------------------------------------------------------- */

weir_status local_load(struct store *base, struct embedded_log *log, struct error *error);
weir_status local_topic_create(struct store *base, const struct topic *topic, struct error *error);
weir_status local_topic_empty(struct store *base, const struct topic *topic,
                              const struct group_fact *facts, size_t count, struct error *error);
weir_status local_topic_options(struct store *base, const struct topic *topic,
                                const struct log_topic_options *options, struct error *error);
weir_status local_topic_drop(struct store *base, const struct topic *topic,
                             const struct group_fact *facts, size_t count, struct error *error);

void local_reclaim(struct store *base, const struct topic *topic);

/* ---- local_data.c ------------------------------------------------------------------------------- */

weir_status local_commit(struct store *base, const struct commit *commit, const char *group,
                         const struct log_fact *facts, size_t count, struct error *error);
weir_status local_rewrite(struct store *base, const struct rewrite *rewrite, struct error *error);
weir_status local_list_chunks(struct store *base, const struct topic *topic, uint32_t partition,
                              int64_t from, struct chunk_about *ret_chunks, size_t max,
                              size_t *ret_count, struct error *error);
weir_status local_read_chunk(struct store *base, const struct topic *topic, uint32_t partition,
                             int64_t offset, struct chunk_pool *pool, struct chunk **ret_chunk,
                             struct error *error);

/* ---- local_facts.c ------------------------------------------------------------------------------ */

void local_put_fact(rocksdb_writebatch_t *batch, const char *group, const struct log_fact *fact);
weir_status local_fact_get(struct store *base, const char *group, const char *key,
                           struct arena *arena, weir_slice *ret_value, struct error *error);
weir_status local_facts(struct store *base, const char *group, struct arena *arena,
                        struct log_fact **ret_facts, size_t *ret_count, struct error *error);
weir_status local_groups(struct store *base, struct arena *arena, const char ***ret_groups,
                         size_t *ret_count, struct error *error);

#endif
