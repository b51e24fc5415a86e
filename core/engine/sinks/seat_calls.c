/* SPDX-License-Identifier: MIT */
/*
 * The calls into a sink but `write`: a seat's checkpoints, how it opens and closes, what the clock wants.
 */
#include "base/clock.h"
#include "base/fault_point.h"
#include "base/logger.h"
#include "engine/sinks/seat_attempt.h"

enum { FLUSH_DEADLINE_MS = 30000 };

static weir_slice token_of(const struct seat *seat)
{
    return (weir_slice){ seat->now.token.data, seat->now.token.size };
}

/* ---- a checkpoint -------------------------------------------------------------------------------- */

static bool is_shared(const struct seat *seat)
{
    return (seat->instance->spec->flags & WEIR_SINK_SHARED) != 0;
}

static enum outcome refuse_token(struct seat *seat)
{
    struct error error = { .status = WEIR_OK };
    error_set(
        &error, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
        "flush gave a token although the sink is shared by all partitions; this is a defect of the "
        "plugin");
    run_faults_fatal(seat->lane->faults, seat->label, &error);
    return CALL_FAILED;
}

static enum outcome flush_once(struct seat *seat)
{
    buffer_clear(&seat->now.token);
    fault_point("sink.flush");
    attempt_begin(seat, NULL, "flush");
    int64_t deadline = clock_monotonic_ns() + FLUSH_DEADLINE_MS * INT64_C(1000000);
    weir_status st = seat_vtable(seat)->flush(seat->instance->self, &seat->lane->call.context,
                                              deadline, seat->flush_flags, &seat->now.token);
    enum outcome outcome = attempt_end(seat, st == WEIR_END ? WEIR_OK : st, "flush");
    if (outcome == CALL_DONE && seat->now.token.size > 0 && is_shared(seat)) {
        return refuse_token(seat);
    }
    if (outcome == CALL_DONE && st == WEIR_END) {
        attempt_note_finished(seat);
    }
    return outcome;
}

void seat_flush(struct seat *seat, uint32_t flags)
{
    seat->flush_flags = flags;
    if (seat_vtable(seat)->flush != NULL &&
        attempt_settle(seat, flush_once, "flush", seat->lane->retry_ms)) {
        seat->is_flushed = true;
    }
}

static enum outcome publish_once(struct seat *seat)
{
    fault_point("sink.publish");
    attempt_begin(seat, NULL, "publish");
    weir_status st =
        seat_vtable(seat)->publish(seat->instance->self, &seat->lane->call.context, token_of(seat));
    fault_point("sink.published");
    return attempt_end(seat, st, "publish");
}

void seat_publish(struct seat *seat)
{
    if (seat_vtable(seat)->publish == NULL || seat->now.token.size == 0 ||
        attempt_settle(seat, publish_once, "publish", seat->lane->retry_ms)) {
        seat->is_dirty = false;
        seat->is_flushed = false;
        seat->is_committed = false;
        seat->tick_ms = 0;
    }
}

/* ---- life -------------------------------------------------------------------------------------- */

/* A run that cannot start says so at once, unless the end wants it to be tried again. */
static enum outcome open_once(struct seat *seat)
{
    struct sink_lane *lane = seat->lane;
    attempt_begin(seat, NULL, "open");
    weir_status st =
        seat_vtable(seat)->open(seat->instance->self, &lane->call.context, token_of(seat));
    const struct error *whole = &lane->call.whole;
    call_end(&lane->call);
    if (st == WEIR_OK && whole->status == WEIR_OK) {
        return CALL_DONE;
    }
    if (attempt_is_refused(seat, st, "open")) {
        return CALL_FAILED;
    }
    bool may_pass = whole->status == WEIR_OK || backoff_may_pass(whole->error_class);
    if (lane->end->plugin.retries_start && st < 0 && may_pass) {
        return CALL_AGAIN;
    }
    run_faults_call(lane->faults, seat->label, &lane->call, st, "open");
    return CALL_FAILED;
}

static enum outcome reset_once(struct seat *seat)
{
    attempt_begin(seat, NULL, "reset");
    weir_status st = seat_vtable(seat)->reset(seat->instance->self, &seat->lane->call.context);
    return attempt_end(seat, st, "reset");
}

/* The publish comes before anything else: what is flushed may not have been published. */
void seat_open(struct seat *seat)
{
    const weir_sink_vtable *vtable = seat_vtable(seat);
    if (seat->is_fresh && vtable->reset != NULL &&
        !attempt_settle(seat, reset_once, "reset", seat->lane->retry_ms)) {
        return;
    }
    seat->is_open = vtable->open == NULL || attempt_settle(seat, open_once, "open", 0);
    if (seat->is_open) {
        seat_publish(seat);
    }
    seat->is_beginning = false;
}

void seat_close(struct seat *seat)
{
    const weir_sink_vtable *vtable = seat_vtable(seat);
    if (seat->is_open && vtable->close != NULL) {
        attempt_begin(seat, NULL, "close");
        weir_status st = vtable->close(seat->instance->self, &seat->lane->call.context);
        (void)attempt_end(seat, st, "close");
    }
    seat->is_open = false;
}

static bool has_to_discard(const struct seat *seat)
{
    return seat->is_open && seat->is_dirty && !seat->is_committed &&
           seat_vtable(seat)->discard != NULL;
}

/* The run has failed already; a fault here is told and changes nothing. */
void seat_discard(struct seat *seat)
{
    struct call *call = &seat->lane->call;
    if (!has_to_discard(seat)) {
        return;
    }
    attempt_begin(seat, NULL, "discard");
    weir_status st = seat_vtable(seat)->discard(seat->instance->self, &call->context);
    call_end(call);
    if (st != WEIR_OK || call->whole.status != WEIR_OK) {
        logger_write(LOGGER_WARNING, seat->label,
                     "could not take back what was written since the last checkpoint%s%s",
                     call->whole.status != WEIR_OK ? ": " : "",
                     call->whole.status != WEIR_OK ? call->whole.message : "");
    }
    seat->is_dirty = false;
}

/* ---- tick -------------------------------------------------------------------------------------- */

static bool has_tick(const struct seat *seat)
{
    const weir_sink_vtable *vtable = seat_vtable(seat);
    return WEIR_HAS_FIELD(vtable, weir_sink_vtable, tick) && vtable->tick != NULL;
}

/* Not between flush and publish: the sink stands as the token says. */
int64_t seat_tick_due(const struct seat *seat)
{
    bool may_tick = seat->is_open && !seat->is_flushed && !seat->is_finished && has_tick(seat);
    return may_tick ? seat->tick_ms : INT64_MAX;
}

static enum outcome tick_once(struct seat *seat)
{
    struct sink_lane *lane = seat->lane;
    int64_t next_ms = INT64_MAX;
    attempt_begin(seat, NULL, "tick");
    weir_status st = seat_vtable(seat)->tick(seat->instance->self, &lane->call.context,
                                             sink_lane_now_ms(lane), &next_ms);
    enum outcome outcome = attempt_end(seat, st == WEIR_AGAIN ? WEIR_OK : st, "tick");
    seat->tick_ms = next_ms;
    if (outcome == CALL_DONE && st == WEIR_AGAIN) {
        seat->tick_ms = INT64_MAX; /* the flush comes first */
        atomic_store(&lane->wants_flush, true);
        gate_want_checkpoint(lane->faults->gate);
    }
    return outcome;
}

void seat_tick(struct seat *seat)
{
    (void)attempt_settle(seat, tick_once, "tick", seat->lane->retry_ms);
}
