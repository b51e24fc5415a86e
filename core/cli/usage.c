/* SPDX-License-Identifier: MIT */
/*
 * Writes the table of commands for people: on a terminal, and as a page of the reference.
 */
#include "cli/usage.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"

const struct exit_status exit_statuses[] = {
    { "0", "done; stopped by one SIGINT or SIGTERM, with a checkpoint" },
    { "1", "a fault in the file, in the data, in a plugin or of the machine" },
    { "2", "wrong use of the command line" },
    { "75",
      "no broker answered for too long, or a topic that is read got more partitions: start again" },
    { "by the signal", "a second SIGINT or SIGTERM: ended at once, no checkpoint" },
    { NULL, NULL },
};

static bool is_of_group(const struct command *command, const char *group)
{
    size_t len = group != NULL ? strlen(group) : 0;
    return group == NULL || (strncmp(command->name, group, len) == 0 && command->name[len] == ' ');
}

void usage_list(const struct command *commands, const char *group)
{
    if (group == NULL) {
        output_printf("weir: stream processing from one YAML file\n\n");
    }
    output_printf("usage: weir %s%sCOMMAND [FLAGS]\n\n", group != NULL ? group : "",
                  group != NULL ? " " : "");
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (is_of_group(command, group)) {
            output_printf("  %-16s %s\n", command->name, command->summary);
        }
    }
    output_printf("\n'weir COMMAND --help' shows flags and an example\n");
}

/* "-f, --file FILE" */
static void flag_head(const struct flag *flag, char *room, size_t size)
{
    char letter[8] = "";
    if (flag->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", flag->letter);
    }
    snprintf(room, size, "%s--%s%s%s", letter, flag->name, flag->value != NULL ? " " : "",
             flag->value != NULL ? flag->value : "");
}

static void list_flags(const struct flag *flags)
{
    for (const struct flag *flag = flags; flag != NULL && flag->name != NULL; flag++) {
        char head[64];
        flag_head(flag, head, sizeof head);
        output_printf("  %-22s %s\n", head, flag->summary);
    }
}

/* Each line of a text behind a prefix. */
static void put_lines(const char *prefix, const char *text)
{
    while (*text != '\0') {
        int len = (int)strcspn(text, "\n");
        output_printf("%s%.*s\n", len > 0 ? prefix : "", len, text);
        text += len;
        text += *text == '\n';
    }
}

void usage_command(const struct command *command)
{
    output_printf("%s\n\nusage: weir %s%s%s [FLAGS]\n\n", command->summary, command->name,
                  command->operands[0] != '\0' ? " " : "", command->operands);
    if (command->doc != NULL) {
        put_lines("", command->doc);
        output_printf("\n");
    }
    output_printf("flags:\n");
    list_flags(command->flags);
    list_flags(args_common_flags);
    output_printf("\nexample:\n");
    put_lines("  ", command->example);
}

static void table_flags(const struct flag *flags)
{
    for (const struct flag *flag = flags; flag != NULL && flag->name != NULL; flag++) {
        char head[64];
        flag_head(flag, head, sizeof head);
        output_printf("| `%s` | %s |\n", head, flag->summary);
    }
}

void usage_markdown(const struct command *commands)
{
    output_printf("# Commands\n\n"
                  "Answers go to standard output; log lines, progress, errors and the summary to "
                  "standard error.\n\n"
                  "| exit status | when |\n|---|---|\n");
    for (const struct exit_status *row = exit_statuses; row->status != NULL; row++) {
        output_printf("| %s | %s |\n", row->status, row->when);
    }
    output_printf("\n"
                  "Flags of every command:\n\n| flag | meaning |\n|---|---|\n");
    table_flags(args_common_flags);
    for (const struct command *command = commands; command->name != NULL; command++) {
        output_printf("\n## weir %s\n\n%s.\n\n```\nweir %s%s%s [FLAGS]\n```\n", command->name,
                      command->summary, command->name, command->operands[0] != '\0' ? " " : "",
                      command->operands);
        if (command->doc != NULL) {
            output_printf("\n");
            put_lines("", command->doc);
        }
        if (command->flags != NULL) {
            output_printf("\n| flag | meaning |\n|---|---|\n");
            table_flags(command->flags);
        }
        output_printf("\nExample:\n\n```\n");
        put_lines("", command->example);
        output_printf("```\n");
    }
}
