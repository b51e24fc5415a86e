/* SPDX-License-Identifier: MIT */
/*
 * Which partitions this process reads: what the log gives it, and at which positions.
 */
#ifndef ENGINE_SHARES_H
#define ENGINE_SHARES_H

#include "engine/state.h"

/* Becomes a member of the pipeline's group, for the topics that it reads. The tasks are there. */
bool shares_join(struct engine *engine, struct error *error);
/* Carries out the next change, if there is one: takes partitions, or lets them go after a checkpoint. By
 * the thread that supervises. */
bool shares_follow(struct engine *engine, struct error *error);

/*
 * All partitions belong to others already: nothing of theirs is touched any more. Everybody stands. The log
 * tells it later, too.
 */
bool shares_forfeit(struct engine *engine, struct error *error);
/*
 * This process may have been silent so long that others took over: whatever writes stands still until the
 * log has said whether its partitions are still its own.
 */
bool shares_confirm(struct engine *engine, struct error *error);

#endif
