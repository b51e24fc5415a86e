/* SPDX-License-Identifier: MIT */
/*
 * Reads a command line by the table of commands. Knows no command; allocates nothing.
 */
#include "cli/args.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/usage.h"

const struct flag args_common_flags[] = {
    { .name = "json", .summary = "Answer in JSON, for programs" },
    { .name = "color",
      .value = "WHEN",
      .kind = FLAG_TEXT,
      .summary = "Colours: auto (on a terminal, unless NO_COLOR is set), always, never" },
    { .name = "help", .letter = 'h', .summary = "Show this help" },
    { .name = NULL },
};

/* The n-th flag of a command, its own first; NULL behind the last. */
static const struct flag *flag_at(const struct command *command, size_t n)
{
    size_t own = 0;
    if (command->flags != NULL) {
        while (command->flags[own].name != NULL) {
            own++;
        }
    }
    if (n < own) {
        return &command->flags[n];
    }
    const struct flag *flag = &args_common_flags[n - own];
    return flag->name != NULL ? flag : NULL;
}

/* Its number, or ARGS_MAX_FLAGS. */
static size_t flag_by_name(const struct command *command, const char *name, size_t len)
{
    for (size_t i = 0; i < ARGS_MAX_FLAGS; i++) {
        const struct flag *flag = flag_at(command, i);
        if (flag == NULL) {
            break;
        }
        if (strlen(flag->name) == len && memcmp(flag->name, name, len) == 0) {
            return i;
        }
    }
    return ARGS_MAX_FLAGS;
}

static size_t flag_by_letter(const struct command *command, char letter)
{
    for (size_t i = 0; i < ARGS_MAX_FLAGS; i++) {
        const struct flag *flag = flag_at(command, i);
        if (flag == NULL) {
            break;
        }
        if (flag->letter == letter) {
            return i;
        }
    }
    return ARGS_MAX_FLAGS;
}

static size_t flag_index(const struct args *args, const char *flag)
{
    size_t i = flag_by_name(args->command, flag, strlen(flag));
    if (i == ARGS_MAX_FLAGS) {
        fprintf(stderr, "weir %s: the flag '--%s' is read but not in its table\n",
                args->command->name, flag);
        abort();
    }
    return i;
}

bool args_has(const struct args *args, const char *flag)
{
    return args->is_given[flag_index(args, flag)];
}

const char *args_text(const struct args *args, const char *flag)
{
    return args->texts[flag_index(args, flag)];
}

int64_t args_number(const struct args *args, const char *flag, int64_t fallback)
{
    size_t i = flag_index(args, flag);
    return args->is_given[i] ? args->numbers[i] : fallback;
}

int args_fault(const struct args *args, const char *hint, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "weir %s: ", args->command->name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    if (hint != NULL) {
        fprintf(stderr, "; %s", hint);
    }
    fprintf(stderr, "\nhint: 'weir %s --help' shows flags and an example\n", args->command->name);
    return EXIT_USAGE;
}

/* ---- which command ----------------------------------------------------------------------------
 */

/* True where `name` is `first` alone or `first second`. */
static bool is_name(const char *name, const char *first, const char *second)
{
    size_t len = strlen(first);
    if (strncmp(name, first, len) != 0) {
        return false;
    }
    if (name[len] == '\0') {
        return true;
    }
    return name[len] == ' ' && second != NULL && strcmp(name + len + 1, second) == 0;
}

/* argv[1] names no command of the group argv[0]. */
static int fault_group(const struct command *commands, const char *group, const char *word)
{
    struct nearest search;
    size_t len = strlen(group);
    nearest_start(&search, word, strlen(word));
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (strncmp(command->name, group, len) == 0 && command->name[len] == ' ') {
            nearest_offer(&search, command->name + len + 1);
        }
    }
    const char *near = nearest_found(&search);
    fprintf(stderr, "weir %s: unknown command '%s'", group, word);
    if (near != NULL) {
        fprintf(stderr, "; did you mean '%s'?", near);
    }
    fprintf(stderr, "\nhint: 'weir %s --help' lists its commands\n", group);
    return EXIT_USAGE;
}

static const struct command *find_command(const struct command *commands, int argc, char **argv,
                                          int *ret_status)
{
    const char *second = argc > 1 ? argv[1] : NULL;
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (is_name(command->name, argv[0], second)) {
            return command;
        }
    }
    bool is_help = second != NULL && (strcmp(second, "--help") == 0 || strcmp(second, "-h") == 0);
    if (second == NULL || is_help) {
        usage_list(commands, argv[0]);
        *ret_status = is_help ? EXIT_DONE : EXIT_USAGE;
    } else {
        *ret_status = fault_group(commands, argv[0], second);
    }
    return NULL;
}

/* ---- flags ------------------------------------------------------------------------------------
 */

static int fault_flag(const struct args *args, const char *name, size_t len)
{
    struct nearest search;
    char cure[128];
    nearest_start(&search, name, len);
    for (size_t i = 0; flag_at(args->command, i) != NULL; i++) {
        nearest_offer(&search, flag_at(args->command, i)->name);
    }
    const char *near = nearest_found(&search);
    if (near == NULL) {
        return args_fault(args, NULL, "unknown flag '--%.*s'", (int)len, name);
    }
    snprintf(cure, sizeof cure, "did you mean '--%s'?", near);
    return args_fault(args, cure, "unknown flag '--%.*s'", (int)len, name);
}

