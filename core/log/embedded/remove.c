/* SPDX-License-Identifier: MIT */
/*
 * Removing what topics hold: dropping a topic, emptying it, trimming its beginning. Readers see less
 * from the moment on in which the store begins to remove, so that they never take it for damage.
 */
#include "log/embedded/committed.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/positions.h"

enum { PIECE = 64 }; /* chunks that are removed in one write */

/* ---- positions ------------------------------------------------------------------------------------- */

/*
 * What groups know of a topic changes with it.
 *
 * LEAVE_NONE   the topic goes: positions in it are forgotten, since one of the same name begins anew
 * LEAVE_FIRST  messages go: a position among them moves to the first that stays
 */
enum leaving { LEAVE_NONE, LEAVE_FIRST };

struct position_list {
    struct group_fact *facts;
    size_t count;
};

static weir_status add_position(struct topic *topic, enum leaving leaving,
                                const struct log_reader *reader, int64_t begin, struct arena *arena,
                                struct position_list *list, struct error *error)
{
    if (leaving == LEAVE_FIRST && reader->position >= begin) {
        return WEIR_OK;
    }
    char *key = position_key(arena, topic->face.name, reader->partition);
    uint8_t *bytes = arena_alloc(arena, POSITION_SIZE);
    if (key == NULL || bytes == NULL) {
        return error_no_memory(error);
    }
    position_encode(begin, bytes);
    list->facts[list->count++] = (struct group_fact){
        .group = reader->group,
        .fact = { .key = key,
                  .value = { bytes, leaving == LEAVE_NONE ? LOG_ABSENT : POSITION_SIZE } },
    };
    return WEIR_OK;
}

/* partition < 0: all of them, each with its own begin. */
static weir_status list_positions(struct topic *topic, enum leaving leaving, int64_t partition,
                                  int64_t begin, struct arena *arena, struct position_list *ret,
                                  struct error *error)
{
    struct log_reader *readers = NULL;
    size_t count = 0;
    weir_status st = embedded_readers(&topic->face, NULL, arena, &readers, &count, error);
    if (st != WEIR_OK) {
        return st;
    }
    *ret = (struct position_list){ arena_alloc(arena, (count + 1) * sizeof *ret->facts), 0 };
    if (ret->facts == NULL) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < count && st == WEIR_OK; i++) {
        const struct log_reader *reader = &readers[i];
        int64_t first = partition < 0 ? topic->parts[reader->partition].kept.begin : begin;
        if (partition < 0 || reader->partition == partition) {
            st = add_position(topic, leaving, reader, first, arena, ret, error);
        }
    }
    return st;
}

/* ---- dropping -------------------------------------------------------------------------------------- */

/* What a store does with a topic and the positions in it, in one atomic step. */
typedef weir_status removal(struct store *store, const struct topic *topic,
                            const struct group_fact *facts, size_t count, struct error *error);

/* Of all partitions. */
static weir_status remove_stored(struct topic *topic, removal *remove, enum leaving leaving,
                                 struct error *error)
{
    struct arena arena;
    struct position_list list;
    arena_init(&arena, 0);
    weir_status st = list_positions(topic, leaving, -1, 0, &arena, &list, error);
    if (st == WEIR_OK) {
        st = remove(embedded_of(topic->face.log)->store, topic, list.facts, list.count, error);
    }
    arena_deinit(&arena);
    return st;
}

weir_status embedded_topic_drop(struct log_topic *face, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct embedded_log *log = embedded_of(face->log);
    weir_status st = topics_begin_change(topic, 0, error);
    if (st != WEIR_OK) {
        return st;
    }
    pthread_mutex_lock(&log->lock);
    if (!topics_reserve(log)) {
        st = error_no_memory(error);
    }
    pthread_mutex_unlock(&log->lock);
    if (st == WEIR_OK) {
        st = remove_stored(topic, log->store->ops->topic_drop, LEAVE_NONE, error);
    }
    if (st == WEIR_OK && log->store->ops->reclaim != NULL) {
        log->store->ops->reclaim(log->store, topic);
    }
    if (st == WEIR_OK) {
        pthread_mutex_lock(&log->lock);
        topics_retire(log, topic);
        pthread_mutex_unlock(&log->lock);
    }
    topics_end_change(topic);
    return st;
}

/* ---- emptying -------------------------------------------------------------------------------------- */

/* Readers see it empty from here on; what was is remembered in log->commit. Holds log->lock. */
static weir_status begin_empty(struct embedded_log *log, struct topic *topic, struct error *error)
{
    log->commit.part_count = 0;
    if (!commit_reserve(&log->commit, topic->face.partitions, 0)) {
        return error_no_memory(error);
    }
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        struct partition *part = &topic->parts[p];
        log->commit.parts[p] =
            (struct commit_part){ .pending = part->pending, .state = part->kept };
        part->kept = (struct partition_state){
            .begin = part->end, .end = part->end, .peak = INT64_MIN, .clean = part->end
        };
        part->peak = INT64_MIN;
        part->is_sealed = true;
    }
    return WEIR_OK;
}

