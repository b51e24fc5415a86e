/* SPDX-License-Identifier: MIT */
/*
 * The inside of a log: topics and partitions with what is in memory of them, and the few operations
 * by which a store makes them last.
 *
 * Locks, in this order:
 *   log->writing   one change of the store at a time: commit, rollback, create, empty, drop, refresh
 *   part->loading  the cached chunk of a partition, while it is loaded and read
 *   log->lock      everything else here; never held while the store works
 * log->waking is taken alone.
 */
#ifndef LOG_STORE_H
#define LOG_STORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "log/chunk_pool.h"
#include "log/log.h"

/* What a store keeps of a partition besides its chunks. */
struct partition_state {
    int64_t begin;
    int64_t end;    /* of committed messages */
    int64_t peak;   /* newest timestamp of committed messages that are kept; INT64_MIN: none */
    uint64_t bytes; /* of committed messages */
};

/*
 * kept        as the store has it
 * end, peak   of everything appended; pending: bytes of what is not committed
 * chunks      in memory: what is not committed and, where the store keeps nothing, all of it
 * is_sealed   the next message begins a new chunk: the last one belongs to a commit under way
 * cached      the chunk that was loaded last, until it has been read to its end
 */
struct partition {
    struct partition_state kept;
    int64_t end;
    int64_t peak;
    uint64_t pending;
    struct chunk_list chunks;
    bool is_sealed;
    pthread_mutex_t loading;
    struct chunk *cached;
};

struct topic {
    struct log_topic face; /* first: the interface hands out its address */
    uint32_t id;
    bool is_dropped;
    bool is_seen; /* during a refresh */
    struct partition parts[];
};

static inline struct topic *topic_of(struct log_topic *face)
{
    return (struct topic *)(void *)face;
}

/* One partition's share of a commit: its new chunks, and the state after it. */
struct commit_part {
    struct topic *topic;
    uint32_t partition;
    size_t first_chunk; /* in commit.chunks */
    size_t chunk_count;
    uint64_t pending; /* bytes of the share */
    struct partition_state state;
};

struct commit {
    struct commit_part *parts;
    size_t part_count;
    size_t part_capacity;
    const struct chunk **chunks;
    size_t chunk_count;
    size_t chunk_capacity;
};

struct store;

/*
 * What a store does. All calls but read_chunk, fact_get and facts come one at a time.
 *
 * keeps_chunks  committed chunks stay in memory, there is nothing to read them from: read_chunk is
 *               NULL, and commits bring states but no chunks
 * load          tells the log every topic and partition (topics_restore)
 * topic_*       durable when they return; empty: with the states that the topic's partitions have
 * commit        all of it or nothing, durable when it returns
 * read_chunk    the chunk that holds the offset, in memory of the pool. WEIR_E_NOT_FOUND, without a
 *               message: there is none
 * refresh       looks for what other processes have committed; may be NULL
 */
struct store_ops {
    bool keeps_chunks;
    void (*destroy)(struct store *store);
    weir_status (*load)(struct store *store, struct log *log, struct error *error);
    weir_status (*topic_create)(struct store *store, const struct topic *topic,
                                struct error *error);
    weir_status (*topic_empty)(struct store *store, const struct topic *topic, struct error *error);
    weir_status (*topic_drop)(struct store *store, const struct topic *topic, struct error *error);
    weir_status (*commit)(struct store *store, const struct commit *commit, const char *group,
                          const struct log_fact *facts, size_t count, struct error *error);
    weir_status (*read_chunk)(struct store *store, const struct topic *topic, uint32_t partition,
                              int64_t offset, struct chunk_pool *pool, struct chunk **ret_chunk,
                              struct error *error);
    weir_status (*fact_get)(struct store *store, const char *group, const char *key,
                            struct arena *arena, weir_slice *ret_value, struct error *error);
    weir_status (*facts)(struct store *store, const char *group, struct arena *arena,
                         struct log_fact **ret_facts, size_t *ret_count, struct error *error);
    weir_status (*refresh)(struct store *store, struct error *error);
};

/* First member of every store. */
struct store {
    const struct store_ops *ops;
};

struct log {
    struct store *store;
    enum log_mode mode;
    pthread_mutex_t writing;
    pthread_mutex_t lock;
    struct chunk_pool pool;
    struct topic **topics; /* in the order of names */
    size_t topic_count;
    size_t topic_capacity;
    struct topic **dropped; /* handles may still point to them */
    size_t dropped_count;
    size_t dropped_capacity;
    uint32_t next_topic_id;
    struct commit commit; /* kept for its arrays */
    _Atomic uint64_t pending_bytes;
    _Atomic uint64_t cached_bytes; /* of the chunks that partitions have read ahead */
    uint64_t cached_limit;         /* where there are more, none is kept */
    pthread_mutex_t waking;
    log_wake *wake;
    void *wake_self;
};

/* ---- memory/, local/ --------------------------------------------------------------------------- */

weir_status memory_store_create(enum log_mode mode, struct store **ret_store, struct error *error);
/* name: the folder as the user wrote it; path: where it is */
weir_status local_store_create(const char *name, const char *path, enum log_mode mode,
                               const struct log_memory *memory, struct store **ret_store,
                               struct error *error);

/* ---- topics.c ---------------------------------------------------------------------------------- */

/* Frees all topics. */
void topics_deinit(struct log *log);
/* Adds or updates a topic that the store has, with the states of its partitions; during load. */
weir_status topics_restore(struct log *log, const char *name, size_t name_len, uint32_t id,
                           uint32_t partitions, const struct partition_state *states,
                           struct error *error);
/* Loads topics from the store; those that are no longer there count as dropped. */
weir_status topics_reload(struct log *log, struct error *error);
/* Is the topic still there, and has it this partition? Thread: holds log->lock. */
weir_status topics_check(const struct topic *topic, uint32_t partition, struct error *error);

/* ---- log.c ------------------------------------------------------------------------------------- */

/* Drops what lies at `end` and behind it from memory. Thread: holds log->lock. */
void partition_truncate(struct log *log, struct partition *part, int64_t end, int64_t peak);
/* Drops the first chunks, as far as they end before `begin`. Thread: holds log->lock. */
void partition_forget(struct log *log, struct partition *part, int64_t begin);
/* Room for more parts or chunks of log->commit. */
bool commit_reserve(struct commit *commit, size_t parts, size_t chunks);
/* LOG_READ logs change nothing. */
weir_status log_check_writable(const struct log *log, struct error *error);

#endif
