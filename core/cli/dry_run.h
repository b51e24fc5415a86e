/* SPDX-License-Identifier: MIT */
/*
 * `weir run --dry-run`: tells what a run would find and make.
 */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "engine/engine.h"

/* Returns the exit status. */
int dry_run(struct pipeline *pipeline, const struct engine_options *options, bool is_json);

#endif
