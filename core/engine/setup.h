/* SPDX-License-Identifier: MIT */
/*
 * What the files that build a run lend each other.
 */
#ifndef ENGINE_SETUP_H
#define ENGINE_SETUP_H

#include "engine/state.h"

enum { MAX_WORKERS = 1024 };

/* "sink/late.file"; b may be NULL. In the engine's arena; NULL: no memory. */
const char *fact_name(struct engine *engine, const char *kind, const char *a, const char *b);
/* The value of a fact, size 0 where there is none. key NULL: there was no memory for it. */
bool load_fact(struct engine *engine, const char *key, weir_slice *ret_value, struct error *error);

/* Starts the lanes of all sinks and waits until they are open. */
bool start_lanes(struct engine *engine, struct error *error);
/* Makes a task for each partition number, at the positions of the last checkpoint. */
bool make_tasks(struct engine *engine, struct error *error);
/* Makes the workers; they start later. */
bool make_workers(struct engine *engine, struct error *error);
/* Makes the sources; they start later. */
bool make_sources(struct engine *engine, struct error *error);

#endif
