/* SPDX-License-Identifier: MIT */
/*
 * A script for bash that completes commands and flags, from the table of commands. It uses nothing that
 * zsh's bashcompinit has not. Operands are left to the shell: they are files, mostly.
 */
#include <string.h>

#include "cli/output.h"
#include "cli/usage.h"

static size_t first_word(const char *name)
{
    return strcspn(name, " ");
}

static bool is_alike(const struct command *a, const struct command *b)
{
    size_t len = first_word(a->name);
    return len == first_word(b->name) && strncmp(a->name, b->name, len) == 0;
}

/* True for the first command with its first word. */
static bool is_first(const struct command *commands, const struct command *command)
{
    const struct command *other = commands;
    while (other != command && !is_alike(other, command)) {
        other++;
    }
    return other == command;
}

static void put_first_words(const struct command *commands)
{
    const char *blank = "";
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (is_first(commands, command)) {
            output_printf("%s%.*s", blank, (int)first_word(command->name), command->name);
            blank = " ";
        }
    }
}

/* The second words of each group: `topic) words="list cat put" ;;` */
static void put_groups(const struct command *commands)
{
    for (const struct command *first = commands; first->name != NULL; first++) {
        size_t len = first_word(first->name);
        if (first->name[len] == '\0' || !is_first(commands, first)) {
            continue;
        }
        output_printf("    %.*s)\n        group=1\n        words=\"", (int)len, first->name);
        const char *blank = "";
        for (const struct command *command = first; command->name != NULL; command++) {
            if (is_alike(command, first)) {
                output_printf("%s%s", blank, command->name + len + 1);
                blank = " ";
            }
        }
        output_printf("\"\n        ;;\n");
    }
}

static void put_flags(const struct flag *flags)
{
    for (const struct flag *flag = flags; flag != NULL && flag->name != NULL; flag++) {
        if (flag->letter != 0) {
            output_printf(" -%c", flag->letter);
        }
        output_printf(" --%s", flag->name);
    }
}

static void put_flag_cases(const struct command *commands)
{
    for (const struct command *command = commands; command->name != NULL; command++) {
        output_printf("    \"%s\") flags=\"$common", command->name);
        put_flags(command->flags);
        output_printf("\" ;;\n");
    }
}

void usage_completion(const struct command *commands, bool is_zsh)
{
    output_printf(
        "# Completion of weir's commands and flags. Written by: weir help --completion %s\n",
        is_zsh ? "zsh" : "bash");
    if (is_zsh) {
        output_printf("autoload -U +X bashcompinit && bashcompinit\n");
    }
    output_printf("_weir()\n{\n"
                  "    local current=\"${COMP_WORDS[COMP_CWORD]}\" command=\"${COMP_WORDS[1]}\"\n"
                  "    local common=\"");
    put_flags(args_common_flags);
    output_printf("\" commands=\"");
    put_first_words(commands);
    output_printf("\" words=\"\" flags=\"\" group=0\n    COMPREPLY=()\n    case \"$command\" in\n");
    put_groups(commands);
    output_printf("    help)\n        words=\"$commands\"\n        ;;\n    esac\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        words=\"$commands\"\n"
                  "        flags=\"--help --version\"\n"
                  "    elif [ \"$group\" -eq 1 ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
                  "        command=\"$command ${COMP_WORDS[2]}\"\n"
                  "        words=\"\"\n"
                  "    fi\n"
                  "    [ \"$COMP_CWORD\" -eq 1 ] || case \"$command\" in\n");
    put_flag_cases(commands);
    output_printf("    esac\n"
                  "    case \"$current\" in\n"
                  "    -*) words=\"$flags\" ;;\n"
                  "    esac\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                  "}\n"
                  "complete -o default -F _weir weir\n");
}
