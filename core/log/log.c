/* SPDX-License-Identifier: MIT */
/*
 * The log as its users see it: opening by URL, appending, committing and rolling back, facts. What is
 * appended lies in chunks in memory until a commit hands them to the store in one piece.
 */
#include "log/log.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "log/store.h"

/* ---- opening ------------------------------------------------------------------------------------- */

static const char local_scheme[] = "local:";

static bool has_scheme(const char *url, const char *scheme)
{
    return strncmp(url, scheme, strlen(scheme)) == 0;
}

bool log_url_check(const char *url, const char **ret_fault)
{
    const char *fault = NULL;
    if (has_scheme(url, local_scheme)) {
        fault = url[strlen(local_scheme)] == '\0' ? "it names no folder; write local:DIR" : NULL;
    } else if (has_scheme(url, "kafka:")) {
        fault = "this build has no Kafka log; use local:DIR";
    } else if (strcmp(url, "memory") != 0) {
        fault = "it is none of the logs that there are; use local:DIR or memory";
    }
    if (fault != NULL && ret_fault != NULL) {
        *ret_fault = fault;
    }
    return fault == NULL;
}

static weir_status create_store(const char *url, const char *folder, enum log_mode mode,
                                const struct log_memory *memory, struct store **ret_store,
                                struct error *error)
{
    if (!has_scheme(url, local_scheme)) {
        return memory_store_create(mode, ret_store, error);
    }
    const char *name = url + strlen(local_scheme);
    struct arena arena;
    arena_init(&arena, 0);
    weir_status st = WEIR_E_NOMEM;
    const char *path = file_join(&arena, folder == NULL ? "." : folder, name);
    if (path == NULL) {
        (void)error_no_memory(error);
    } else {
        st = local_store_create(name, path, mode, memory, ret_store, error);
    }
    arena_deinit(&arena);
    return st;
}

static struct log *create_log(struct store *store, enum log_mode mode)
{
    struct log *log = memory_zeroed(1, sizeof *log);
    if (log == NULL) {
        return NULL;
    }
    log->store = store;
    log->mode = mode;
    log->next_topic_id = 1;
    pthread_mutex_init(&log->writing, NULL);
    pthread_mutex_init(&log->lock, NULL);
    pthread_mutex_init(&log->waking, NULL);
    chunk_pool_init(&log->pool, store->ops->keeps_chunks);
    return log;
}

weir_status log_open(const char *url, const char *folder, enum log_mode mode, struct log **ret_log,
                     struct error *error)
{
    return log_open_within(url, folder, mode, NULL, ret_log, error);
}

weir_status log_open_within(const char *url, const char *folder, enum log_mode mode,
                            const struct log_memory *memory, struct log **ret_log,
                            struct error *error)
{
    const char *fault = NULL;
    if (!log_url_check(url, &fault)) {
        return error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG,
                         "cannot open the log '%s': %s", url, fault);
    }
    struct store *store = NULL;
    weir_status st = create_store(url, folder, mode, memory, &store, error);
    if (st != WEIR_OK) {
        return st;
    }
    struct log *log = create_log(store, mode);
    if (log == NULL) {
        store->ops->destroy(store);
        return error_no_memory(error);
    }
    log->cached_limit = memory != NULL ? memory->chunks : UINT64_MAX;
    if (memory != NULL) {
        log->pool.warm_bytes = memory->chunks;
    }
    st = topics_reload(log, error);
    if (st != WEIR_OK) {
        log_close(log);
        return st;
    }
    *ret_log = log;
    return WEIR_OK;
}

void log_close(struct log *log)
{
    if (log == NULL) {
        return;
    }
    log->store->ops->destroy(log->store);
    compact_end(log);
    topics_deinit(log);
    chunk_pool_deinit(&log->pool);
    memory_free(log->commit.parts);
    memory_free(log->commit.chunks);
    pthread_mutex_destroy(&log->waking);
    pthread_mutex_destroy(&log->lock);
    pthread_mutex_destroy(&log->writing);
    memory_free(log);
}

