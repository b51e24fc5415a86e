/* SPDX-License-Identifier: MIT */
/*
 * Which rights the user of a log lacks for what the run does with its topics.
 */
#ifndef ENGINE_RIGHTS_H
#define ENGINE_RIGHTS_H

#include "engine/state.h"

/* In the arena; the index of a lack's use is that of the pipeline's topic. */
bool rights_find(struct engine *engine, struct arena *arena, struct log_lack **ret_lacks,
                 size_t *ret_count, struct error *error);
/* Where a run has ended by a right that is missing, tells all that are: the first fault seldom knows more
 * than that there is one. */
void rights_tell(struct engine *engine, const struct error *error);

#endif
