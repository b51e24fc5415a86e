/* SPDX-License-Identifier: MIT */
#include "engine/sink_calls.h"

#include <weir/sink.h>

#include "base/clock.h"
#include "base/fault_point.h"
#include "base/logger.h"
#include "engine/backoff.h"
#include "engine/dead_letters.h"
#include "value/letter.h"

enum { FLUSH_DEADLINE_MS = 30000 };

/* What has become of a call. */
enum outcome { CALL_DONE, CALL_AGAIN, CALL_FAILED };

static const weir_sink_vtable *vtable_of(const struct sink_lane *lane)
{
    return lane->instance->spec->vtable;
}

static weir_slice token_of(const struct sink_lane *lane)
{
    return (weir_slice){ lane->token.data, lane->token.size };
}

static void begin(struct sink_lane *lane, const weir_batch *batch, const char *slot)
{
    arena_reset(&lane->arena);
    call_watch_slot(slot);
    lane->call.stopwatch = lane->times == NULL ? NULL : lane_times_slot(lane->times, slot);
    call_begin(&lane->call, lane->instance, &lane->arena, batch);
    lane->call.record_limit = batch == NULL ? 0 : batch->count;
}

/* ---- trying again ------------------------------------------------------------------------------ */

/* The plugin has said that the same call may succeed later. */
static bool is_retriable(const struct call *call, weir_status st)
{
    return (st < 0 || call->whole.status != WEIR_OK) &&
           (call->whole.is_retriable || st == WEIR_E_BACKPRESSURE ||
            call->whole.status == WEIR_E_BACKPRESSURE);
}

/* Ends a call. A status that it does not know is a defect of the plugin and ends the run. */
static enum outcome finish(struct sink_lane *lane, weir_status st, const char *slot)
{
    call_end(&lane->call);
    if (st == WEIR_OK && lane->call.whole.status == WEIR_OK) {
        return CALL_DONE;
    }
    if (is_retriable(&lane->call, st)) {
        return CALL_AGAIN;
    }
    run_faults_call(lane->faults, lane->end->plugin.label, &lane->call, st, slot);
    return CALL_FAILED;
}

/* Why the last call has to be made again: of the call as a whole, or of its first such record. */
static void reason_of(const struct call *call, const char *slot, struct error *reason)
{
    error_set(reason, WEIR_E_IO, WEIR_CLASS_NETWORK, "%s has failed and gave no reason", slot);
    if (call->whole.status != WEIR_OK) {
        error_set(reason, call->whole.status, call->whole.error_class, "%s: %s", slot,
                  call->whole.message);
        error_hint(reason, "%s", call->whole.hint);
        return;
    }
    for (uint32_t i = 0; i < call->failure_count; i++) {
        const struct call_failure *failure = &call->failures[i];
        if (failure->is_retriable) {
            error_set(reason, failure->status, failure->error_class, "%s: %s", slot,
                      failure->message);
            error_hint(reason, "%s", failure->hint != NULL ? failure->hint : "");
            return;
        }
    }
}

static int64_t retry_after_ms(const struct call *call)
{
    int64_t longest = call->retry_after_ms;
    for (uint32_t i = 0; i < call->failure_count; i++) {
        if (call->failures[i].is_retriable && call->failures[i].retry_after_ms > longest) {
            longest = call->failures[i].retry_after_ms;
        }
    }
    return longest;
}

static void give_up(struct sink_lane *lane, const struct backoff *backoff, int64_t now_ns,
                    const struct error *reason)
{
    struct error error = { .status = WEIR_OK };
    error_set(&error, reason->status, reason->error_class,
              "%s; given up after %u attempts in %.1f s", reason->message, backoff->attempts,
              (double)(now_ns - backoff->first_ns) / 1e9);
    error_hint(&error, "%s", reason->hint);
    run_faults_fatal(lane->faults, lane->end->plugin.label, &error);
}

