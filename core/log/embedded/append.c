/* SPDX-License-Identifier: MIT */
/*
 * Appending: messages go into chunks in memory, where readers find them at once.
 */
#include "base/clock.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/store.h"

void partition_truncate(struct embedded_log *log, struct partition *part, int64_t end, int64_t peak)
{
    struct chunk *last = chunk_list_last(&part->chunks);
    while (last != NULL && last->base >= end) {
        chunk_list_drop_last(&part->chunks, 1, &log->pool);
        last = chunk_list_last(&part->chunks);
    }
    if (last != NULL && last->end > end) {
        chunk_truncate(last, (uint32_t)(end - last->base), peak);
        /* What comes next must not be written over what a batch still looks into. */
        part->is_sealed = part->is_sealed || chunk_is_shared(last);
    }
    part->end = end;
    part->peak = peak;
}

void partition_forget(struct embedded_log *log, struct partition *part, int64_t begin)
{
    size_t n = 0;
    while (n < part->chunks.count && part->chunks.items[n]->end <= begin) {
        n++;
    }
    chunk_list_drop_first(&part->chunks, n, &log->pool);
}

/* The chunk that takes the next message. NULL: no memory. */
static struct chunk *chunk_for(struct embedded_log *log, struct partition *part, uint64_t size)
{
    struct chunk *chunk = chunk_list_last(&part->chunks);
    if (chunk != NULL && !part->is_sealed && chunk_has_room(chunk, size)) {
        return chunk;
    }
    chunk = chunk_pool_take(&log->pool, CHUNK_HEAD + size);
    if (chunk == NULL) {
        return NULL;
    }
    if (!chunk_list_push(&part->chunks, chunk)) {
        chunk_pool_give(&log->pool, chunk);
        return NULL;
    }
    chunk_clear(chunk, part->end, part->peak);
    chunk->marks.written_ms = clock_wall_ms();
    part->is_sealed = false;
    return chunk;
}

static weir_status append_one(struct embedded_log *log, struct partition *part,
                              const struct log_message *message, uint64_t *bytes,
                              struct error *error)
{
    uint64_t size = chunk_message_size(message);
    if (size > CHUNK_MESSAGE_LIMIT) {
        return error_set(error, WEIR_E_LIMIT, WEIR_CLASS_DATA,
                         "a message is larger than the log takes (%llu bytes)",
                         (unsigned long long)CHUNK_MESSAGE_LIMIT);
    }
    struct chunk *chunk = chunk_for(log, part, size);
    if (chunk == NULL) {
        return error_no_memory(error);
    }
    chunk_add(chunk, message, size);
    part->end++;
    part->peak = chunk->peak;
    *bytes += size;
    return WEIR_OK;
}

/* All of them or, after an error, none. */
static weir_status append_all(struct embedded_log *log, struct partition *part,
                              const struct log_message *messages, uint32_t count,
                              struct error *error)
{
    int64_t end = part->end;
    int64_t peak = part->peak;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        weir_status st = append_one(log, part, &messages[i], &bytes, error);
        if (st != WEIR_OK) {
            partition_truncate(log, part, end, peak);
            return st;
        }
    }
    if (count > 0) {
        chunk_list_last(&part->chunks)->marks.written_ms = clock_wall_ms();
    }
    part->pending += bytes;
    atomic_fetch_add_explicit(&log->pending_bytes, bytes, memory_order_relaxed);
    return WEIR_OK;
}

/* Of a message without a key no other can be the newer. */
static weir_status check_keys(const struct topic *topic, const struct log_message *messages,
                              uint32_t count, struct error *error)
{
    for (uint32_t i = 0; topic->options.is_compacted && i < count; i++) {
        if (messages[i].key.size == LOG_ABSENT) {
            return error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                             "the topic '%s' is compacted and takes no message without a key",
                             topic->face.name);
        }
    }
    return WEIR_OK;
}

static void wake_reader(struct embedded_log *log, const struct log_topic *topic, uint32_t partition)
{
    pthread_mutex_lock(&log->waking);
    if (log->wake != NULL) {
        log->wake(log->wake_self, topic, partition);
    }
    pthread_mutex_unlock(&log->waking);
}

weir_status embedded_append(struct log_topic *face, uint32_t partition,
                            const struct log_message *messages, uint32_t count, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct embedded_log *log = embedded_of(face->log);
    weir_status st = embedded_check_writable(log, error);
    if (st != WEIR_OK) {
        return st;
    }
    pthread_mutex_lock(&log->lock);
    st = topics_check(topic, partition, error);
    if (st == WEIR_OK) {
        st = check_keys(topic, messages, count, error);
    }
    if (st == WEIR_OK) {
        st = append_all(log, &topic->parts[partition], messages, count, error);
    }
    pthread_mutex_unlock(&log->lock);
    if (st == WEIR_OK && count > 0) {
        wake_reader(log, face, partition);
    }
    return st;
}

void embedded_on_append(struct log *face, log_wake *wake, void *self)
{
    struct embedded_log *log = embedded_of(face);
    pthread_mutex_lock(&log->waking);
    log->wake = wake;
    log->wake_self = self;
    pthread_mutex_unlock(&log->waking);
}

uint64_t embedded_pending_bytes(struct log *face)
{
    struct embedded_log *log = embedded_of(face);
    return atomic_load_explicit(&log->pending_bytes, memory_order_relaxed);
}
