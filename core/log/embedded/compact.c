/* SPDX-License-Identifier: MIT */
/*
 * Compaction: of messages with one key only the newest stays.
 *
 * A pass over a partition first notes the newest offset of every key in the part that has not been
 * compacted (from `clean` on), then rewrites the chunks from the beginning, so that what is behind it
 * has each key once. It goes chunk by chunk, some at a time, each piece one atomic write; a pass that
 * is cut off is begun again and finds less to do. The newest chunk is left alone: it may still grow,
 * and the last message of a partition always stays.
 *
 * A chunk whose messages became few is merged with the next, unless it holds tombstones (messages
 * without a value): each of those has a time at which it may go, counted from when it was first
 * compacted, so that readers which follow see that the key is gone.
 */
#include "base/memory.h"
#include "log/embedded/key_table.h"
#include "log/embedded/tidy.h"

enum {
    PIECE = 16,              /* chunks of one step */
    LEAST_BYTES = 64 * 1024, /* less that is new is not worth a pass */
    PATIENCE_MS = 10 * 1000  /* until tombstones that somebody has not read are looked at again */
};

/*
 * The pass under way; there is one at a time.
 *
 * dirty_end  the chunks before it are compacted
 * position   of the next chunk
 * limit      tombstones behind it have not been read by everybody
 * horizon_ms the first of the tombstones that stay; 0: none do
 */
struct compaction {
    struct topic *topic;
    uint32_t partition;
    int64_t dirty_end;
    int64_t position;
    bool is_mapped;
    int64_t limit;
    int64_t horizon_ms;
    struct key_table table;
};

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

/* ---- thinning out ---------------------------------------------------------------------------------- */

/* Which messages of a chunk stay. */
struct choice {
    bool keeps[CHUNK_MESSAGES];
    uint32_t count;
    uint64_t bytes;
    int64_t gone; /* of those that were there for readers */
    bool has_tombstones;
};

/*
 * One step.
 *
 * open           takes the messages that stay, of one chunk or of several that were merged
 * open_inputs    how many; open_about: the first
 * is_open_whole  it is a copy of its only input
 */
struct thinning {
    struct compaction *pass;
    int64_t now_ms;
    struct rewrite rewrite;
    int64_t removed[PIECE];
    struct chunk *added[PIECE];
    struct chunk_about marked[PIECE];
    struct chunk *open;
    size_t open_inputs;
    struct chunk_about open_about;
    bool is_open_whole;
    uint32_t offsets[CHUNK_MESSAGES];
    struct choice choice;
};

static bool stays(const struct thinning *t, const struct chunk_about *about,
                  const struct chunk_message *message)
{
    if (message->key.size == LOG_ABSENT) {
        return true;
    }
    int64_t newest = key_table_get(&t->pass->table, message->key);
    if (newest > message->offset) {
        return false;
    }
    bool is_due = message->value.size == LOG_ABSENT && about->marks.is_clean &&
                  about->marks.horizon_ms <= t->now_ms && message->offset < t->pass->limit;
    return !is_due;
}

static void choose(struct thinning *t, const struct chunk_about *about, const struct chunk *chunk)
{
    struct choice *choice = &t->choice;
    struct chunk_walk walk = chunk_walk_start(chunk);
    struct chunk_message message;
    choice->count = 0;
    choice->bytes = 0;
    choice->gone = 0;
    choice->has_tombstones = false;
    for (uint32_t i = 0; chunk_walk_next(&walk, &message); i++) {
        bool is_there = message.offset >= t->rewrite.state.begin;
        choice->keeps[i] = is_there && stays(t, about, &message);
        choice->gone += is_there && !choice->keeps[i];
        if (choice->keeps[i]) {
            choice->count++;
            choice->bytes += message.size;
            choice->has_tombstones |= message.value.size == LOG_ABSENT;
        }
    }
}

