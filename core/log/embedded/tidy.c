/* SPDX-License-Identifier: MIT */
/*
 * Retention, and the round over all partitions in which it and compaction have their turns.
 *
 * Time counts from when a chunk was written, not by the timestamps of its messages: neither old data
 * that is read in today nor one wrong timestamp then decides how long everything stays.
 */
#include "log/embedded/tidy.h"
#include "log/embedded/embedded_log.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"

enum { PIECE = 64 }; /* chunks that are looked at in one step */

/* ---- retention ------------------------------------------------------------------------------------- */

/* How many of the first chunks go by time or size. */
static size_t count_due(const struct log_topic_options *options, uint64_t bytes,
                        const struct chunk_about *chunks, size_t count, int64_t now_ms)
{
    size_t due = 0;
    for (; due < count; due++) {
        const struct chunk_about *chunk = &chunks[due];
        bool is_old =
            options->retention_ms > 0 && chunk->marks.written_ms <= now_ms - options->retention_ms;
        bool is_over = options->retention_bytes > 0 && bytes >= chunk->bytes &&
                       bytes - chunk->bytes >= (uint64_t)options->retention_bytes;
        if (!is_old && !is_over) {
            break;
        }
        bytes -= chunk->bytes;
    }
    return due;
}

weir_status retention_limit(struct topic *topic, uint32_t partition, struct arena *arena,
                            int64_t *ret_limit, const char **ret_group, struct error *error)
{
    struct log_reader *readers = NULL;
    size_t count = 0;
    int64_t limit = INT64_MAX;
    weir_status st = embedded_readers(&topic->face, NULL, arena, &readers, &count, error);
    for (size_t i = 0; st == WEIR_OK && i < count; i++) {
        if (readers[i].partition == partition && readers[i].position < limit) {
            limit = readers[i].position;
            if (ret_group != NULL) {
                *ret_group = readers[i].group;
            }
        }
    }
    *ret_limit = limit;
    return st;
}

/* Who runs reads on; what nobody goes on reading is told, once. */
static void tell_held(struct topic *topic, uint32_t partition, const char *group, int64_t position)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    struct partition *part = &topic->parts[partition];
    if (part->is_held_told || strcmp(group, log->last_group) == 0) {
        return;
    }
    part->is_held_told = true;
    logger_write(
        LOGGER_WARNING, topic->face.name,
        "retention keeps messages of partition %" PRIu32 " that pipeline '%s' has not read, "
        "from offset %" PRId64 " on; run it, or after this run 'weir topic trim %s --before "
        "OFFSET --unread'",
        partition, group, position, topic->face.name);
}

/* Whole chunks that everybody has read. */
static weir_status remove_due(struct topic *topic, uint32_t partition,
                              const struct chunk_about *chunks, size_t due, bool *ret_did,
                              struct error *error)
{
    struct arena arena;
    int64_t limit = 0;
    const char *group = NULL;
    arena_init(&arena, 0);
    weir_status st = retention_limit(topic, partition, &arena, &limit, &group, error);
    size_t count = due;
    while (st == WEIR_OK && count > 0 && chunks[count - 1].end > limit) {
        count--;
    }
    if (st == WEIR_OK && count < due) {
        tell_held(topic, partition, group, limit);
    }
    if (st == WEIR_OK && count > 0) {
        st = partition_cut(topic, partition, chunks[count - 1].end, NULL, 0, error);
        *ret_did = true;
    }
    arena_deinit(&arena);
    return st;
}

weir_status retention_step(struct topic *topic, uint32_t partition, int64_t now_ms, bool *ret_did,
                           struct error *error)
{
    const struct log_topic_options *options = &topic->options;
    const struct partition_state *kept = &topic->parts[partition].kept;
    bool has_time = options->retention_ms > 0 && kept->begin < kept->end;
    bool has_size =
        options->retention_bytes > 0 && kept->bytes > (uint64_t)options->retention_bytes;
    if (!has_time && !has_size) {
        return WEIR_OK;
    }
    struct chunk_about chunks[PIECE];
    size_t count = 0;
    weir_status st = committed_list(topic, partition, kept->begin, chunks, PIECE, &count, error);
    if (st != WEIR_OK) {
        return st;
    }
    size_t due = count_due(options, kept->bytes, chunks, count, now_ms);
    return due == 0 ? WEIR_OK : remove_due(topic, partition, chunks, due, ret_did, error);
}

/* ---- the round ------------------------------------------------------------------------------------- */

static struct topic *topic_at(struct embedded_log *log, size_t index)
{
    pthread_mutex_lock(&log->lock);
    struct topic *topic = index < log->topic_count ? log->topics[index] : NULL;
    pthread_mutex_unlock(&log->lock);
    return topic;
}

static weir_status tidy_partition(struct topic *topic, uint32_t partition, int64_t now_ms,
                                  bool *ret_did, struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    weir_status st = WEIR_OK;
    pthread_mutex_lock(&log->writing);
    if (!topic->is_dropped) {
        st = retention_step(topic, partition, now_ms, ret_did, error);
    }
    if (!topic->is_dropped && st == WEIR_OK) {
        st = compact_step(topic, partition, now_ms, ret_did, error);
    }
    pthread_mutex_unlock(&log->writing);
    return st;
}

/* One step of every partition. False: the time was over before. */
static bool tidy_round(struct embedded_log *log, int64_t now_ms, int64_t end_ns, bool *ret_did,
                       weir_status *st, struct error *error)
{
    struct topic *topic = topic_at(log, 0);
    for (size_t i = 0; topic != NULL; topic = topic_at(log, ++i)) {
        for (uint32_t p = 0; p < topic->face.partitions; p++) {
            *st = tidy_partition(topic, p, now_ms, ret_did, error);
            if (*st != WEIR_OK || clock_monotonic_ns() >= end_ns) {
                return false;
            }
        }
    }
    return true;
}

weir_status embedded_tidy(struct log *face, int64_t now_ms, int64_t budget_ms, bool *ret_is_done,
                          struct error *error)
{
    struct embedded_log *log = embedded_of(face);
    int64_t end_ns = clock_monotonic_ns() + budget_ms * INT64_C(1000000);
    weir_status st = embedded_check_writable(log, error);
    bool did = true;
    *ret_is_done = false;
    while (st == WEIR_OK && did) {
        did = false;
        if (!tidy_round(log, now_ms, end_ns, &did, &st, error)) {
            return st;
        }
        *ret_is_done = !did;
    }
    return st;
}
