/* SPDX-License-Identifier: MIT */
/*
 * Writing: until it is known of every record whether it was delivered. What is rejected meets on_error;
 * a dead letter is written in a smaller form first.
 */
#include "engine/faults/dead_letters.h"
#include "engine/sinks/seat_attempt.h"
#include "value/letter.h"

static bool no_memory(struct seat *seat)
{
    return run_faults_no_memory(seat->lane->faults, seat->label);
}

/* What the sink sees as the origin of the records. */
static const weir_origin *origin_of(const struct seat *seat, const struct root *root)
{
    return seat->shown_as.topic != NULL ? &seat->shown_as : &root->origin;
}

/*
 * A letter that was rejected is written again in a smaller form, which its ordinal tells: that of a sink's
 * records means nothing else. The root is the lane's alone by then. False: no memory.
 */
static bool add_reduced(struct seat *seat, struct root *root, const weir_entry *entry)
{
    struct sink_lane *lane = seat->lane;
    struct arena *arena = &root->arena;
    uint32_t count = lane->reduced.count;
    weir_record *record = arena_alloc(arena, sizeof *record);
    weir_entry *entries = arena_alloc(arena, (count + 1u) * sizeof *entries);
    if (record == NULL || entries == NULL) {
        return no_memory(seat);
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = lane->reduced.entries[i];
    }
    *record = *entry->record;
    entries[count] = *entry;
    entries[count].record = record;
    entries[count].ordinal = entry->ordinal + 1;
    lane->reduced = (struct run){ entries, count + 1 };
    return letter_reduce(arena, &entry->record->value, (enum letter_form)(entry->ordinal + 1),
                         &record->value) ||
           no_memory(seat);
}

/* False: the run ends. */
static bool drop_one(struct seat *seat, struct root *root, const weir_entry *entry,
                     const struct call_failure *failure)
{
    struct sink_lane *lane = seat->lane;
    int64_t offset = entry->record->offset;
    struct failed_record failed = { .use = &lane->end->plugin,
                                    .on_error = lane->end->plugin.on_error,
                                    .meter = lane->meter,
                                    .origin = origin_of(seat, root),
                                    .offset = offset,
                                    .message = root_message(root, offset),
                                    .record = entry->record,
                                    .letters = &lane->letters };
    if (lane->takes_letters && entry->ordinal + 1 < LETTER_FORMS) {
        return add_reduced(seat, root, entry);
    }
    return run_faults_record(lane->faults, &failed, failure);
}

/* Those that were rejected meet on_error. False: the run ends. */
static bool drop_rejected(struct seat *seat, struct root *root, const weir_batch *batch)
{
    const struct call *call = &seat->lane->call;
    for (uint32_t i = 0; i < call->failure_count; i++) {
        const struct call_failure *failure = &call->failures[i];
        if (!failure->is_retriable &&
            !drop_one(seat, root, &batch->entries[failure->index], failure)) {
            return false;
        }
    }
    return dead_letters_send(&seat->lane->letters);
}

/*
 * The entries whose outcome is unknown: those that failed for now, and where the call as a whole has
 * failed all of which nothing else was said. In the lane's own memory. False: no memory.
 */
static bool keep_unknown(struct seat *seat, const weir_batch *batch, bool has_failed_whole,
                         struct run *ret_run)
{
    struct sink_lane *lane = seat->lane;
    const struct call *call = &lane->call;
    uint32_t failure = 0;
    uint32_t kept = 0;
    if (!sink_lane_reserve(lane, batch->count)) {
        return false;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        bool is_failed = failure < call->failure_count && call->failures[failure].index == i;
        bool is_unknown = is_failed ? call->failures[failure].is_retriable
                                    : has_failed_whole && !call_is_delivered(call, i);
        failure += is_failed;
        if (is_unknown) {
            lane->again[kept++] = batch->entries[i];
        }
    }
    *ret_run = (struct run){ lane->again, kept };
    return true;
}

/* One call of `write`. *run becomes what has to be written again. */
static enum outcome write_once(struct seat *seat, struct root *root, struct run *run)
{
    struct call *call = &seat->lane->call;
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = run->count,
                         .entries = run->entries,
                         .origins = origin_of(seat, root),
                         .origin_count = 1 };
    attempt_begin(seat, &batch, "write");
    weir_status st = seat_vtable(seat)->write(seat->instance->self, &call->context, &batch);
    enum outcome outcome = attempt_end(seat, st == WEIR_END ? WEIR_OK : st, "write");
    call_sort_failures(call);
    if (outcome == CALL_FAILED || !drop_rejected(seat, root, &batch)) {
        return CALL_FAILED;
    }
    if (st == WEIR_END) {
        attempt_note_finished(seat);
        return CALL_DONE;
    }
    if (!keep_unknown(seat, &batch, outcome == CALL_AGAIN, run)) {
        no_memory(seat);
        return CALL_FAILED;
    }
    return run->count > 0 ? CALL_AGAIN : CALL_DONE;
}

/* Until the outcome of every record is known. False: it has failed for good. */
static bool write_all(struct seat *seat, struct root *root, struct run run)
{
    struct backoff backoff = { .attempts = 0 };
    enum outcome outcome = CALL_DONE;
    while (!seat->is_finished && (outcome = write_once(seat, root, &run)) == CALL_AGAIN) {
        if (!attempt_back_off(seat, &backoff, "write", seat->lane->retry_ms)) {
            break;
        }
    }
    if (outcome == CALL_DONE) {
        attempt_recover(seat, &backoff, "write");
    }
    return outcome == CALL_DONE;
}

/*
 * The offsets of letters tell how many there were before, by the seat: so numbers go on where the last
 * commit was, in whatever process. False: no memory.
 */
static bool number_letters(struct seat *seat, struct root *root, struct run *run)
{
    weir_record *records = arena_alloc(&root->arena, run->count * sizeof *records);
    weir_entry *entries = arena_alloc(&root->arena, run->count * sizeof *entries);
    if (records == NULL || entries == NULL) {
        return no_memory(seat);
    }
    for (uint32_t i = 0; i < run->count; i++) {
        records[i] = *run->entries[i].record;
        records[i].offset = seat->now.letters++;
        entries[i] = run->entries[i];
        entries[i].record = &records[i];
    }
    *run = (struct run){ entries, run->count };
    return true;
}

void seat_write(struct seat *seat, struct root *root, struct run run)
{
    struct sink_lane *lane = seat->lane;
    seat->is_dirty = true;
    seat->is_flushed = false;
    if (lane->takes_letters && !number_letters(seat, root, &run)) {
        return;
    }
    lane->reduced = (struct run){ NULL, 0 };
    while (run.count > 0 && write_all(seat, root, run)) {
        run = lane->reduced;
        lane->reduced = (struct run){ NULL, 0 };
    }
}
