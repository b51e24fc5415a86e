/* SPDX-License-Identifier: MIT */
/*
 * An epoch: all that is done between two commits. It becomes durable in one piece or not at all.
 */
#ifndef ENGINE_EPOCH_H
#define ENGINE_EPOCH_H

#include "engine/state.h"

/*
 * Commits outputs, positions, sources and tokens. Everybody stands and the sinks have flushed.
 * error->is_retriable, WEIR_AGAIN: as log_commit.
 */
weir_status epoch_commit(struct engine *engine, struct error *error);
/*
 * Gives up what was done since the last commit: outputs, what sinks were given, what was read. The run goes
 * on from there once the gate is open and epoch_recover was called. Everybody stands. False: a fault.
 */
bool epoch_drop(struct engine *engine, struct error *error);
/* The gate is open. After a drop: sources begin where the last commit has them. False: a fault. */
bool epoch_recover(struct engine *engine, struct error *error);

#endif