/* The marks of a chunk that has been through here. */
static struct chunk_marks make_marks(const struct thinning *t, const struct chunk_about *about)
{
    struct chunk_marks marks = about->marks;
    int64_t grace_ms = t->pass->topic->options.tombstone_ms;
    marks.is_clean = true;
    marks.has_tombstones = t->choice.has_tombstones;
    if (!about->marks.is_clean) {
        marks.horizon_ms = t->now_ms + grace_ms;
    } else if (marks.horizon_ms <= t->now_ms) {
        marks.horizon_ms = t->now_ms + (grace_ms > PATIENCE_MS ? grace_ms : PATIENCE_MS);
    }
    if (!marks.has_tombstones) {
        marks.horizon_ms = 0;
    }
    return marks;
}

/* What came out of the step, changed or not. */
static void account(struct thinning *t, const struct chunk_about *about)
{
    struct partition_state *state = &t->rewrite.state;
    int64_t horizon_ms = about->marks.has_tombstones ? about->marks.horizon_ms : 0;
    if (about->end > state->clean) {
        state->clean = about->end;
    }
    state->bytes += about->bytes;
    state->clean_bytes += about->bytes;
    if (horizon_ms > 0 && (t->pass->horizon_ms == 0 || horizon_ms < t->pass->horizon_ms)) {
        t->pass->horizon_ms = horizon_ms;
    }
}

static bool are_equal(const struct chunk_marks *a, const struct chunk_marks *b)
{
    return a->written_ms == b->written_ms && a->is_clean == b->is_clean &&
           a->has_tombstones == b->has_tombstones && a->horizon_ms == b->horizon_ms;
}

static void leave(struct thinning *t, const struct chunk_about *about,
                  const struct chunk_marks *marks)
{
    struct chunk_about left = *about;
    left.marks = *marks;
    account(t, &left);
    if (!are_equal(&left.marks, &about->marks)) {
        t->marked[t->rewrite.marked_count++] = left;
    }
}

/* Ends the chunk that takes messages; a mere copy is not written. */
static void flush_open(struct thinning *t)
{
    if (t->open == NULL) {
        return;
    }
    if (t->is_open_whole) {
        t->rewrite.removed_count--;
        leave(t, &t->open_about, &t->open->marks);
        chunk_pool_give(&embedded_of(t->pass->topic->face.log)->pool, t->open);
    } else {
        chunk_close(t->open, t->offsets, t->open->end, t->open->peak);
        struct chunk_about about = chunk_about(t->open);
        account(t, &about);
        t->added[t->rewrite.added_count++] = t->open;
    }
    t->open = NULL;
}

static bool fits(const struct thinning *t, const struct chunk_about *about)
{
    const struct chunk *open = t->open;
    const struct choice *choice = &t->choice;
    uint64_t table = (uint64_t)(open->count + choice->count) * CHUNK_OFFSET_BYTES;
    return open->count + choice->count <= CHUNK_MESSAGES &&
           about->end - open->base <= CHUNK_SPAN_LIMIT &&
           choice->bytes <= open->capacity - open->size &&
           table <= open->capacity - open->size - choice->bytes;
}

static bool open_chunk(struct thinning *t, const struct chunk_about *about, bool is_whole)
{
    struct embedded_log *log = embedded_of(t->pass->topic->face.log);
    uint64_t table = (uint64_t)t->choice.count * CHUNK_OFFSET_BYTES;
    t->open = chunk_pool_take(&log->pool, CHUNK_HEAD + t->choice.bytes + table);
    if (t->open == NULL) {
        return false;
    }
    chunk_clear(t->open, about->base, INT64_MIN);
    t->open_inputs = 0;
    t->open_about = *about;
    t->is_open_whole = is_whole;
    return true;
}

/* Takes the messages that stay over into the open chunk. */
static void take_over(struct thinning *t, const struct chunk_about *about,
                      const struct chunk *chunk, const struct chunk_marks *marks)
{
    struct chunk_walk walk = chunk_walk_start(chunk);
    struct chunk_message message;
    for (uint32_t i = 0; chunk_walk_next(&walk, &message); i++) {
        if (t->choice.keeps[i]) {
            chunk_take(t->open, t->offsets, chunk, &message);
        }
    }
    t->open->end = about->end;
    t->open->peak = about->peak;
    if (marks->written_ms < t->open->marks.written_ms) {
        struct chunk_marks later = *marks;
        later.written_ms = t->open->marks.written_ms;
        t->open->marks = later;
    } else {
        t->open->marks = *marks;
    }
    if (++t->open_inputs > 1) {
        t->is_open_whole = false;
    }
    t->removed[t->rewrite.removed_count++] = about->base;
}

