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

#include "log/embedded/chunk_pool.h"
#include "log/log_ops.h"

/*
 * What a store keeps of a partition besides its chunks. All of it is about committed messages.
 *
 * begin        first offset that is kept; the chunk that holds it may begin before
 * peak         newest timestamp of what is kept; INT64_MIN: none
 * bytes        of the chunks; count: of messages from `begin` on
 * clean        compaction has been up to here; clean_bytes: of the chunks before
 * horizon_ms   the first tombstones before `clean` may go then; 0: there are none
 */
struct partition_state {
    int64_t begin;
    int64_t end;
    int64_t peak;
    uint64_t bytes;
    int64_t count;
    int64_t clean;
    uint64_t clean_bytes;
    int64_t horizon_ms;
};

/*
 * kept        as the store has it
 * end, peak   of everything appended; pending: bytes of what is not committed
 * chunks      in memory: what is not committed and, where the store keeps nothing, all of it
 * is_held_told  it was said that retention waits for a group that does not run
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
    bool is_held_told;
    pthread_mutex_t loading;
    struct chunk *cached;
};

struct topic {
    struct log_topic face; /* first: the interface hands out its address */
    uint32_t id;
    struct log_topic_options options;
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
    struct chunk **chunks; /* the store seals them */
    size_t chunk_count;
    size_t chunk_capacity;
};

/* A fact with the group that it belongs to. */
struct group_fact {
    const char *group;
    struct log_fact fact;
};

/*
 * Committed chunks of a partition that give way to others, its state after it, and facts that go with
 * it. The same offsets stay covered, but for those before the state's begin.
 *
 * removed  bases of chunks
 * added    chunks, which the store seals; their bases may be among those removed
 * marked   chunks that stay and get other marks
 */
struct rewrite {
    const struct topic *topic;
    uint32_t partition;
    struct partition_state state;
    const int64_t *removed;
    size_t removed_count;
    struct chunk *const *added;
    size_t added_count;
    const struct chunk_about *marked;
    size_t marked_count;
    const struct group_fact *facts;
    size_t fact_count;
};

struct store;
struct embedded_log;

/*
 * What a store does. All calls but read_chunk, fact_get, facts and groups come one at a time. Changes
 * are wholly done or not at all, and durable when they return.
 *
 * keeps_chunks  committed chunks stay in memory, there is nothing to read them from: read_chunk and
 *               list_chunks are NULL, and commits and rewrites bring states but no chunks
 * load          tells the log every topic and partition (topics_restore)
 * topic_empty   with the states that the topic's partitions have
 * read_chunk    the chunk that holds the offset, in memory of the pool. WEIR_E_NOT_FOUND, without a
 *               message: there is none
 * list_chunks   the chunk that holds `from` and those behind it, up to `max`
 * groups        names of all that have facts, in order
 * reclaim       gives the room back that messages of the topic have left, as far as it can; may be NULL
 * refresh       looks for what other processes have committed; may be NULL
 * cause         why something committed is missing, as the beginning of a sentence, or ""; may be NULL
 */
struct store_ops {
    bool keeps_chunks;
    void (*destroy)(struct store *store);
    weir_status (*load)(struct store *store, struct embedded_log *log, struct error *error);
    weir_status (*topic_create)(struct store *store, const struct topic *topic,
                                struct error *error);
    weir_status (*topic_empty)(struct store *store, const struct topic *topic,
                               const struct group_fact *facts, size_t count, struct error *error);
    weir_status (*topic_options)(struct store *store, const struct topic *topic,
                                 const struct log_topic_options *options, struct error *error);
    weir_status (*topic_drop)(struct store *store, const struct topic *topic,
                              const struct group_fact *facts, size_t count, struct error *error);
    weir_status (*commit)(struct store *store, const struct commit *commit, const char *group,
                          const struct log_fact *facts, size_t count, struct error *error);
    weir_status (*rewrite)(struct store *store, const struct rewrite *rewrite, struct error *error);
    weir_status (*list_chunks)(struct store *store, const struct topic *topic, uint32_t partition,
                               int64_t from, struct chunk_about *ret_chunks, size_t max,
                               size_t *ret_count, struct error *error);
    weir_status (*read_chunk)(struct store *store, const struct topic *topic, uint32_t partition,
                              int64_t offset, struct chunk_pool *pool, struct chunk **ret_chunk,
                              struct error *error);
    weir_status (*fact_get)(struct store *store, const char *group, const char *key,
                            struct arena *arena, weir_slice *ret_value, struct error *error);
    weir_status (*facts)(struct store *store, const char *group, struct arena *arena,
                         struct log_fact **ret_facts, size_t *ret_count, struct error *error);
    weir_status (*groups)(struct store *store, struct arena *arena, const char ***ret_groups,
                          size_t *ret_count, struct error *error);
    void (*reclaim)(struct store *store, const struct topic *topic);
    weir_status (*refresh)(struct store *store, struct error *error);
    void (*cause)(struct store *store, char *text, size_t size);
};

