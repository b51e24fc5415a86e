/* SPDX-License-Identifier: MIT */
/*
 * The command line: one file per command.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* Exit statuses (docs/reference/commands.md). */
enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2, EXIT_RETRY = 75 };

/* Runs the command that argv names; returns the exit status. */
int cli_main(int argc, char **argv);

/* Runs the command that argv[0] names. */
int cli_dispatch(int argc, char **argv);

#endif