weir_status log_check_writable(const struct log *log, struct error *error)
{
    if (log->mode == LOG_WRITE) {
        return WEIR_OK;
    }
    return error_set(error, WEIR_E_INVALID, WEIR_CLASS_BUG,
                     "cannot change a log that is open for reading only");
}

weir_status log_refresh(struct log *log, struct error *error)
{
    if (log->mode == LOG_WRITE || log->store->ops->refresh == NULL) {
        return WEIR_OK;
    }
    pthread_mutex_lock(&log->writing);
    weir_status st = log->store->ops->refresh(log->store, error);
    if (st == WEIR_OK) {
        st = topics_reload(log, error);
    }
    pthread_mutex_unlock(&log->writing);
    return st;
}

/* ---- appending ----------------------------------------------------------------------------------- */

void partition_truncate(struct log *log, struct partition *part, int64_t end, int64_t peak)
{
    struct chunk *last = chunk_list_last(&part->chunks);
    while (last != NULL && last->base >= end) {
        chunk_list_drop_last(&part->chunks, 1, &log->pool);
        last = chunk_list_last(&part->chunks);
    }
    if (last != NULL && last->end > end) {
        chunk_truncate(last, (uint32_t)(end - last->base), peak);
    }
    part->end = end;
    part->peak = peak;
}

void partition_forget(struct log *log, struct partition *part, int64_t begin)
{
    size_t n = 0;
    while (n < part->chunks.count && part->chunks.items[n]->end <= begin) {
        n++;
    }
    chunk_list_drop_first(&part->chunks, n, &log->pool);
}

/* The chunk that takes the next message. NULL: no memory. */
static struct chunk *chunk_for(struct log *log, struct partition *part, uint64_t size)
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

