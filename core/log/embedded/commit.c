/* SPDX-License-Identifier: MIT */
/*
 * Commit and rollback: what lies in chunks in memory goes to the store in one piece, with positions and
 * facts, or is dropped.
 */
#include <stdio.h>

#include "base/memory.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/positions.h"
#include "log/embedded/store.h"

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
static bool collect_part(struct embedded_log *log, struct topic *topic, uint32_t partition)
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

static bool collect(struct embedded_log *log)
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
static void finish_commit(struct embedded_log *log)
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

/* The epoch's facts with its positions, which the store keeps as facts too. NULL: no memory. */
static struct log_fact *all_facts(const struct log_epoch *epoch, struct arena *arena,
                                  size_t *ret_count)
{
    size_t count = 0;
    struct log_fact *facts =
        arena_alloc(arena, (epoch->position_count + epoch->fact_count + 1) * sizeof *facts);
    uint8_t *bytes = arena_alloc(arena, (epoch->position_count + 1) * POSITION_SIZE);
    for (size_t i = 0; facts != NULL && bytes != NULL && i < epoch->position_count; i++) {
        const struct log_position *position = &epoch->positions[i];
        const char *key = position_key(arena, position->topic->name, position->partition);
        if (key == NULL) {
            return NULL;
        }
        position_encode(position->offset, bytes);
        facts[count++] = (struct log_fact){ .key = key, .value = { bytes, POSITION_SIZE } };
        bytes += POSITION_SIZE;
    }
    for (size_t i = 0; facts != NULL && i < epoch->fact_count; i++) {
        facts[count++] = epoch->facts[i];
    }
    *ret_count = count;
    return bytes == NULL ? NULL : facts;
}

/* Thread: holds log->writing. */
static weir_status write_epoch(struct embedded_log *log, const char *group,
                               const struct log_fact *facts, size_t count, struct error *error)
{
    if (!collect(log)) {
        return error_no_memory(error);
    }
    if (log->commit.part_count == 0 && count == 0) {
        return WEIR_OK;
    }
    weir_status st = log->store->ops->commit(log->store, &log->commit, group, facts, count, error);
    if (st == WEIR_OK) {
        finish_commit(log);
    }
    return st;
}

weir_status embedded_commit(struct log *face, const char *group, const struct log_epoch *epoch,
                            struct error *error)
{
    struct embedded_log *log = embedded_of(face);
    weir_status st = embedded_check_writable(log, error);
    if (st != WEIR_OK) {
        return st;
    }
    struct arena arena;
    arena_init(&arena, 0);
    size_t count = 0;
    const struct log_fact *facts = all_facts(epoch, &arena, &count);
    pthread_mutex_lock(&log->writing);
    snprintf(log->last_group, sizeof log->last_group, "%s", group);
    st = facts == NULL ? error_no_memory(error) : write_epoch(log, group, facts, count, error);
    pthread_mutex_unlock(&log->writing);
    arena_deinit(&arena);
    return st;
}

weir_status embedded_rollback(struct log *face, struct error *error)
{
    (void)error;
    struct embedded_log *log = embedded_of(face);
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
    return WEIR_OK;
}

/* ---- facts ----------------------------------------------------------------------------------------- */

weir_status embedded_fact_get(struct log *face, const char *group, const char *key,
                              struct arena *arena, weir_slice *ret_value, struct error *error)
{
    struct embedded_log *log = embedded_of(face);
    return log->store->ops->fact_get(log->store, group, key, arena, ret_value, error);
}

weir_status embedded_facts(struct log *face, const char *group, struct arena *arena,
                           struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    struct embedded_log *log = embedded_of(face);
    return log->store->ops->facts(log->store, group, arena, ret_facts, ret_count, error);
}
