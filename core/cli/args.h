/* SPDX-License-Identifier: MIT */
/*
 * The command line by a table: what a command takes stands in one `struct command`, and from it
 * come the parser, `--help`, "did you mean" and docs/reference/commands.md.
 *
 *     int command_topic(int argc, char **argv)
 *     {
 *         struct args args;
 *         int status = 0;
 *         if (!args_parse(&args, commands, argc, argv, &status)) {
 *             return status;
 *         }
 *         int64_t count = args_number(&args, "count", INT64_MAX);
 *         ...
 *         return args_fault(&args, "needs ...", "topic '%s' ...", args.operands[0]); // status 2
 *     }
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the text behind a flag must be. NUMBER: at least `min`; DURATION: see base/units.h. */
enum flag_kind { FLAG_SWITCH, FLAG_TEXT, FLAG_NUMBER, FLAG_DURATION };

/*
 * name     long name without "--"; letter: short name, 0 = none
 * value    what stands for the value in the help ("N"); NULL for a switch
 */
struct flag {
    const char *name;
    const char *value;
    const char *summary;
    enum flag_kind kind;
    char letter;
    int64_t min;
};

/*
 * name      one or two words: "run", "topic cat". Commands of two words share their function
 * operands  as the usage line shows them: "NAME [FILE]"; "" where there are none
 * doc       paragraphs, may be NULL
 * example   one command per line
 * flags     ended by an element whose name is NULL; NULL = none but the common ones
 */
struct command {
    const char *name;
    const char *summary;
    const char *operands;
    const char *doc;
    const char *example;
    const struct flag *flags;
    size_t min_operands;
    size_t max_operands;
    int (*function)(int argc, char **argv);
};

enum { ARGS_MAX_FLAGS = 16 }; /* of one command, the common ones included */

struct args {
    const struct command *command;
    char **operands;
    size_t operand_count;
    bool is_json;       /* --json */
    bool has_color_out; /* standard output may be coloured */
    bool has_color_err; /* standard error may be coloured */
    bool is_given[ARGS_MAX_FLAGS];
    const char *texts[ARGS_MAX_FLAGS];
    int64_t numbers[ARGS_MAX_FLAGS];
};

/*
 * Finds the command that argv[0] (and, for those of two words, argv[1]) names and reads its flags
 * and operands; flags may stand anywhere, `--` ends them. Reorders argv. Handles --help.
 *
 * commands  ended by an element whose name is NULL
 * Returns false when there is nothing left to do: *ret_status is then the exit status, and what is
 * wrong has been written to standard error.
 */
bool args_parse(struct args *args, const struct command *commands, int argc, char **argv,
                int *ret_status);

/* Flags by long name; a name that the command has not is a defect and aborts. */
bool args_has(const struct args *args, const char *flag);
/* NULL: not given. */
const char *args_text(const struct args *args, const char *flag);
/* A FLAG_NUMBER, or a FLAG_DURATION in ms. */
int64_t args_number(const struct args *args, const char *flag, int64_t fallback);

/* Says on standard error what is wrong with the command line; hint may be NULL. Returns EXIT_USAGE.
 */
int args_fault(const struct args *args, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Flags that every command has; ended by NULL. */
extern const struct flag args_common_flags[];

#endif
