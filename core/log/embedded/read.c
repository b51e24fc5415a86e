/* SPDX-License-Identifier: MIT */
/*
 * Reading: what is in memory comes from its chunks, what only the store has through one cached chunk per
 * partition. A commit may move the border between the two at any time, so every step looks anew where
 * its offset stands.
 *
 * A chunk of which a good part is read is lent: messages point into it, and the batch is one of its
 * holders. Of others the messages are copied, so that little never keeps much.
 */
#include <string.h>

#include "log/embedded/committed.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/store.h"

enum { LENT_PART = 4 /* of a chunk: what is less is copied */ };

/* Chunks that a batch looks into; in its arena. */
struct lent_chunk {
    struct lent_chunk *next;
    struct chunk *chunk;
};

struct loans {
    struct embedded_log *log;
    struct lent_chunk *chunks;
};

/* One log_read under way. */
struct reading {
    struct topic *topic;
    struct partition *part;
    uint32_t partition;
    int64_t offset; /* of the next message */
    uint32_t max_count;
    uint64_t max_bytes;
    struct arena *arena;
    struct log_message *messages; /* room for max_count; NULL: not yet allocated */
    uint32_t count;
    uint64_t bytes;
    struct loans *loans; /* NULL: nothing is lent */
};

enum place { PLACE_END, PLACE_MEMORY, PLACE_STORE };

static bool is_full(const struct reading *r)
{
    return r->count == r->max_count || r->bytes >= r->max_bytes;
}

/* Where the next message stands. Moves an offset before the begin. Thread: holds log->lock. */
static enum place place_next(const struct partition *part, int64_t *offset)
{
    if (*offset < part->kept.begin) {
        *offset = part->kept.begin;
    }
    if (*offset >= part->end) {
        return PLACE_END;
    }
    bool is_in_memory = part->chunks.count > 0 && *offset >= part->chunks.items[0]->base;
    return is_in_memory ? PLACE_MEMORY : PLACE_STORE;
}

static weir_status allocate_messages(struct reading *r, struct error *error)
{
    uint64_t room = (uint64_t)(r->part->end - r->offset);
    uint64_t by_bytes = r->max_bytes / CHUNK_MESSAGE_HEAD + 1;
    room = by_bytes < room ? by_bytes : room;
    r->max_count = room < r->max_count ? (uint32_t)room : r->max_count;
    r->messages = arena_alloc(r->arena, r->max_count * sizeof *r->messages);
    return r->messages == NULL ? error_no_memory(error) : WEIR_OK;
}

/* ---- lending --------------------------------------------------------------------------------------- */

static void end_loans(void *self)
{
    struct loans *loans = self;
    struct embedded_log *log = loans->log;
    for (struct lent_chunk *lent = loans->chunks; lent != NULL; lent = lent->next) {
        atomic_fetch_sub_explicit(&log->lent_bytes, lent->chunk->capacity, memory_order_relaxed);
        chunk_pool_give(&log->pool, lent->chunk);
    }
}

static bool is_worth_lending(const struct reading *r, const struct chunk *chunk,
                             const struct chunk_run *run)
{
    struct embedded_log *log = embedded_of(r->topic->face.log);
    uint64_t lent = atomic_load_explicit(&log->lent_bytes, memory_order_relaxed);
    return run->size >= chunk->size / LENT_PART && lent + chunk->capacity <= log->lent_limit;
}

/* False: no memory. */
static bool lend(struct reading *r, struct chunk *chunk)
{
    struct embedded_log *log = embedded_of(r->topic->face.log);
    if (r->loans == NULL) {
        r->loans = arena_zeroed(r->arena, sizeof *r->loans);
    }
    struct lent_chunk *lent = arena_alloc(r->arena, sizeof *lent);
    if (r->loans == NULL || lent == NULL) {
        return false;
    }
    *lent = (struct lent_chunk){ r->loans->chunks, chunk };
    *r->loans = (struct loans){ log, lent };
    chunk_hold(chunk);
    atomic_fetch_add_explicit(&log->lent_bytes, chunk->capacity, memory_order_relaxed);
    return true;
}

/* The bytes of a run, which stay as long as the batch. NULL: no memory. */
static const uint8_t *keep_run(struct reading *r, struct chunk *chunk, const struct chunk_run *run)
{
    if (!is_worth_lending(r, chunk, run)) {
        return chunk_copy(chunk, run, r->arena);
    }
    return lend(r, chunk) ? chunk->image + run->at : NULL;
}

/* ---- chunks ---------------------------------------------------------------------------------------- */

