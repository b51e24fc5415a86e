/* SPDX-License-Identifier: MIT */
/*
 * Looks for partitions of which nothing comes: asks the log, and looks at what holds their readers back. What
 * waits to be read and nothing holds back was forgotten by somebody: its task is woken.
 */
#ifndef ENGINE_STALL_SEARCH_H
#define ENGINE_STALL_SEARCH_H

#include "engine/state.h"

/* From time to time, by the thread that supervises. */
void stall_search(struct engine *engine);

#endif