static void end_empty(struct embedded_log *log, struct topic *topic)
{
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        struct partition *part = &topic->parts[p];
        uint64_t pending = log->commit.parts[p].pending;
        partition_forget(log, part, part->kept.begin);
        part->pending -= pending;
        atomic_fetch_sub_explicit(&log->pending_bytes, pending, memory_order_relaxed);
    }
}

/* Nothing has happened after all. */
static void undo_empty(struct embedded_log *log, struct topic *topic)
{
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        struct partition *part = &topic->parts[p];
        part->kept = log->commit.parts[p].state;
        int64_t peak = part->kept.peak;
        for (size_t i = 0; i < part->chunks.count; i++) {
            struct chunk *chunk = part->chunks.items[i];
            peak = chunk->peak > peak ? chunk->peak : peak;
            chunk->peak = peak;
        }
        part->peak = peak;
    }
}

weir_status embedded_topic_empty(struct log_topic *face, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct embedded_log *log = embedded_of(face->log);
    weir_status st = topics_begin_change(topic, 0, error);
    if (st != WEIR_OK) {
        return st;
    }
    pthread_mutex_lock(&log->lock);
    st = begin_empty(log, topic, error);
    pthread_mutex_unlock(&log->lock);
    if (st == WEIR_OK) {
        st = remove_stored(topic, log->store->ops->topic_empty, LEAVE_FIRST, error);
        pthread_mutex_lock(&log->lock);
        if (st == WEIR_OK) {
            end_empty(log, topic);
        } else {
            undo_empty(log, topic);
        }
        pthread_mutex_unlock(&log->lock);
    }
    topics_end_change(topic);
    return st;
}

/* ---- trimming -------------------------------------------------------------------------------------- */

/* The state without the messages of a chunk before `begin`. */
static weir_status leave_chunk(const struct topic *topic, const struct rewrite *rewrite,
                               const struct chunk_about *about, int64_t begin,
                               struct partition_state *state, struct error *error)
{
    int64_t gone = 0;
    int64_t before = 0;
    weir_status st =
        committed_count_before(topic, rewrite->partition, about, state->begin, &gone, error);
    if (st == WEIR_OK) {
        st = committed_count_before(topic, rewrite->partition, about, begin, &before, error);
    }
    state->count -= before - gone;
    if (about->end <= begin) {
        state->bytes -= about->bytes;
        state->clean_bytes -= about->end <= state->clean ? about->bytes : 0;
        state->begin = about->end;
    } else {
        state->begin = begin;
    }
    return st;
}

weir_status partition_cut(struct topic *topic, uint32_t partition, int64_t begin,
                          const struct group_fact *facts, size_t fact_count, struct error *error)
{
    struct chunk_about chunks[PIECE];
    int64_t removed[PIECE];
    size_t count = 0;
    struct rewrite rewrite = { .topic = topic,
                               .partition = partition,
                               .state = topic->parts[partition].kept,
                               .removed = removed,
                               .facts = facts,
                               .fact_count = fact_count };
    weir_status st =
        committed_list(topic, partition, rewrite.state.begin, chunks, PIECE, &count, error);
    for (size_t i = 0; st == WEIR_OK && i < count && rewrite.state.begin < begin; i++) {
        st = leave_chunk(topic, &rewrite, &chunks[i], begin, &rewrite.state, error);
        if (chunks[i].end <= begin) {
            removed[rewrite.removed_count++] = chunks[i].base;
        }
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (rewrite.state.begin < begin && rewrite.removed_count == 0) {
        return error_set(
            error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
            "the log is damaged: topic '%s' partition %u: nothing is known of the chunk "
            "at offset %lld",
            topic->face.name, partition, (long long)rewrite.state.begin);
    }
    if (rewrite.state.clean < rewrite.state.begin) {
        rewrite.state.clean = rewrite.state.begin;
    }
    return committed_rewrite(topic, &rewrite, error);
}

static weir_status trim(struct topic *topic, uint32_t partition, int64_t before,
                        struct error *error)
{
    const struct partition_state *kept = &topic->parts[partition].kept;
    struct arena arena;
    struct position_list list;
    int64_t begin = before > kept->end ? kept->end : before;
    begin = begin < kept->begin ? kept->begin : begin;
    arena_init(&arena, 0);
    weir_status st = list_positions(topic, LEAVE_FIRST, partition, begin, &arena, &list, error);
    if (st == WEIR_OK && (begin > kept->begin || list.count > 0)) {
        st = partition_cut(topic, partition, begin, list.facts, list.count, error);
    }
    while (st == WEIR_OK && kept->begin < begin) {
        st = partition_cut(topic, partition, begin, NULL, 0, error);
    }
    arena_deinit(&arena);
    return st;
}

weir_status embedded_trim(struct log_topic *face, uint32_t partition, int64_t before,
                          struct error *error)
{
    struct topic *topic = topic_of(face);
    struct embedded_log *log = embedded_of(face->log);
    weir_status st = topics_begin_change(topic, partition, error);
    if (st != WEIR_OK) {
        return st;
    }
    st = trim(topic, partition, before, error);
    if (st == WEIR_OK && log->store->ops->reclaim != NULL) {
        log->store->ops->reclaim(log->store, topic);
    }
    topics_end_change(topic);
    return st;
}