/* Thread: holds what keeps the chunk there: log->lock or part->loading. */
static weir_status read_chunk(struct reading *r, struct chunk *chunk, struct error *error)
{
    uint32_t index = chunk_index(chunk, r->offset);
    if (index == chunk->count) { /* compaction has removed the rest of it */
        r->offset = chunk->end;
        return WEIR_OK;
    }
    struct chunk_run run =
        chunk_run_at(chunk, index, r->max_count - r->count, r->max_bytes - r->bytes);
    const uint8_t *bytes = keep_run(r, chunk, &run);
    if (bytes == NULL || !chunk_unpack(chunk, &run, bytes, r->arena, r->messages + r->count)) {
        return error_no_memory(error);
    }
    r->count += run.count;
    r->bytes += run.size;
    r->offset =
        index + run.count == chunk->count ? chunk->end : r->messages[r->count - 1].offset + 1;
    return WEIR_OK;
}

/* Thread: holds log->lock. */
static weir_status read_memory(struct reading *r, struct error *error)
{
    const struct chunk_list *chunks = &r->part->chunks;
    weir_status st = WEIR_OK;
    for (size_t i = chunk_list_find(chunks, r->offset);
         st == WEIR_OK && i < chunks->count && !is_full(r); i++) {
        st = read_chunk(r, chunks->items[i], error);
    }
    return st;
}

/* ---- from the store -------------------------------------------------------------------------------- */

static void drop_cached(struct embedded_log *log, struct partition *part)
{
    if (part->cached != NULL) {
        atomic_fetch_sub_explicit(&log->cached_bytes, part->cached->capacity, memory_order_relaxed);
    }
    chunk_pool_give(&log->pool, part->cached);
    part->cached = NULL;
}

/* Makes the chunk of the offset the cached one. Thread: holds part->loading. */
static weir_status load_chunk(struct topic *topic, uint32_t partition, int64_t offset,
                              struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    struct partition *part = &topic->parts[partition];
    if (part->cached != NULL) {
        if (offset >= part->cached->base && offset < part->cached->end) {
            return WEIR_OK;
        }
        drop_cached(log, part);
    }
    weir_status st = log->store->ops->read_chunk(log->store, topic, partition, offset, &log->pool,
                                                 &part->cached, error);
    if (st == WEIR_OK) {
        atomic_fetch_add_explicit(&log->cached_bytes, part->cached->capacity, memory_order_relaxed);
    }
    return st;
}

/*
 * Nothing there: a gap, unless the topic was emptied or dropped meanwhile, perhaps by another process
 * (WEIR_AGAIN: look anew).
 */
static weir_status explain_gap(struct topic *topic, uint32_t partition, int64_t offset,
                               struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    weir_status st = embedded_refresh(&log->face, error);
    if (st != WEIR_OK) {
        return st;
    }
    pthread_mutex_lock(&log->lock);
    st = topics_check(topic, partition, error);
    bool is_gone = st == WEIR_OK && offset < topic->parts[partition].kept.begin;
    pthread_mutex_unlock(&log->lock);
    if (st != WEIR_OK || is_gone) {
        return st != WEIR_OK ? st : WEIR_AGAIN;
    }
    return committed_hole(topic, partition, offset, error);
}

static weir_status read_store(struct reading *r, struct error *error)
{
    struct embedded_log *log = embedded_of(r->topic->face.log);
    pthread_mutex_lock(&r->part->loading);
    weir_status st = load_chunk(r->topic, r->partition, r->offset, error);
    if (st == WEIR_OK) {
        st = read_chunk(r, r->part->cached, error);
        bool is_much =
            atomic_load_explicit(&log->cached_bytes, memory_order_relaxed) > log->cached_limit;
        if (r->offset == r->part->cached->end || is_much) {
            drop_cached(log, r->part);
        }
    }
    pthread_mutex_unlock(&r->part->loading);
    return st == WEIR_E_NOT_FOUND ? explain_gap(r->topic, r->partition, r->offset, error) : st;
}

/* One step: all that is in memory, or one chunk of the store. */
static weir_status read_step(struct reading *r, enum place *ret_place, struct error *error)
{
    struct embedded_log *log = embedded_of(r->topic->face.log);
    pthread_mutex_lock(&log->lock);
    weir_status st = topics_check(r->topic, r->partition, error);
    if (st == WEIR_OK) {
        r->part = &r->topic->parts[r->partition];
        *ret_place = place_next(r->part, &r->offset);
        if (*ret_place != PLACE_END && r->messages == NULL) {
            st = allocate_messages(r, error);
        }
        if (st == WEIR_OK && *ret_place == PLACE_MEMORY) {
            st = read_memory(r, error);
        }
    }
    pthread_mutex_unlock(&log->lock);
    if (st == WEIR_OK && *ret_place == PLACE_STORE) {
        st = read_store(r, error);
    }
    return st;
}