/* First member of every store. */
struct store {
    const struct store_ops *ops;
};

struct compaction;

enum { GROUP_NAME_BYTES = 256, CAUSE_BYTES = 160 };

/* Who reads; name NULL: nobody has joined. */
struct group {
    char *name;
    struct log_topic **topics;
    size_t topic_count;
    bool is_waiting; /* for what comes to it */
};

struct embedded_log {
    struct log face;
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
    struct commit commit;              /* kept for its arrays */
    char last_group[GROUP_NAME_BYTES]; /* that committed last */
    struct compaction *compaction;     /* NULL: none is under way */
    _Atomic uint64_t pending_bytes;
    _Atomic uint64_t cached_bytes; /* of the chunks that partitions have read ahead */
    uint64_t cached_limit;         /* where there are more, none is kept */
    _Atomic uint64_t lent_bytes;   /* of the chunks that batches look into */
    uint64_t lent_limit;           /* where there would be more, messages are copied */
    pthread_mutex_t waking;
    log_wake *wake;
    void *wake_self;
    struct group group;
};

static inline struct embedded_log *embedded_of(struct log *log)
{
    return (struct embedded_log *)(void *)log;
}

/* ---- memory/, local/ --------------------------------------------------------------------------- */

weir_status memory_store_create(enum log_mode mode, struct store **ret_store, struct error *error);
/* name: the folder as the user wrote it; path: where it is */
weir_status local_store_create(const char *name, const char *path, enum log_mode mode,
                               const struct log_memory *memory, struct store **ret_store,
                               struct error *error);

/* ---- topics.c ---------------------------------------------------------------------------------- */

/* Frees all topics. */
void topics_deinit(struct embedded_log *log);
/* A topic as a store has it. name: not terminated; states: of its partitions */
struct stored_topic {
    const char *name;
    size_t name_len;
    uint32_t id;
    uint32_t partitions;
    struct log_topic_options options;
    struct partition_state *states;
};
/* Adds or updates it; during load. */
weir_status topics_restore(struct embedded_log *log, const struct stored_topic *stored,
                           struct error *error);
/* Loads topics from the store; those that are no longer there count as dropped. */
weir_status topics_reload(struct embedded_log *log, struct error *error);
/* Room for one topic more, and for moving any topic to the dropped ones. */
bool topics_reserve(struct embedded_log *log);
/* Moves it to the dropped ones; the room was reserved. Thread: holds log->lock. */
void topics_retire(struct embedded_log *log, struct topic *topic);
/* Is the topic still there, and has it this partition? Thread: holds log->lock. */
weir_status topics_check(const struct topic *topic, uint32_t partition, struct error *error);
/*
 * Before something of a topic changes in the store: the log may be written, the topic is still there and
 * has this partition. With WEIR_OK the thread holds log->writing until topics_end_change.
 */
weir_status topics_begin_change(struct topic *topic, uint32_t partition, struct error *error);
void topics_end_change(struct topic *topic);

/* ---- compact.c --------------------------------------------------------------------------------- */

/* Gives up the pass that is under way, if there is one. */
void compact_end(struct embedded_log *log);

/* ---- group.c ---------------------------------------------------------------------------------- */

/* Frees what it holds. */
void group_deinit(struct group *group);

/* ---- append.c, commit.c, embedded_log.c ------------------------------------------------------------ */

/* Drops what lies at `end` and behind it from memory. Thread: holds log->lock. */
void partition_truncate(struct embedded_log *log, struct partition *part, int64_t end,
                        int64_t peak);
/* Drops the first chunks, as far as they end before `begin`. Thread: holds log->lock. */
void partition_forget(struct embedded_log *log, struct partition *part, int64_t begin);
/* Room for more parts or chunks of log->commit. */
bool commit_reserve(struct commit *commit, size_t parts, size_t chunks);
/* LOG_READ logs change nothing. */
weir_status embedded_check_writable(const struct embedded_log *log, struct error *error);

#endif