/* Waits before the next attempt. False: it is given up, or the run stops. */
static bool back_off(struct sink_lane *lane, struct backoff *backoff, const char *slot,
                     int64_t limit_ms)
{
    int64_t now_ns = clock_monotonic_ns();
    int64_t wait_ms;
    struct error reason = { .status = WEIR_OK };
    reason_of(&lane->call, slot, &reason);
    if (!backoff_fail(backoff, now_ns, retry_after_ms(&lane->call), limit_ms, &wait_ms)) {
        give_up(lane, backoff, now_ns, &reason);
        return false;
    }
    if (backoff_is_worth_telling(backoff, now_ns)) {
        logger_write(LOGGER_WARNING, lane->end->plugin.label, "%s; tried again in %.1f s",
                     reason.message, (double)wait_ms / 1e3);
    }
    struct stopwatch *watch = lane->times == NULL ? NULL : &lane->times->retries;
    int64_t start_ns = stopwatch_start(watch);
    bool goes_on = sink_lane_rest(lane, wait_ms, &reason);
    stopwatch_stop(watch, start_ns);
    return goes_on;
}

/* After the last of several attempts. */
static void recover(struct sink_lane *lane, const struct backoff *backoff, const char *slot)
{
    if (backoff->attempts > 0) {
        sink_lane_recovered(lane);
        logger_write(LOGGER_INFO, lane->end->plugin.label, "%s has succeeded, after %.1f s", slot,
                     (double)(clock_monotonic_ns() - backoff->first_ns) / 1e9);
    }
}

/*
 * Makes a call, `attempt`, until its outcome is known. limit_ms: 0 = none. False: it has failed for good.
 */
static bool settle(struct sink_lane *lane, enum outcome (*attempt)(struct sink_lane *lane),
                   const char *slot, int64_t limit_ms)
{
    struct backoff backoff = { .attempts = 0 };
    enum outcome outcome;
    while ((outcome = attempt(lane)) == CALL_AGAIN) {
        if (!back_off(lane, &backoff, slot, limit_ms)) {
            return false;
        }
    }
    if (outcome == CALL_DONE) {
        recover(lane, &backoff, slot);
    }
    return outcome == CALL_DONE;
}

/* ---- write ------------------------------------------------------------------------------------- */

/* Nothing may be lost in silence: a letter is what is left of a record. */
static void refuse_end(struct sink_lane *lane)
{
    struct error error = { .status = WEIR_OK };
    error_set(&error, WEIR_E_INVALID, WEIR_CLASS_RESOURCE,
              "the end of dead letters takes no more records");
    run_faults_fatal(lane->faults, lane->end->plugin.label, &error);
}

static void note_finished(struct sink_lane *lane)
{
    if (lane->takes_letters) {
        refuse_end(lane);
        return;
    }
    if (!lane->is_finished) {
        lane->is_finished = true;
        logger_write(LOGGER_WARNING, lane->end->plugin.label,
                     "the sink takes no more records; further ones are counted and dropped");
    }
}

static bool no_memory(struct sink_lane *lane)
{
    struct error error = { .status = WEIR_OK };
    error_no_memory(&error);
    run_faults_fatal(lane->faults, lane->end->plugin.label, &error);
    return false;
}

/*
 * A letter that was rejected is written again in a smaller form, which its ordinal tells: that of a sink's
 * records means nothing else. The root is the lane's alone by then. False: no memory.
 */
