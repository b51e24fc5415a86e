/* SPDX-License-Identifier: MIT */
/*
 * Building a run from pipeline, plan and log, and taking it down.
 */
#ifndef ENGINE_SETUP_H
#define ENGINE_SETUP_H

#include "engine/state.h"

enum { MAX_WORKERS = 1024 };

/* Opens the log, finds topics and makes the plan. */
bool setup_look(struct engine *engine, enum log_mode mode, struct error *error);
/* Opens the log and builds all of it; threads of sinks run, worker and sources do not yet. */
bool setup_engine(struct engine *engine, struct error *error);
/*
 * Ends the threads and closes sinks and sources; is_given_up: what was done since the last checkpoint is
 * not committed. False where one of them did not come back (then
 * is_abandoned) or a close failed: `error` says what.
 */
bool stop_engine(struct engine *engine, bool is_given_up, int64_t timeout_ms, struct error *error);
/* Ends the sinks' lanes, then frees all; or nothing where somebody did not come back. */
void teardown_engine(struct engine *engine);

/* ---- what the files that build a run lend each other ---- */

/*
 * Whether a start goes on that has met a fault: only one that is to tell all of them does, and then the fault is
 * noted and `error` empty again. is_right: there was none.
 */
bool start_goes_on(struct engine *engine, bool is_right, struct place place, struct error *error);
/* Time between checkpoints, by the flag or by the file. */
int64_t checkpoint_interval_ms(const struct engine *engine);
/* NULL: the topic is not used. */
struct log_topic *log_topic_of(const struct engine *engine, const struct topic *topic);
/* Starts the lanes of all sinks and waits until they are open. */
bool start_lanes(struct engine *engine, struct error *error);
/* Makes a task for each partition number. */
bool make_tasks(struct engine *engine, struct error *error);
/* Makes the workers; they start later. */
bool make_workers(struct engine *engine, struct error *error);
/* Most messages handled together. */
uint32_t batch_size(const struct engine *engine);

#endif
