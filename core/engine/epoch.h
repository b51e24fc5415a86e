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

#endif
