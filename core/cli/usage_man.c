/* SPDX-License-Identifier: MIT */
/*
 * The manual page, from the table of commands. Text goes through put(), which keeps roff from taking
 * any of it for a request.
 */
#include <string.h>

#include "base/version.h"
#include "cli/output.h"
#include "cli/usage.h"

static void put(const char *text, size_t len)
{
    if (len > 0 && (text[0] == '.' || text[0] == '\'')) {
        output_printf("\\&");
    }
    for (size_t i = 0; i < len; i++) {
        switch (text[i]) {
        case '\\':
            output_printf("\\e");
            break;
        case '-':
            output_printf("\\-");
            break;
        case '\'':
            output_printf("\\(aq");
            break;
        case '`':
            output_printf("\\(ga");
            break;
        case '^':
            output_printf("\\(ha");
            break;
        case '~':
            output_printf("\\(ti");
            break;
        default:
            output_write(&text[i], 1);
        }
    }
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

/* Lines that are indented stay as they are; others flow. */
static void put_doc(const char *text)
{
    bool is_kept = false;
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        bool keeps = text[0] == ' ';
        if (keeps != is_kept) {
            output_printf(keeps ? ".nf\n" : ".fi\n");
        }
        is_kept = keeps;
        if (len == 0) {
            output_printf(".PP");
        }
        put(text, len);
        output_printf("\n");
        text += len;
        text += *text == '\n';
    }
    output_printf(is_kept ? ".fi\n" : "");
}

static void put_flags(const struct flag *flags)
{
    for (const struct flag *flag = flags; flag != NULL && flag->name != NULL; flag++) {
        output_printf(".TP\n");
        if (flag->letter != 0) {
            output_printf("\\fB\\-%c\\fR, ", flag->letter);
        }
        output_printf("\\fB\\-\\-");
        put_text(flag->name);
        output_printf("\\fR");
        if (flag->value != NULL) {
            output_printf(" \\fI%s\\fR", flag->value);
        }
        output_printf("\n");
        put_text(flag->summary);
        output_printf(".\n");
    }
}

static void put_command(const struct command *command)
{
    output_printf(".SS ");
    put_text(command->name);
    output_printf("\n\\fBweir ");
    put_text(command->name);
    output_printf("\\fR ");
    put_text(command->operands);
    output_printf("%s[\\fIflags\\fR]\n.PP\n", command->operands[0] != '\0' ? " " : "");
    put_text(command->summary);
    output_printf(".\n");
    if (command->doc != NULL) {
        output_printf(".PP\n");
        put_doc(command->doc);
    }
    put_flags(command->flags);
    output_printf(".PP\nExample:\n.PP\n.nf\n.RS\n");
    put_text(command->example);
    output_printf("\n.RE\n.fi\n");
}

static const struct {
    const char *name;
    const char *meaning;
} variables[] = {
    { "WEIR_PLUGIN_PATH", "Folders and files, between colons, in which plugins are looked for "
                          "before the installed folder." },
    { "WEIR_CHECK_ABI",
      "1, or 1:SEED: the debug host checks what plugins do (for their authors; slow)." },
    { "NO_COLOR", "Set to anything: no colours, unless --color asks for them." },
};

static void put_pair(const char *name, const char *meaning)
{
    output_printf(".TP\n\\fB");
    put_text(name);
    output_printf("\\fR\n");
    put_text(meaning);
    output_printf("\n");
}

void usage_man(const struct command *commands)
{
    output_printf(
        ".\\\" Written by weir help \\-\\-man.\n.TH WEIR 1 \"\" \"weir %s\" \"User Commands\"\n",
        WEIR_VERSION);
    output_printf(
        ".SH NAME\nweir \\- stream processing from one YAML file\n"
        ".SH SYNOPSIS\n\\fBweir\\fR \\fIcommand\\fR [\\fIflags\\fR]\n.SH DESCRIPTION\n"
        "weir runs a graph of operators over a log of topics, as a YAML file describes it.\n"
        "Answers go to standard output; log lines, progress, errors and the summary to\n"
        "standard error.\n.SH FLAGS OF EVERY COMMAND\n");
    put_flags(args_common_flags);
    output_printf(".SH COMMANDS\n");
    for (const struct command *command = commands; command->name != NULL; command++) {
        put_command(command);
    }
    output_printf(".SH EXIT STATUS\n");
    for (const struct exit_status *row = exit_statuses; row->status != NULL; row++) {
        put_pair(row->status, row->when);
    }
    output_printf(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        put_pair(variables[i].name, variables[i].meaning);
    }
}