static bool add_reduced(struct sink_lane *lane, struct root *root, const weir_entry *entry)
{
    struct arena *arena = &root->arena;
    uint32_t count = lane->reduced.count;
    weir_record *record = arena_alloc(arena, sizeof *record);
    weir_entry *entries = arena_alloc(arena, (count + 1u) * sizeof *entries);
    if (record == NULL || entries == NULL) {
        return no_memory(lane);
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
           no_memory(lane);
}

/* False: the run ends. */
static bool drop_one(struct sink_lane *lane, struct root *root, const weir_entry *entry,
                     const struct call_failure *failure)
{
    int64_t offset = entry->record->offset;
    struct failed_record failed = { .use = &lane->end->plugin,
                                    .on_error = lane->end->plugin.on_error,
                                    .meter = lane->meter,
                                    .origin = &root->origin,
                                    .offset = offset,
                                    .message = root_message(root, offset),
                                    .record = entry->record,
                                    .letters = &lane->letters };
    if (lane->takes_letters && entry->ordinal + 1 < LETTER_FORMS) {
        return add_reduced(lane, root, entry);
    }
    return run_faults_record(lane->faults, &failed, failure);
}

/* Those that were rejected meet on_error. False: the run ends. */
static bool drop_rejected(struct sink_lane *lane, struct root *root, const weir_batch *batch)
{
    const struct call *call = &lane->call;
    for (uint32_t i = 0; i < call->failure_count; i++) {
        const struct call_failure *failure = &call->failures[i];
        if (!failure->is_retriable &&
            !drop_one(lane, root, &batch->entries[failure->index], failure)) {
            return false;
        }
    }
    return dead_letters_send(&lane->letters);
}

/*
 * The entries whose outcome is unknown: those that failed for now, and where the call as a whole has
 * failed all of which nothing else was said. In the lane's own memory. False: no memory.
 */
static bool keep_unknown(struct sink_lane *lane, const weir_batch *batch, bool has_failed_whole,
                         struct run *ret_run)
{
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
static enum outcome write_once(struct sink_lane *lane, struct root *root, struct run *run)
{
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = run->count,
                         .entries = run->entries,
                         .origins = &root->origin,
                         .origin_count = 1 };
    begin(lane, &batch, "write");
    weir_status st = vtable_of(lane)->write(lane->instance->self, &lane->call.context, &batch);
    enum outcome outcome = finish(lane, st == WEIR_END ? WEIR_OK : st, "write");
    call_sort_failures(&lane->call);
    if (outcome == CALL_FAILED || !drop_rejected(lane, root, &batch)) {
        return CALL_FAILED;
    }
    if (st == WEIR_END) {
        note_finished(lane);
        return CALL_DONE;
    }
    if (!keep_unknown(lane, &batch, outcome == CALL_AGAIN, run)) {
        no_memory(lane);
        return CALL_FAILED;
    }
    return run->count > 0 ? CALL_AGAIN : CALL_DONE;
}

/* Until the outcome of every record is known. False: it has failed for good. */
static bool write_all(struct sink_lane *lane, struct root *root, struct run run)
{
    struct backoff backoff = { .attempts = 0 };
    enum outcome outcome = CALL_DONE;
    while (!lane->is_finished && (outcome = write_once(lane, root, &run)) == CALL_AGAIN) {
        if (!back_off(lane, &backoff, "write", lane->retry_ms)) {
            break;
        }
    }
    if (outcome == CALL_DONE) {
        recover(lane, &backoff, "write");
    }
    return outcome == CALL_DONE;
}

void sink_call_write(struct sink_lane *lane, struct root *root, struct run run)
{
    lane->is_dirty = true;
    while (run.count > 0 && write_all(lane, root, run)) {
        run = lane->reduced;
        lane->reduced = (struct run){ NULL, 0 };
    }
    root_release(root);
}

/* ---- the other calls ----------------------------------------------------------------------------- */

static enum outcome flush_once(struct sink_lane *lane)
{
    buffer_clear(&lane->token);
    fault_point("sink.flush");
    begin(lane, NULL, "flush");
    int64_t deadline = clock_monotonic_ns() + FLUSH_DEADLINE_MS * INT64_C(1000000);
    weir_status st = vtable_of(lane)->flush(lane->instance->self, &lane->call.context, deadline,
                                            lane->flush_flags, &lane->token);
    enum outcome outcome = finish(lane, st == WEIR_END ? WEIR_OK : st, "flush");
    if (outcome == CALL_DONE && st == WEIR_END) {
        note_finished(lane);
    }
    return outcome;
}

void sink_call_flush(struct sink_lane *lane, uint32_t flags)
{
    lane->flush_flags = flags;
    if (vtable_of(lane)->flush != NULL && settle(lane, flush_once, "flush", lane->retry_ms)) {
        lane->is_flushed = true;
    }
    atomic_store(&lane->wants_flush, false);
}

static enum outcome publish_once(struct sink_lane *lane)
{
    fault_point("sink.publish");
    begin(lane, NULL, "publish");
    weir_status st =
        vtable_of(lane)->publish(lane->instance->self, &lane->call.context, token_of(lane));
    fault_point("sink.published");
    return finish(lane, st, "publish");
}

void sink_call_publish(struct sink_lane *lane)
{
    if (!lane->is_open) {
        return; /* the run was stopped before */
    }
    if (vtable_of(lane)->publish == NULL || lane->token.size == 0 ||
        settle(lane, publish_once, "publish", lane->retry_ms)) {
        lane->is_dirty = false;
        lane->is_flushed = false;
        lane->tick_ms = 0;
    }
}

/* A run that cannot start says so at once, unless the end wants it to be tried again. */
static enum outcome open_once(struct sink_lane *lane)
{
    begin(lane, NULL, "open");
    weir_status st =
        vtable_of(lane)->open(lane->instance->self, &lane->call.context, token_of(lane));
    call_end(&lane->call);
    if (st == WEIR_OK && lane->call.whole.status == WEIR_OK) {
        return CALL_DONE;
    }
    bool may_pass =
        lane->call.whole.status == WEIR_OK || backoff_may_pass(lane->call.whole.error_class);
    if (lane->end->plugin.retries_start && st < 0 && may_pass) {
        return CALL_AGAIN;
    }
    run_faults_call(lane->faults, lane->end->plugin.label, &lane->call, st, "open");
    return CALL_FAILED;
}

void sink_call_open(struct sink_lane *lane)
{
    lane->is_open = vtable_of(lane)->open == NULL || settle(lane, open_once, "open", 0);
    lane->is_flushed = lane->token.size > 0; /* its publish comes first */
}

/* reset and close have one shape: optional, without arguments beyond the context. */
static void call_plain(struct sink_lane *lane, weir_status (*slot)(void *self, weir_context *ctx),
                       const char *name)
{
    if (slot != NULL) {
        begin(lane, NULL, name);
        (void)finish(lane, slot(lane->instance->self, &lane->call.context), name);
    }
}

void sink_call_reset(struct sink_lane *lane)
{
    call_plain(lane, vtable_of(lane)->reset, "reset");
}

void sink_call_close(struct sink_lane *lane)
{
    call_plain(lane, lane->is_open ? vtable_of(lane)->close : NULL, "close");
}

/* The run has failed already; a fault here is told and changes nothing. */
void sink_call_discard(struct sink_lane *lane)
{
    if (!lane->is_open || !lane->is_dirty || vtable_of(lane)->discard == NULL) {
        return;
    }
    begin(lane, NULL, "discard");
    weir_status st = vtable_of(lane)->discard(lane->instance->self, &lane->call.context);
    call_end(&lane->call);
    if (st != WEIR_OK || lane->call.whole.status != WEIR_OK) {
        logger_write(LOGGER_WARNING, lane->end->plugin.label,
                     "could not take back what was written since the last checkpoint%s%s",
                     lane->call.whole.status != WEIR_OK ? ": " : "",
                     lane->call.whole.status != WEIR_OK ? lane->call.whole.message : "");
    }
    lane->is_dirty = false;
}

/* ---- tick -------------------------------------------------------------------------------------- */

static bool has_tick(const struct sink_lane *lane)
{
    const weir_sink_vtable *vtable = vtable_of(lane);
    return WEIR_HAS_FIELD(vtable, weir_sink_vtable, tick) && vtable->tick != NULL;
}

static int64_t now_ms(const struct sink_lane *lane)
{
    const struct services *services = lane->instance->services;
    return services->now_ms != NULL ? services->now_ms(services->self) : clock_wall_ms();
}

/* Not between flush and publish: the sink stands as the token says. */
int64_t sink_call_tick_due(const struct sink_lane *lane)
{
    if (!lane->is_open || lane->is_flushed || lane->is_finished || lane->tick_ms == INT64_MAX ||
        !has_tick(lane) || run_faults_error(lane->faults, NULL)) {
        return INT64_MAX;
    }
    int64_t left_ms = lane->tick_ms - now_ms(lane);
    return left_ms > 0 ? left_ms : 0;
}

static enum outcome tick_once(struct sink_lane *lane)
{
    int64_t next_ms = INT64_MAX;
    begin(lane, NULL, "tick");
    weir_status st =
        vtable_of(lane)->tick(lane->instance->self, &lane->call.context, now_ms(lane), &next_ms);
    enum outcome outcome = finish(lane, st == WEIR_AGAIN ? WEIR_OK : st, "tick");
    lane->tick_ms = next_ms;
    if (outcome == CALL_DONE && st == WEIR_AGAIN) {
        lane->tick_ms = INT64_MAX; /* the flush comes first */
        atomic_store(&lane->wants_flush, true);
        gate_want_checkpoint(lane->faults->gate);
    }
    return outcome;
}

void sink_call_tick(struct sink_lane *lane)
{
    (void)settle(lane, tick_once, "tick", lane->retry_ms);
}
