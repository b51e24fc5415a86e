/* SPDX-License-Identifier: MIT */
/*
 * The commands: their table (commands.c) and their functions, one file each. argv[0] is the
 * command's first word. Each begins with args_parse; each returns an exit status of cli.h.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/args.h"

/* Ended by an element whose name is NULL. */
extern const struct command commands[];

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_topic(int argc, char **argv);
int command_plugin(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_version(int argc, char **argv);
int command_help(int argc, char **argv);

#endif
