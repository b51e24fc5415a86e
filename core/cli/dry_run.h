/* SPDX-License-Identifier: MIT */
/*
 * `weir run --dry-run`: tells what a run would find and make.
 */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "cli/args.h"
#include "engine/engine.h"

/* diagnostics: of the file, whose secrets no excerpt shows. Returns the exit status. */
int dry_run(struct pipeline *pipeline, const struct engine_options *options,
            const struct diagnostics *diagnostics, const struct args *args);

#endif
