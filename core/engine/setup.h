/* SPDX-License-Identifier: MIT */
/*
 * What the files that build a run lend each other.
 */
#ifndef ENGINE_SETUP_H
#define ENGINE_SETUP_H

#include "engine/state.h"

enum { MAX_WORKERS = 1024 };

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
