/* SPDX-License-Identifier: MIT */
/*
 * A pipeline file for the commands that work on one.
 */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/args.h"
#include "pipeline/pipeline.h"

/* Everything that a pipeline needs to live. */
struct loaded {
    struct arena arena;
    struct registry registry;
    struct diagnostics diagnostics;
    struct pipeline *pipeline;
};

/*
 * Loads the command's first operand, else ./pipeline.yaml. Faults and warnings go to standard error.
 * False after an error; loaded_deinit is to be called in either case.
 */
bool loaded_init(struct loaded *loaded, const struct args *args);
void loaded_deinit(struct loaded *loaded);
/*
 * True, and a line to standard error that needs no memory itself, where the memory did not suffice for a
 * file: then it may be right, but is not known to be.
 */
bool tell_no_memory(const struct diagnostics *list, const char *path);

#endif
