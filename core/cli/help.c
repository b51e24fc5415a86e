/* SPDX-License-Identifier: MIT */
/*
 * `weir help`: the list of commands, the help of one, the page of the reference, the
 * manual page, or what shells complete by.
 */
#include <stddef.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/usage.h"

/* The same as COMMAND --help. */
static int help_about(char **words, size_t count)
{
    static char help[] = "--help";
    char *line[3] = { words[0], count > 1 ? words[1] : help, help };
    return cli_dispatch(count > 1 ? 3 : 2, line);
}

int command_help(int argc, char **argv)
{
    struct args args;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    const char *shell = args_text(&args, "completion");
    if (shell != NULL && strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0) {
        return args_fault(&args, "there are bash and zsh", "no completion is known for '%s'",
                          shell);
    }
    if (shell != NULL) {
        usage_completion(commands, strcmp(shell, "zsh") == 0);
    } else if (args_has(&args, "man")) {
        usage_man(commands);
    } else if (args_has(&args, "markdown")) {
        usage_markdown(commands);
    } else if (args.operand_count == 0) {
        usage_list(commands, NULL);
    } else {
        return help_about(args.operands, args.operand_count);
    }
    return EXIT_DONE;
}
