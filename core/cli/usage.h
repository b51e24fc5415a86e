/* SPDX-License-Identifier: MIT */
/*
 * What `--help`, `weir help` and the reference say, from the table of commands.
 */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include "cli/args.h"

/* The list of commands; of one group ("topic") where group is not NULL. */
void usage_list(const struct command *commands, const char *group);
void usage_command(const struct command *command);
/* The page of the reference about all commands. */
void usage_markdown(const struct command *commands);

#endif
