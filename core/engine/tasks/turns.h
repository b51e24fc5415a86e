/* SPDX-License-Identifier: MIT */
/*
 * The turns of a task: for each group of routes that meet, which one goes first, and how much of it.
 */
#ifndef ENGINE_TURNS_H
#define ENGINE_TURNS_H

#include "engine/tasks/worker.h"

/*
 * What a turn has come to.
 *
 * TURN_HELD       there is something, and what has to go before it may still come
 * TURN_EXPECTING  messages are on their way
 */
enum turn { TURN_NOTHING, TURN_HELD, TURN_EXPECTING, TURN_NO_ROOM, TURN_READ, TURN_STOP };

/* A turn of every group of the task. */
enum turn turns_serve(struct worker *worker, struct task *task);

#endif
