/* SPDX-License-Identifier: MIT */
/*
 * Thinning out: chunks are written again without the messages that a newer one of their key has replaced.
 *
 * A chunk whose messages became few is merged with the next, unless it holds tombstones (messages
 * without a value): each of those has a time at which it may go, counted from when it was first
 * compacted, so that readers which follow see that the key is gone.
 */
#include "base/memory.h"
#include "log/embedded/compaction.h"

enum {
    PATIENCE_MS = 10 * 1000 /* until tombstones that somebody has not read are looked at again */
};

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
    int64_t removed[COMPACTION_PIECE];
    struct chunk *added[COMPACTION_PIECE];
    struct chunk_about marked[COMPACTION_PIECE];
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

weir_status compaction_thin(struct compaction *pass, const struct chunk_about *chunks, size_t count,
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
