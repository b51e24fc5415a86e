/* SPDX-License-Identifier: MIT */
/*
 * A call into a sink until its outcome is known: what may succeed later is tried again with growing
 * waits, everything else that fails ends the run. For the files of seats, on the lane's thread.
 */
#ifndef ENGINE_SEAT_ATTEMPT_H
#define ENGINE_SEAT_ATTEMPT_H

#include <weir/sink.h>

#include "engine/faults/backoff.h"
#include "engine/sinks/sink_lane.h"

/* What has become of a call. */
enum outcome { CALL_DONE, CALL_AGAIN, CALL_FAILED };

static inline const weir_sink_vtable *seat_vtable(const struct seat *seat)
{
    return seat->instance->spec->vtable;
}

/* Around one call of a slot. batch: NULL where it takes none. */
void attempt_begin(struct seat *seat, const weir_batch *batch, const char *slot);
/*
 * The call that has failed with this status says that what the token names is not there, and the token may be
 * outdated: then that is the lane's refusal, not a fault of the run.
 */
bool attempt_is_refused(struct seat *seat, weir_status st, const char *slot);
/* A status that the call does not know is a defect of the plugin and ends the run. */
enum outcome attempt_end(struct seat *seat, weir_status st, const char *slot);

/* Waits before the next attempt; limit_ms: 0 = none. False: it is given up, or the run stops. */
bool attempt_back_off(struct seat *seat, struct backoff *backoff, const char *slot,
                      int64_t limit_ms);
/* The last of several attempts has succeeded. */
void attempt_recover(struct seat *seat, const struct backoff *backoff, const char *slot);
/* Makes a call, `once`, until its outcome is known. False: it has failed for good. */
bool attempt_settle(struct seat *seat, enum outcome (*once)(struct seat *seat), const char *slot,
                    int64_t limit_ms);
/* The sink takes no more records. */
void attempt_note_finished(struct seat *seat);

#endif