static bool is_large(const struct chunk_about *about)
{
    return about->bytes >= CHUNK_BYTES / 2 || about->count >= CHUNK_MESSAGES / 2;
}

static weir_status thin_chunk(struct thinning *t, const struct chunk_about *about,
                              const struct chunk *chunk, struct error *error)
{
    struct partition_state *state = &t->rewrite.state;
    choose(t, about, chunk);
    struct chunk_marks marks = make_marks(t, about);
    bool is_whole = t->choice.count == about->count;
    state->count -= t->choice.gone;
    state->bytes -= about->bytes;
    state->clean_bytes -=
        about->end <= t->pass->topic->parts[t->pass->partition].kept.clean ? about->bytes : 0;
    bool stands_alone = marks.has_tombstones || (is_whole && is_large(about));
    if (t->open != NULL && (stands_alone || !fits(t, about))) {
        flush_open(t);
    }
    if (is_whole && stands_alone) {
        leave(t, about, &marks);
        return WEIR_OK;
    }
    if (t->open == NULL && !open_chunk(t, about, is_whole)) {
        return error_no_memory(error);
    }
    take_over(t, about, chunk, &marks);
    if (stands_alone) {
        flush_open(t);
    }
    return WEIR_OK;
}

static weir_status thin_piece(struct thinning *t, const struct chunk_about *chunks, size_t count,
                              struct error *error)
{
    struct compaction *pass = t->pass;
    weir_status st = WEIR_OK;
    for (size_t i = 0; st == WEIR_OK && i < count && chunks[i].base < pass->dirty_end; i++) {
        struct chunk *chunk = NULL;
        st = committed_take(pass->topic, pass->partition, chunks[i].base, &chunk, error);
        if (st == WEIR_OK) {
            st = thin_chunk(t, &chunks[i], chunk, error);
            committed_give(embedded_of(pass->topic->face.log), chunk);
        }
        pass->position = chunks[i].end;
    }
    flush_open(t);
    if (pass->position >= pass->dirty_end) {
        t->rewrite.state.horizon_ms = pass->horizon_ms;
    }
    return st;
}

static void drop_added(struct thinning *t)
{
    for (size_t i = 0; i < t->rewrite.added_count; i++) {
        chunk_pool_give(&embedded_of(t->pass->topic->face.log)->pool, t->added[i]);
    }
}

static weir_status thin(struct compaction *pass, const struct chunk_about *chunks, size_t count,
                        int64_t now_ms, struct error *error)
{
    struct thinning *t = memory_zeroed(1, sizeof *t);
    if (t == NULL) {
        return error_no_memory(error);
    }
    t->pass = pass;
    t->now_ms = now_ms;
    t->rewrite = (struct rewrite){ .topic = pass->topic,
                                   .partition = pass->partition,
                                   .state = pass->topic->parts[pass->partition].kept,
                                   .removed = t->removed,
                                   .added = t->added,
                                   .marked = t->marked };
    weir_status st = thin_piece(t, chunks, count, error);
    if (st == WEIR_OK) {
        st = committed_rewrite(pass->topic, &t->rewrite, error);
    } else {
        drop_added(t);
    }
    memory_free(t);
    return st;
}

/* ---- the step -------------------------------------------------------------------------------------- */

static weir_status pass_step(struct compaction *pass, int64_t now_ms, struct error *error)
{
    const struct partition_state *kept = &pass->topic->parts[pass->partition].kept;
    struct chunk_about chunks[PIECE];
    size_t count = 0;
    if (pass->position < kept->begin) { /* retention has been here */
        pass->position = kept->begin;
    }
    weir_status st = WEIR_OK;
    if (pass->position < pass->dirty_end) {
        st = committed_list(pass->topic, pass->partition, pass->position, chunks, PIECE, &count,
                            error);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (pass->is_mapped) {
        return count > 0 ? thin(pass, chunks, count, now_ms, error) : WEIR_OK;
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
