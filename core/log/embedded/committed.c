/* SPDX-License-Identifier: MIT */
#include "log/embedded/committed.h"

static bool keeps_chunks(const struct embedded_log *log)
{
    return log->store->ops->keeps_chunks;
}

/* ---- looking ----------------------------------------------------------------------------------- */

static size_t list_memory(const struct partition *part, int64_t from, struct chunk_about *ret,
                          size_t max)
{
    size_t count = 0;
    for (size_t i = chunk_list_find(&part->chunks, from); i < part->chunks.count && count < max;
         i++) {
        const struct chunk *chunk = part->chunks.items[i];
        if (chunk->end > part->kept.end) {
            break;
        }
        if (chunk->end > from) {
            ret[count++] = chunk_about(chunk);
        }
    }
    return count;
}

weir_status committed_list(const struct topic *topic, uint32_t partition, int64_t from,
                           struct chunk_about *ret_chunks, size_t max, size_t *ret_count,
                           struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    if (!keeps_chunks(log)) {
        return log->store->ops->list_chunks(log->store, topic, partition, from, ret_chunks, max,
                                            ret_count, error);
    }
    pthread_mutex_lock(&log->lock);
    *ret_count = list_memory(&topic->parts[partition], from, ret_chunks, max);
    pthread_mutex_unlock(&log->lock);
    return WEIR_OK;
}

weir_status committed_last(const struct topic *topic, uint32_t partition, int64_t *ret_base,
                           struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    const struct partition *part = &topic->parts[partition];
    struct chunk_about last = { .base = part->kept.begin };
    size_t count = 0;
    weir_status st = WEIR_OK;
    if (keeps_chunks(log)) {
        pthread_mutex_lock(&log->lock);
        last.base = part->chunks.items[chunk_list_find(&part->chunks, part->kept.end - 1)]->base;
        pthread_mutex_unlock(&log->lock);
    } else {
        st = committed_list(topic, partition, part->kept.end - 1, &last, 1, &count, error);
    }
    *ret_base = last.base;
    return st;
}

weir_status committed_hole(const struct topic *topic, uint32_t partition, int64_t offset,
                           struct error *error)
{
    struct store *store = embedded_of(topic->face.log)->store;
    char cause[CAUSE_BYTES] = "";
    if (store->ops->cause != NULL) {
        store->ops->cause(store, cause, sizeof cause);
    }
    return error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                     "the log is damaged: %stopic '%s' partition %u has no message at offset %lld",
                     cause, topic->face.name, partition, (long long)offset);
}

weir_status committed_take(const struct topic *topic, uint32_t partition, int64_t base,
                           struct chunk **ret_chunk, struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    if (!keeps_chunks(log)) {
        weir_status st = log->store->ops->read_chunk(log->store, topic, partition, base, &log->pool,
                                                     ret_chunk, error);
        return st != WEIR_E_NOT_FOUND ? st : committed_hole(topic, partition, base, error);
    }
    pthread_mutex_lock(&log->lock);
    const struct chunk_list *chunks = &topic->parts[partition].chunks;
    *ret_chunk = chunks->items[chunk_list_find(chunks, base)];
    pthread_mutex_unlock(&log->lock);
    return WEIR_OK;
}

void committed_give(struct embedded_log *log, struct chunk *chunk)
{
    if (!keeps_chunks(log)) {
        chunk_pool_give(&log->pool, chunk);
    }
}

weir_status committed_count_before(const struct topic *topic, uint32_t partition,
                                   const struct chunk_about *about, int64_t offset,
                                   int64_t *ret_count, struct error *error)
{
    bool is_dense = about->end - about->base == about->count;
    if (offset <= about->base || offset >= about->end || is_dense) {
        int64_t before = offset >= about->end ? about->count : offset - about->base;
        *ret_count = before < 0 ? 0 : before;
        return WEIR_OK;
    }
    struct chunk *chunk = NULL;
    weir_status st = committed_take(topic, partition, about->base, &chunk, error);
    if (st == WEIR_OK) {
        *ret_count = chunk_index(chunk, offset);
        committed_give(embedded_of(topic->face.log), chunk);
    }
    return st;
}

/* ---- replacing --------------------------------------------------------------------------------- */

static const struct chunk *added_at(const struct rewrite *rewrite, int64_t base)
{
    for (size_t i = 0; i < rewrite->added_count; i++) {
        if (rewrite->added[i]->base == base) {
            return rewrite->added[i];
        }
    }
    return NULL;
}

/* Drops what goes; each added chunk stands at the place of one that goes. Holds log->lock. */
static void replace_memory(struct embedded_log *log, struct partition *part,
                           const struct rewrite *rewrite)
{
    struct chunk_list *chunks = &part->chunks;
    for (size_t i = 0; i < rewrite->removed_count; i++) {
        size_t at = chunk_list_find(chunks, rewrite->removed[i]);
        if (added_at(rewrite, rewrite->removed[i]) == NULL) {
            chunk_list_remove(chunks, at, &log->pool);
        }
    }
    for (size_t i = 0; i < rewrite->added_count; i++) {
        size_t at = chunk_list_find(chunks, rewrite->added[i]->base);
        chunk_pool_give(&log->pool, chunks->items[at]);
        chunks->items[at] = rewrite->added[i];
    }
    for (size_t i = 0; i < rewrite->marked_count; i++) {
        size_t at = chunk_list_find(chunks, rewrite->marked[i].base);
        chunks->items[at]->marks = rewrite->marked[i].marks;
    }
}

static void give_added(struct embedded_log *log, const struct rewrite *rewrite)
{
    for (size_t i = 0; i < rewrite->added_count; i++) {
        chunk_pool_give(&log->pool, rewrite->added[i]);
    }
}

weir_status committed_rewrite(struct topic *topic, const struct rewrite *rewrite,
                              struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    struct partition *part = &topic->parts[rewrite->partition];
    /* First the readers leave what goes, then it goes. */
    pthread_mutex_lock(&log->lock);
    struct partition_state before = part->kept;
    part->kept = rewrite->state;
    pthread_mutex_unlock(&log->lock);
    weir_status st = log->store->ops->rewrite(log->store, rewrite, error);
    pthread_mutex_lock(&log->lock);
    if (st != WEIR_OK) {
        part->kept = before;
    } else if (keeps_chunks(log)) {
        replace_memory(log, part, rewrite);
    }
    pthread_mutex_unlock(&log->lock);
    if (st != WEIR_OK || !keeps_chunks(log)) {
        give_added(log, rewrite);
    }
    return st;
}
