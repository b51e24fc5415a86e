/* SPDX-License-Identifier: MIT */
/*
 * Finds the command of a command line and runs it. Standard output that its reader has closed is
 * no fault of any command (see output.h).
 */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "plugin/debug/debug_host.h"

/* A file that is opened later must not become standard output because that was closed. */
static void open_standard_files(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) {
            (void)open("/dev/null", O_RDWR); /* takes the lowest number that is free */
        }
    }
}

/* The first word of a name of one or two. */
static size_t first_word(const char *name)
{
    return strcspn(name, " ");
}

static const struct command *find_first(const char *word)
{
    for (const struct command *command = commands; command->name != NULL; command++) {
        size_t len = first_word(command->name);
        if (strlen(word) == len && strncmp(command->name, word, len) == 0) {
            return command;
        }
    }
    return NULL;
}

static int fault_command(const char *word)
{
    struct nearest search;
    nearest_start(&search, word, strlen(word));
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (strchr(command->name, ' ') == NULL) {
            nearest_offer(&search, command->name);
        }
    }
    nearest_offer(&search, "topic");
    nearest_offer(&search, "plugin");
    const char *near = nearest_found(&search);
    fprintf(stderr, "weir: unknown %s '%s'", word[0] == '-' ? "flag" : "command", word);
    if (near != NULL) {
        fprintf(stderr, "; did you mean '%s'?", near);
    }
    fprintf(stderr, "\nhint: 'weir help' lists the commands\n");
    return EXIT_USAGE;
}

int cli_dispatch(int argc, char **argv)
{
    const struct command *command = find_first(argv[0]);
    return command != NULL ? command->function(argc, argv) : fault_command(argv[0]);
}

static int run_line(int argc, char **argv)
{
    static char help[] = "help";
    static char version[] = "version";
    if (argc < 2) {
        usage_list(commands, NULL);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        argv[1] = help;
    } else if (strcmp(argv[1], "--version") == 0) {
        argv[1] = version;
    }
    return cli_dispatch(argc - 1, argv + 1);
}

/* A rule that a plugin has broken under the debug host is a fault, whatever came of it. */
static int with_breaches(int status)
{
    return status == EXIT_DONE && debug_host_breaches() > 0 ? EXIT_FAULT : status;
}

int cli_main(int argc, char **argv)
{
    open_standard_files();
    signal(SIGPIPE, SIG_IGN);
    return with_breaches(output_finish(run_line(argc, argv)));
}
