/* SPDX-License-Identifier: MIT */
/*
 * What a run would read of a topic, and from where on.
 */
#ifndef ENGINE_DRY_READS_H
#define ENGINE_DRY_READS_H

#include "engine/dry_run.h"
#include "engine/state.h"

/*
 * By partition, into the dry run's arena. False: it cannot be read, or a start would end: `error` tells the
 * first partition of which that is so.
 */
bool dry_reads_find(struct engine *engine, struct log_topic *topic, struct dry_topic *ret,
                    struct error *error);

#endif
