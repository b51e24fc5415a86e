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

/* The manual page weir.1. */
void usage_man(const struct command *commands);
/* A script by which bash completes; for zsh with what that needs in front. */
void usage_completion(const struct command *commands, bool is_zsh);

/* What the program's end means; ended by a NULL status. */
struct exit_status {
    const char *status;
    const char *when;
};
extern const struct exit_status exit_statuses[];

#endif