/* Stores what stands behind a flag; false after a report. */
static bool take_value(struct args *args, size_t i, const char *text)
{
    const struct flag *flag = flag_at(args->command, i);
    const char *cure = NULL;
    bool is_fine = true;
    args->is_given[i] = true;
    args->texts[i] = text;
    if (flag->kind == FLAG_NUMBER) {
        is_fine = units_int(text, strlen(text), &args->numbers[i], &cure);
        if (is_fine && args->numbers[i] < flag->min) {
            args_fault(args, NULL, "'--%s' must be at least %" PRId64 ", not '%s'", flag->name,
                       flag->min, text);
            return false;
        }
    } else if (flag->kind == FLAG_DURATION) {
        is_fine = units_duration_ms(text, strlen(text), &args->numbers[i], &cure);
    }
    if (!is_fine) {
        args_fault(args, cure, "'--%s' needs a %s, not '%s'", flag->name,
                   flag->kind == FLAG_NUMBER ? "whole number" : "duration", text);
    }
    return is_fine;
}

/* One flag at argv[*at], with its value if it has one; false after a report. */
static bool take_long(struct args *args, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    const char *equals = strchr(name, '=');
    size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
    size_t i = flag_by_name(args->command, name, len);
    if (i == ARGS_MAX_FLAGS) {
        fault_flag(args, name, len);
        return false;
    }
    const struct flag *flag = flag_at(args->command, i);
    if (flag->value == NULL) {
        if (equals != NULL) {
            args_fault(args, NULL, "'--%s' takes no value", flag->name);
            return false;
        }
        args->is_given[i] = true;
        return true;
    }
    if (equals != NULL) {
        return take_value(args, i, equals + 1);
    }
    if (*at + 1 >= argc) {
        args_fault(args, NULL, "'--%s' needs a value: --%s %s", flag->name, flag->name,
                   flag->value);
        return false;
    }
    return take_value(args, i, argv[++*at]);
}

/* Short flags: one letter each, `-f FILE` or `-fFILE`; false after a report. */
static bool take_short(struct args *args, int argc, char **argv, int *at)
{
    for (const char *letter = argv[*at] + 1; *letter != '\0'; letter++) {
        size_t i = flag_by_letter(args->command, *letter);
        if (i == ARGS_MAX_FLAGS) {
            args_fault(args, NULL, "unknown flag '-%c'", *letter);
            return false;
        }
        const struct flag *flag = flag_at(args->command, i);
        if (flag->value == NULL) {
            args->is_given[i] = true;
            continue;
        }
        if (letter[1] != '\0') {
            return take_value(args, i, letter + 1);
        }
        if (*at + 1 >= argc) {
            args_fault(args, NULL, "'-%c' needs a value: -%c %s", *letter, *letter, flag->value);
            return false;
        }
        return take_value(args, i, argv[++*at]);
    }
    return true;
}

/* Moves operands to the front of argv; false after a report. */
static bool take_all(struct args *args, int argc, char **argv)
{
    bool is_flags = true;
    args->operands = argv;
    for (int at = 0; at < argc; at++) {
        char *word = argv[at];
        if (!is_flags || word[0] != '-' || word[1] == '\0') {
            args->operands[args->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            is_flags = false;
        } else if (word[1] == '-') {
            if (!take_long(args, argc, argv, &at)) {
                return false;
            }
        } else if (!take_short(args, argc, argv, &at)) {
            return false;
        }
    }
    return true;
}

/* ---- the whole line ---------------------------------------------------------------------------
 */

static bool is_colored(const char *when, int descriptor)
{
    if (when != NULL && strcmp(when, "auto") != 0) {
        return strcmp(when, "always") == 0;
    }
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool is_dumb = terminal != NULL && strcmp(terminal, "dumb") == 0;
    return (refused == NULL || refused[0] == '\0') && !is_dumb && isatty(descriptor) == 1;
}

static bool take_common(struct args *args)
{
    const char *when = args_text(args, "color");
    if (when != NULL && strcmp(when, "auto") != 0 && strcmp(when, "always") != 0 &&
        strcmp(when, "never") != 0) {
        args_fault(args, NULL, "'--color' must be auto, always or never, not '%s'", when);
        return false;
    }
    args->is_json = args_has(args, "json");
    args->has_color_out = is_colored(when, STDOUT_FILENO);
    args->has_color_err = is_colored(when, STDERR_FILENO);
    return true;
}

static bool check_operands(const struct args *args)
{
    const struct command *command = args->command;
    if (args->operand_count < command->min_operands) {
        args_fault(args, NULL, "something is missing: weir %s %s", command->name,
                   command->operands);
        return false;
    }
    if (args->operand_count > command->max_operands) {
        args_fault(args, NULL, "'%s' is one word too many", args->operands[command->max_operands]);
        return false;
    }
    return true;
}

bool args_parse(struct args *args, const struct command *commands, int argc, char **argv,
                int *ret_status)
{
    *args = (struct args){ 0 };
    args->command = find_command(commands, argc, argv, ret_status);
    if (args->command == NULL) {
        return false;
    }
    int words = strchr(args->command->name, ' ') != NULL ? 2 : 1;
    *ret_status = EXIT_USAGE;
    if (!take_all(args, argc - words, argv + words)) {
        return false;
    }
    if (args_has(args, "help")) {
        usage_command(args->command);
        *ret_status = EXIT_DONE;
        return false;
    }
    return take_common(args) && check_operands(args);
}
