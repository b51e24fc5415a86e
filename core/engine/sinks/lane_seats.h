/* SPDX-License-Identifier: MIT */
/*
 * What an order to a lane means for its seats. On the lane's thread.
 */
#ifndef ENGINE_LANE_SEATS_H
#define ENGINE_LANE_SEATS_H

#include "engine/sinks/sink_lane.h"

/* Carries an order out. After a fault of the run only what gives things back is done. */
void lane_seats_do(struct sink_lane *lane, const struct lane_item *item);
/* Milliseconds until a seat's `tick` is due; INT64_MAX: never. */
int64_t lane_seats_tick_due(const struct sink_lane *lane);
/* Looks whether none of the seats takes more records. */
void lane_seats_finished(struct sink_lane *lane);

#endif
