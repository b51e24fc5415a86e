/* SPDX-License-Identifier: MIT */
#include "engine/sinks/seat_attempt.h"

#include "base/clock.h"
#include "base/logger.h"
#include "engine/sinks/lane_seats.h"

void attempt_begin(struct seat *seat, const weir_batch *batch, const char *slot)
{
    struct sink_lane *lane = seat->lane;
    arena_reset(&lane->arena);
    call_watch_slot(slot);
    lane->call.stopwatch = lane->times == NULL ? NULL : lane_times_slot(lane->times, slot);
    call_begin(&lane->call, seat->instance, &lane->arena, batch);
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

bool attempt_is_refused(struct seat *seat, weir_status st, const char *slot)
{
    struct sink_lane *lane = seat->lane;
    struct error reason;
    if (!seat->is_beginning || seat->now.token.size == 0) {
        return false;
    }
    run_faults_reason(&lane->call, st, slot, &reason);
    if (reason.status != WEIR_E_NOT_FOUND) {
        return false;
    }
    error_set(&lane->refusal, reason.status, reason.error_class, "%s: %s", seat->label,
              reason.message);
    error_hint(&lane->refusal, "%s", reason.hint);
    return true;
}

enum outcome attempt_end(struct seat *seat, weir_status st, const char *slot)
{
    struct call *call = &seat->lane->call;
    call_end(call);
    if (st == WEIR_OK && call->whole.status == WEIR_OK) {
        return CALL_DONE;
    }
    if (attempt_is_refused(seat, st, slot)) {
        return CALL_FAILED;
    }
    if (is_retriable(call, st)) {
        return CALL_AGAIN;
    }
    run_faults_call(seat->lane->faults, seat->label, call, st, slot);
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

static void give_up(struct seat *seat, const struct backoff *backoff, int64_t now_ns,
                    const struct error *reason)
{
    struct error error = { .status = WEIR_OK };
    error_set(&error, reason->status, reason->error_class,
              "%s; given up after %u attempts in %.1f s", reason->message, backoff->attempts,
              (double)(now_ns - backoff->first_ns) / 1e9);
    error_hint(&error, "%s", reason->hint);
    run_faults_fatal(seat->lane->faults, seat->label, &error);
}

bool attempt_back_off(struct seat *seat, struct backoff *backoff, const char *slot,
                      int64_t limit_ms)
{
    struct sink_lane *lane = seat->lane;
    int64_t now_ns = clock_monotonic_ns();
    int64_t wait_ms;
    struct error reason = { .status = WEIR_OK };
    reason_of(&lane->call, slot, &reason);
    if (!backoff_fail(backoff, now_ns, retry_after_ms(&lane->call), limit_ms, &wait_ms)) {
        give_up(seat, backoff, now_ns, &reason);
        return false;
    }
    if (backoff_is_worth_telling(backoff, now_ns)) {
        logger_write(LOGGER_WARNING, seat->label, "%s; tried again in %.1f s%s%s", reason.message,
                     (double)wait_ms / 1e3, reason.hint[0] != 0 ? "; " : "", reason.hint);
    }
    struct stopwatch *watch = lane->times == NULL ? NULL : &lane->times->retries;
    int64_t start_ns = stopwatch_start(watch);
    bool goes_on = sink_lane_rest(seat, wait_ms, &reason);
    stopwatch_stop(watch, start_ns);
    return goes_on;
}

void attempt_recover(struct seat *seat, const struct backoff *backoff, const char *slot)
{
    if (backoff->attempts > 0) {
        sink_lane_recovered(seat->lane);
        logger_write(LOGGER_INFO, seat->label, "%s has succeeded, after %.1f s", slot,
                     (double)(clock_monotonic_ns() - backoff->first_ns) / 1e9);
    }
}

bool attempt_settle(struct seat *seat, enum outcome (*once)(struct seat *seat), const char *slot,
                    int64_t limit_ms)
{
    struct backoff backoff = { .attempts = 0 };
    enum outcome outcome;
    while ((outcome = once(seat)) == CALL_AGAIN) {
        if (!attempt_back_off(seat, &backoff, slot, limit_ms)) {
            return false;
        }
    }
    if (outcome == CALL_DONE) {
        attempt_recover(seat, &backoff, slot);
    }
    return outcome == CALL_DONE;
}

/* ---- no more records --------------------------------------------------------------------------- */

/* Nothing may be lost in silence: a letter is what is left of a record. */
static void refuse_end(struct seat *seat)
{
    struct error error = { .status = WEIR_OK };
    error_set(&error, WEIR_E_INVALID, WEIR_CLASS_RESOURCE,
              "the end of dead letters takes no more records");
    run_faults_fatal(seat->lane->faults, seat->label, &error);
}

void attempt_note_finished(struct seat *seat)
{
    if (seat->lane->takes_letters) {
        refuse_end(seat);
        return;
    }
    if (!seat->is_finished) {
        seat->is_finished = true;
        lane_seats_finished(seat->lane);
        logger_write(LOGGER_WARNING, seat->label,
                     "the sink takes no more records; further ones are counted and dropped");
    }
}
