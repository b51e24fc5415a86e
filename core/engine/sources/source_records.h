/* SPDX-License-Identifier: MIT */
/* The records of a poll as the pipeline wants them: `key` and `event_time` of the source are evaluated. */
#ifndef ENGINE_SOURCE_RECORDS_H
#define ENGINE_SOURCE_RECORDS_H

#include "engine/sources/source_lane.h"

/* The run's records with key and time, in the lane's arena, without those that fail. False: the run ends. */
bool source_prepare(struct source_lane *lane, struct run *run);
/* A record that fails meets the source's on_error. record NULL: it could not be read. False: the run ends. */
bool source_drop(struct source_lane *lane, const weir_record *record,
                 const struct call_failure *failure);

#endif
