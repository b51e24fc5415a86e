/* SPDX-License-Identifier: MIT */
/*
 * The sources of a run. Of all processes that run a pipeline one leads and runs them; where that goes to
 * another process, they end here after a checkpoint and begin there where they were.
 */
#ifndef ENGINE_SOURCES_H
#define ENGINE_SOURCES_H

#include "engine/state.h"

/* Room for them. */
bool sources_init(struct engine *engine, struct error *error);
/* Makes each once, so that what is wrong with one is told by every process of the pipeline. */
bool sources_try(struct engine *engine, struct error *error);
/* Makes them, at the positions of the last commit. Nothing where they are there. */
bool sources_make(struct engine *engine, struct error *error);
/* Starts the threads of those that were made and do not run. */
bool sources_start(struct engine *engine, struct error *error);
/* They end at their next pass of the gate. Everybody stands. */
void sources_end(struct engine *engine);
/* The gate is open: waits for their end and destroys them. False: one does not come back. */
bool sources_take_down(struct engine *engine, struct error *error);

#endif