static weir_status append_one(struct log *log, struct partition *part,
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
static weir_status append_all(struct log *log, struct partition *part,
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

static void wake_reader(struct log *log, const struct log_topic *topic, uint32_t partition)
{
    pthread_mutex_lock(&log->waking);
    if (log->wake != NULL) {
        log->wake(log->wake_self, topic, partition);
    }
    pthread_mutex_unlock(&log->waking);
}

weir_status log_append(struct log_topic *face, uint32_t partition,
                       const struct log_message *messages, uint32_t count, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct log *log = face->log;
    weir_status st = log_check_writable(log, error);
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

void log_on_append(struct log *log, log_wake *wake, void *self)
{
    pthread_mutex_lock(&log->waking);
    log->wake = wake;
    log->wake_self = self;
    pthread_mutex_unlock(&log->waking);
}

uint64_t log_pending_bytes(struct log *log)
{
    return atomic_load_explicit(&log->pending_bytes, memory_order_relaxed);
}

/* ---- committing ---------------------------------------------------------------------------------- */

/* Makes *capacity at least `wanted`. */
static bool reserve(void **items, size_t *capacity, size_t wanted, size_t item_size)
{
    if (wanted <= *capacity) {
        return true;
    }
    size_t grown = wanted < 64 ? 64 : wanted * 2;
    void *memory = memory_resize(*items, grown * item_size);
    if (memory == NULL) {
        return false;
    }
    *items = memory;
    *capacity = grown;
    return true;
}

bool commit_reserve(struct commit *commit, size_t parts, size_t chunks)
{
    void *part_items = commit->parts;
    void *chunk_items = commit->chunks;
    bool is_done = reserve(&part_items, &commit->part_capacity, commit->part_count + parts,
                           sizeof *commit->parts) &&
                   reserve(&chunk_items, &commit->chunk_capacity, commit->chunk_count + chunks,
                           sizeof *commit->chunks);
    commit->parts = part_items;
    commit->chunks = chunk_items;
    return is_done;
}

/* What is new stays as it is while the store seals and writes it. */
static void collect_chunks(struct commit *commit, struct partition *part)
{
    size_t first = chunk_list_find(&part->chunks, part->kept.end);
    for (size_t i = first; i < part->chunks.count; i++) {
        commit->chunks[commit->chunk_count++] = part->chunks.items[i];
    }
    part->is_sealed = true;
}

/* Adds a partition's share. Thread: holds log->lock. */
static bool collect_part(struct log *log, struct topic *topic, uint32_t partition)
{
    struct commit *commit = &log->commit;
    struct partition *part = &topic->parts[partition];
    if (part->end == part->kept.end) {
        return true;
    }
    bool has_chunks = !log->store->ops->keeps_chunks;
    if (!commit_reserve(commit, 1, has_chunks ? part->chunks.count : 0)) {
        return false;
    }
    size_t first_chunk = commit->chunk_count;
    if (has_chunks) {
        collect_chunks(commit, part);
    }
    commit->parts[commit->part_count++] = (struct commit_part){
        .topic = topic,
        .partition = partition,
        .first_chunk = first_chunk,
        .chunk_count = commit->chunk_count - first_chunk,
        .pending = part->pending,
        .state = part->kept,
    };
    struct partition_state *state = &commit->parts[commit->part_count - 1].state;
    state->end = part->end;
    state->peak = part->peak;
    state->bytes += part->pending;
    state->count += part->end - part->kept.end;
    return true;
}

static bool collect(struct log *log)
{
    bool is_done = true;
    log->commit.part_count = 0;
    log->commit.chunk_count = 0;
    pthread_mutex_lock(&log->lock);
    for (size_t i = 0; i < log->topic_count && is_done; i++) {
        struct topic *topic = log->topics[i];
        for (uint32_t p = 0; p < topic->face.partitions && is_done; p++) {
            is_done = collect_part(log, topic, p);
        }
    }
    pthread_mutex_unlock(&log->lock);
    return is_done;
}

/* The store has it: readers find it there from now on. */
static void finish_commit(struct log *log)
{
    pthread_mutex_lock(&log->lock);
    for (size_t i = 0; i < log->commit.part_count; i++) {
        const struct commit_part *done = &log->commit.parts[i];
        struct partition *part = &done->topic->parts[done->partition];
        part->kept = done->state;
        part->pending -= done->pending;
        atomic_fetch_sub_explicit(&log->pending_bytes, done->pending, memory_order_relaxed);
        if (!log->store->ops->keeps_chunks) {
            partition_forget(log, part, part->kept.end);
        }
    }
    pthread_mutex_unlock(&log->lock);
}

weir_status log_commit(struct log *log, const char *group, const struct log_fact *facts,
                       size_t count, struct error *error)
{
    weir_status st = log_check_writable(log, error);
    if (st != WEIR_OK) {
        return st;
    }
    pthread_mutex_lock(&log->writing);
    snprintf(log->group, sizeof log->group, "%s", group);
    if (!collect(log)) {
        st = error_no_memory(error);
    } else if (log->commit.part_count > 0 || count > 0) {
        st = log->store->ops->commit(log->store, &log->commit, group, facts, count, error);
        if (st == WEIR_OK) {
            finish_commit(log);
        }
    }
    pthread_mutex_unlock(&log->writing);
    return st;
}

void log_rollback(struct log *log)
{
    pthread_mutex_lock(&log->writing);
    pthread_mutex_lock(&log->lock);
    for (size_t i = 0; i < log->topic_count; i++) {
        struct topic *topic = log->topics[i];
        for (uint32_t p = 0; p < topic->face.partitions; p++) {
            struct partition *part = &topic->parts[p];
            partition_truncate(log, part, part->kept.end, part->kept.peak);
            part->pending = 0;
        }
    }
    atomic_store_explicit(&log->pending_bytes, 0, memory_order_relaxed);
    pthread_mutex_unlock(&log->lock);
    pthread_mutex_unlock(&log->writing);
}

/* ---- facts ----------------------------------------------------------------------------------------- */

weir_status log_fact_get(struct log *log, const char *group, const char *key, struct arena *arena,
                         weir_slice *ret_value, struct error *error)
{
    return log->store->ops->fact_get(log->store, group, key, arena, ret_value, error);
}

weir_status log_facts(struct log *log, const char *group, struct arena *arena,
                      struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    return log->store->ops->facts(log->store, group, arena, ret_facts, ret_count, error);
}
