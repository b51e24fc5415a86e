/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints: everybody stands, sinks flush, the epoch is committed, sinks publish. By the thread that
 * supervises.
 */
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include "engine/state.h"

/*
 * CHECKPOINT_NORMAL    nothing where nothing has happened since the last one; put off where a sink is stuck,
 *                      until it is through
 * CHECKPOINT_HANDOVER  the same, but the gate stays closed: partitions go to another process
 * CHECKPOINT_FINAL     finishes open files too, and then the run is_over: the gate stays closed. Where the epoch
 *                      had to be dropped it is not, and goes on with what is to be done again
 */
enum checkpoint_kind { CHECKPOINT_NORMAL, CHECKPOINT_HANDOVER, CHECKPOINT_FINAL };

/*
 * One epoch becomes durable: everybody stands at a record boundary, sinks flush, then outputs,
 * positions and tokens are committed in one write, then sinks publish.
 * False after a fatal fault, or when the time was over.
 */
bool checkpoint_make(struct engine *engine, enum checkpoint_kind kind, struct error *error);
/* Closes the gate without a checkpoint; gate_open opens it. */
bool checkpoint_stand(struct engine *engine, struct error *error);

#endif
