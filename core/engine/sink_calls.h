/* SPDX-License-Identifier: MIT */
/*
 * The calls into a sink, each until its outcome is known: what may succeed later is tried again with
 * growing waits, what is rejected meets on_error, everything else ends the run. The contract stands in
 * weir/sink.h. All on the lane's thread.
 */
#ifndef ENGINE_SINK_CALLS_H
#define ENGINE_SINK_CALLS_H

#include "engine/sink_lane.h"

void sink_call_open(struct sink_lane *lane);
void sink_call_reset(struct sink_lane *lane);
/* Releases the root. */
void sink_call_write(struct sink_lane *lane, struct root *root, struct run run);
void sink_call_flush(struct sink_lane *lane, uint32_t flags);
void sink_call_publish(struct sink_lane *lane);
/* Where records have been written whose epoch is given up. */
void sink_call_discard(struct sink_lane *lane);
void sink_call_close(struct sink_lane *lane);
/* Milliseconds until `tick` is due; INT64_MAX: never. */
int64_t sink_call_tick_due(const struct sink_lane *lane);
void sink_call_tick(struct sink_lane *lane);

#endif
