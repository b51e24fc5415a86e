/* SPDX-License-Identifier: MIT */
/*
 * Compaction: of messages with one key only the newest stays.
 *
 * A pass over a partition first notes the newest offset of every key in the part that has not been
 * compacted (from `clean` on), then rewrites the chunks from the beginning, so that what is behind it
 * has each key once. It goes chunk by chunk, some at a time, each piece one atomic write; a pass that
 * is cut off is begun again and finds less to do. The newest chunk is left alone: it may still grow,
 * and the last message of a partition always stays.
 */
#include "base/memory.h"
#include "log/embedded/compaction.h"
#include "log/embedded/tidy.h"

enum { LEAST_BYTES = 64 * 1024 /* less that is new is not worth a pass */ };

void compact_end(struct embedded_log *log)
{
    if (log->compaction != NULL) {
        key_table_deinit(&log->compaction->table);
        memory_free(log->compaction);
        log->compaction = NULL;
    }
}

/* ---- does it pay? ---------------------------------------------------------------------------------- */

static bool is_worth_it(const struct topic *topic, const struct partition_state *kept,
                        int64_t now_ms)
{
    uint64_t dirty = kept->bytes - kept->clean_bytes;
    bool is_due = kept->horizon_ms > 0 && now_ms >= kept->horizon_ms;
    return topic->options.is_compacted &&
           (is_due || (dirty >= LEAST_BYTES && dirty >= kept->clean_bytes));
}

static weir_status begin_pass(struct topic *topic, uint32_t partition, int64_t now_ms,
                              struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    const struct partition_state *kept = &topic->parts[partition].kept;
    int64_t end = 0;
    if (!is_worth_it(topic, kept, now_ms) || kept->begin == kept->end) {
        return WEIR_OK;
    }
    weir_status st = committed_last(topic, partition, &end, error);
    bool is_due = kept->horizon_ms > 0 && now_ms >= kept->horizon_ms;
    if (st != WEIR_OK || end <= kept->begin || (end <= kept->clean && !is_due)) {
        return st;
    }
    log->compaction = memory_zeroed(1, sizeof *log->compaction);
    if (log->compaction == NULL) {
        return error_no_memory(error);
    }
    *log->compaction = (struct compaction){
        .topic = topic, .partition = partition, .dirty_end = end, .position = kept->clean
    };
    return WEIR_OK;
}

/* ---- the newest of each key ------------------------------------------------------------------------ */

static weir_status map_chunk(struct compaction *pass, int64_t base, struct error *error)
{
    struct embedded_log *log = embedded_of(pass->topic->face.log);
    struct chunk *chunk = NULL;
    struct chunk_message message;
    weir_status st = committed_take(pass->topic, pass->partition, base, &chunk, error);
    if (st != WEIR_OK) {
        return st;
    }
    struct chunk_walk walk = chunk_walk_start(chunk);
    while (chunk_walk_next(&walk, &message)) {
        if (message.key.size != LOG_ABSENT) {
            key_table_put(&pass->table, message.key, message.offset);
        }
    }
    committed_give(log, chunk);
    return WEIR_OK;
}

/* Where there are too many keys for one pass, it ends before. */
static weir_status map_piece(struct compaction *pass, const struct chunk_about *chunks,
                             size_t count, struct error *error)
{
    weir_status st = WEIR_OK;
    for (size_t i = 0; st == WEIR_OK && i < count && chunks[i].base < pass->dirty_end; i++) {
        if (!key_table_reserve(&pass->table, chunks[i].count)) {
            if (pass->table.count == 0) {
                return error_no_memory(error);
            }
            pass->dirty_end = chunks[i].base;
            break;
        }
        st = map_chunk(pass, chunks[i].base, error);
        pass->position = chunks[i].end;
    }
    return st;
}

static weir_status end_mapping(struct compaction *pass, struct error *error)
{
    struct arena arena;
    arena_init(&arena, 0);
    weir_status st =
        retention_limit(pass->topic, pass->partition, &arena, &pass->limit, NULL, error);
    arena_deinit(&arena);
    pass->is_mapped = true;
    pass->position = pass->topic->parts[pass->partition].kept.begin;
    return st;
}

/* ---- the step -------------------------------------------------------------------------------------- */

static weir_status pass_step(struct compaction *pass, int64_t now_ms, struct error *error)
{
    const struct partition_state *kept = &pass->topic->parts[pass->partition].kept;
    struct chunk_about chunks[COMPACTION_PIECE];
    size_t count = 0;
    if (pass->position < kept->begin) { /* retention has been here */
        pass->position = kept->begin;
    }
    weir_status st = WEIR_OK;
    if (pass->position < pass->dirty_end) {
        st = committed_list(pass->topic, pass->partition, pass->position, chunks, COMPACTION_PIECE,
                            &count, error);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (pass->is_mapped) {
        return count > 0 ? compaction_thin(pass, chunks, count, now_ms, error) : WEIR_OK;
    }
    st = map_piece(pass, chunks, count, error);
    if (st == WEIR_OK && (count == 0 || pass->position >= pass->dirty_end)) {
        st = end_mapping(pass, error);
    }
    return st;
}

weir_status compact_step(struct topic *topic, uint32_t partition, int64_t now_ms, bool *ret_did,
                         struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    if (log->compaction == NULL) {
        weir_status st = begin_pass(topic, partition, now_ms, error);
        if (st != WEIR_OK || log->compaction == NULL) {
            return st;
        }
    }
    struct compaction *pass = log->compaction;
    if (pass->topic->is_dropped) {
        compact_end(log);
        return WEIR_OK;
    }
    if (pass->topic != topic || pass->partition != partition) {
        return WEIR_OK;
    }
    weir_status st = pass_step(pass, now_ms, error);
    *ret_did = true;
    if (st != WEIR_OK || (pass->is_mapped && pass->position >= pass->dirty_end)) {
        compact_end(log);
    }
    return st;
}