weir_status embedded_read(struct log_topic *face, uint32_t partition, int64_t offset,
                          uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                          struct log_batch *ret_batch, struct error *error)
{
    struct reading r = { .topic = topic_of(face),
                         .partition = partition,
                         .offset = offset,
                         .max_count = max_count,
                         .max_bytes = max_bytes == 0 ? 1 : max_bytes,
                         .arena = arena };
    enum place place = PLACE_STORE;
    while (place == PLACE_STORE && !is_full(&r)) {
        weir_status st = read_step(&r, &place, error);
        if (st < 0) {
            if (r.loans != NULL) {
                end_loans(r.loans);
            }
            return st;
        }
    }
    *ret_batch = (struct log_batch){ .messages = r.messages,
                                     .count = r.count,
                                     .next = r.offset,
                                     .is_at_end = place != PLACE_STORE && !is_full(&r) };
    if (r.loans != NULL) {
        ret_batch->lease = (struct log_lease){ end_loans, r.loans };
    }
    return WEIR_OK;
}

/* ---- by time --------------------------------------------------------------------------------------- */

/* What can be told about the chunk around an offset. */
struct glimpse {
    int64_t base;
    int64_t end;
    int64_t peak;
    int64_t found; /* first offset from the one asked for on that is not older, or end */
};

static void look_at(const struct chunk *chunk, int64_t offset, int64_t timestamp,
                    struct glimpse *ret)
{
    *ret = (struct glimpse){ .base = chunk->base, .end = chunk->end, .peak = chunk->peak };
    ret->found = chunk_find_time(chunk, offset, timestamp);
}

/* Moves an offset before the begin. PLACE_END: it is at the end. WEIR_AGAIN: look anew. */
static weir_status glimpse_at(struct topic *topic, uint32_t partition, int64_t *offset,
                              int64_t timestamp, enum place *ret_place, struct glimpse *ret,
                              struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    pthread_mutex_lock(&log->lock);
    weir_status st = topics_check(topic, partition, error);
    if (st == WEIR_OK) {
        const struct partition *part = &topic->parts[partition];
        *ret_place = place_next(part, offset);
        if (*ret_place == PLACE_MEMORY) {
            size_t at = chunk_list_find(&part->chunks, *offset);
            look_at(part->chunks.items[at], *offset, timestamp, ret);
        }
    }
    pthread_mutex_unlock(&log->lock);
    if (st != WEIR_OK || *ret_place != PLACE_STORE) {
        return st;
    }
    struct partition *part = &topic->parts[partition];
    pthread_mutex_lock(&part->loading);
    st = load_chunk(topic, partition, *offset, error);
    if (st == WEIR_OK) {
        look_at(part->cached, *offset, timestamp, ret);
    }
    pthread_mutex_unlock(&part->loading);
    return st == WEIR_E_NOT_FOUND ? explain_gap(topic, partition, *offset, error) : st;
}

/* The peaks of chunks never fall: halve until the first chunk that reaches the time. */
static weir_status search_chunk(struct topic *topic, uint32_t partition, int64_t timestamp,
                                int64_t low, int64_t high, int64_t *ret_offset, struct error *error)
{
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        enum place place = PLACE_END;
        struct glimpse seen = { 0 };
        weir_status st = glimpse_at(topic, partition, &middle, timestamp, &place, &seen, error);
        if (st < 0) {
            return st;
        }
        if (st == WEIR_AGAIN) {
            continue;
        }
        if (place == PLACE_END || middle >= high) { /* emptied meanwhile */
            low = middle;
            break;
        }
        if (seen.peak >= timestamp) {
            high = seen.base;
        } else {
            low = seen.end;
        }
    }
    *ret_offset = low;
    return WEIR_OK;
}

weir_status embedded_offset_at(struct log_topic *face, uint32_t partition, int64_t timestamp,
                               int64_t *ret_offset, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct log_partition_info info;
    int64_t offset = 0;
    weir_status st = embedded_partition_info(face, partition, &info, error);
    if (st == WEIR_OK) {
        st = search_chunk(topic, partition, timestamp, info.begin, info.end, &offset, error);
    }
    while (st >= 0) {
        enum place place = PLACE_END;
        struct glimpse seen = { 0 };
        st = glimpse_at(topic, partition, &offset, timestamp, &place, &seen, error);
        if (st == WEIR_OK && place == PLACE_END) {
            *ret_offset = offset;
            return WEIR_OK;
        }
        if (st == WEIR_OK && seen.found < seen.end) {
            *ret_offset = seen.found;
            return WEIR_OK;
        }
        if (st == WEIR_OK) {
            offset = seen.end;
        }
    }
    return st;
}
