/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the messages of topics: the file's options reach the log at the start, and while the
 * run goes on the log removes what they let go.
 */
#ifndef ENGINE_KEEPING_H
#define ENGINE_KEEPING_H

#include "engine/state.h"

/* Tells the log what the file says; prints what has changed, and what holds though the file is silent. */
bool keeping_apply(struct engine *engine, struct error *error);
/* A moment's work of removing, where it is time for it. Thread: that supervises. */
bool keeping_go_on(struct engine *engine, struct error *error);
/* After the last checkpoint: what is left to remove, as far as that is quick. */
bool keeping_finish(struct engine *engine, struct error *error);

#endif
