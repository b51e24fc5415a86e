/* SPDX-License-Identifier: MIT */
/* The parser by a table of its own: what lines give, and what is said about wrong ones. */
#include "cli/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "unit.h"

static const struct flag flags[] = {
    { .name = "count", .value = "N", .kind = FLAG_NUMBER, .min = 1, .summary = "How many" },
    { .name = "wait", .value = "TIME", .kind = FLAG_DURATION, .summary = "How long" },
    { .name = "file", .letter = 'f', .value = "FILE", .kind = FLAG_TEXT, .summary = "Which" },
    { .name = "strict", .letter = 's', .summary = "How" },
    { .name = NULL },
};

static const struct command table[] = {
    { .name = "box open",
      .summary = "Open a box",
      .operands = "NAME [FILE]",
      .example = "weir box open red",
      .flags = flags,
      .min_operands = 1,
      .max_operands = 2 },
    { .name = "box close", .summary = "Close it", .operands = "", .example = "weir box close" },
    { .name = "look", .summary = "Look", .operands = "", .example = "weir look" },
    { .name = NULL },
};

enum { MAX_WORDS = 12 };

/* Splits a line at blanks and parses it; what is said goes to *ret_said. */
static bool parse(const char *line, struct args *args, int *ret_status, char **ret_said)
{
    static char text[256];
    static char *words[MAX_WORDS + 1];
    size_t size = 0;
    int count = 0;
    snprintf(text, sizeof text, "%s", line);
    char *rest = text;
    for (char *word = strsep(&rest, " "); word != NULL; word = strsep(&rest, " ")) {
        ck_assert_int_lt(count, MAX_WORDS);
        words[count++] = word;
    }
    FILE *before = stderr;
    stderr = open_memstream(ret_said, &size);
    bool is_parsed = args_parse(args, table, count, words, ret_status);
    fclose(stderr);
    stderr = before;
    return is_parsed;
}

static void parse_well(const char *line, struct args *args)
{
    int status = -1;
    char *said = NULL;
    ck_assert_msg(parse(line, args, &status, &said), "%s: %s", line, said);
    ck_assert_str_eq(said, "");
    free(said);
}

START_TEST(reads_flags_and_operands_in_any_order)
{
    struct args args;
    parse_well("box open --count 3 red --wait=1m30s -f- --strict blue --json", &args);
    ck_assert_str_eq(args.command->name, "box open");
    ck_assert_uint_eq(args.operand_count, 2);
    ck_assert_str_eq(args.operands[0], "red");
    ck_assert_str_eq(args.operands[1], "blue");
    ck_assert_int_eq(args_number(&args, "count", 7), 3);
    ck_assert_int_eq(args_number(&args, "wait", 7), 90000);
    ck_assert_str_eq(args_text(&args, "file"), "-");
    ck_assert(args_has(&args, "strict"));
    ck_assert(args.is_json);
}
END_TEST

START_TEST(gives_fallbacks_for_what_is_not_there)
{
    struct args args;
    parse_well("box open red", &args);
    ck_assert_int_eq(args_number(&args, "count", 7), 7);
    ck_assert_ptr_null(args_text(&args, "file"));
    ck_assert(!args_has(&args, "strict"));
    ck_assert(!args.is_json);
}
END_TEST

START_TEST(takes_everything_behind_two_dashes_as_operands)
{
    struct args args;
    parse_well("box open -- --count -f", &args);
    ck_assert_uint_eq(args.operand_count, 2);
    ck_assert_str_eq(args.operands[0], "--count");
    ck_assert_str_eq(args.operands[1], "-f");
}
END_TEST

START_TEST(takes_one_dash_as_an_operand)
{
    struct args args;
    parse_well("box open -", &args);
    ck_assert_str_eq(args.operands[0], "-");
}
END_TEST

START_TEST(joins_short_flags)
{
    struct args args;
    parse_well("box open -sf a.yaml red", &args);
    ck_assert(args_has(&args, "strict"));
    ck_assert_str_eq(args_text(&args, "file"), "a.yaml");
    ck_assert_str_eq(args.operands[0], "red");
}
END_TEST

START_TEST(lets_the_last_of_two_equal_flags_win)
{
    struct args args;
    parse_well("box open red --count 1 --count 2", &args);
    ck_assert_int_eq(args_number(&args, "count", 0), 2);
}
END_TEST

START_TEST(colours_when_told_to_and_not_without_a_terminal)
{
    struct args args;
    parse_well("look --color always", &args);
    ck_assert(args.has_color_out && args.has_color_err);
    parse_well("look --color never", &args);
    ck_assert(!args.has_color_out && !args.has_color_err);
    setenv("NO_COLOR", "1", 1);
    parse_well("look", &args);
    ck_assert(!args.has_color_out && !args.has_color_err);
}
END_TEST

static const struct {
    const char *line;
    const char *said; /* a part of it */
} wrong[] = {
    { "box open red --cuont 3", "unknown flag '--cuont'; did you mean '--count'?" },
    { "box open red --colour", "did you mean '--color'?" },
    { "box open red --zzzzzz", "unknown flag '--zzzzzz'\n" },
    { "box open red -x", "unknown flag '-x'" },
    { "box opne red", "unknown command 'opne'; did you mean 'open'?" },
    { "box open", "something is missing: weir box open NAME [FILE]" },
    { "box open a b c", "'c' is one word too many" },
    { "box close a", "'a' is one word too many" },
    { "box open red --count", "'--count' needs a value: --count N" },
    { "box open red -f", "'-f' needs a value: -f FILE" },
    { "box open red --count 0", "'--count' must be at least 1, not '0'" },
    { "box open red --count -1", "'--count' must be at least 1, not '-1'" },
    { "box open red --count three", "'--count' needs a whole number, not 'three'" },
    { "box open red --wait 5", "'--wait' needs a duration, not '5'; write its unit too" },
    { "box open red --strict=yes", "'--strict' takes no value" },
    { "look --color sometimes", "'--color' must be auto, always or never, not 'sometimes'" },
};

START_TEST(explains_wrong_use)
{
    struct args args;
    int status = -1;
    char *said = NULL;
    ck_assert(!parse(wrong[_i].line, &args, &status, &said));
    ck_assert_int_eq(status, EXIT_USAGE);
    ck_assert_msg(strstr(said, wrong[_i].said) != NULL, "%s: %s", wrong[_i].line, said);
    ck_assert_msg(strstr(said, "hint: ") != NULL, "%s: %s", wrong[_i].line, said);
    free(said);
}
END_TEST

/* Runs the parser with standard output into a text. */
static void parse_help(const char *line, int wanted_status, char *said, size_t size)
{
    struct args args;
    int status = -1;
    char *errors = NULL;
    FILE *file = tmpfile();
    FILE *before = stdout;
    stdout = file;
    ck_assert(!parse(line, &args, &status, &errors));
    stdout = before;
    ck_assert_int_eq(status, wanted_status);
    rewind(file);
    said[fread(said, 1, size - 1, file)] = '\0';
    fclose(file);
    free(errors);
}

START_TEST(shows_help_with_flags_and_example)
{
    char said[2048];
    parse_help("box open --help", EXIT_DONE, said, sizeof said);
    ck_assert_ptr_nonnull(strstr(said, "usage: weir box open NAME [FILE] [FLAGS]"));
    ck_assert_ptr_nonnull(strstr(said, "--count N"));
    ck_assert_ptr_nonnull(strstr(said, "-f, --file FILE"));
    ck_assert_ptr_nonnull(strstr(said, "--color WHEN"));
    ck_assert_ptr_nonnull(strstr(said, "weir box open red"));
}
END_TEST

START_TEST(lists_the_commands_of_a_group)
{
    char said[2048];
    parse_help("box --help", EXIT_DONE, said, sizeof said);
    ck_assert_ptr_nonnull(strstr(said, "box open"));
    ck_assert_ptr_nonnull(strstr(said, "box close"));
    ck_assert_ptr_null(strstr(said, "look"));
    parse_help("box", EXIT_USAGE, said, sizeof said);
    ck_assert_ptr_nonnull(strstr(said, "box open"));
}
END_TEST

START_TEST(aborts_where_code_reads_a_flag_that_is_not_in_the_table)
{
    struct args args;
    parse_well("look", &args);
    (void)args_has(&args, "count");
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("args");
    TCase *cases = tcase_create("args");
    tcase_add_test(cases, reads_flags_and_operands_in_any_order);
    tcase_add_test(cases, gives_fallbacks_for_what_is_not_there);
    tcase_add_test(cases, takes_everything_behind_two_dashes_as_operands);
    tcase_add_test(cases, takes_one_dash_as_an_operand);
    tcase_add_test(cases, joins_short_flags);
    tcase_add_test(cases, lets_the_last_of_two_equal_flags_win);
    tcase_add_test(cases, colours_when_told_to_and_not_without_a_terminal);
    tcase_add_loop_test(cases, explains_wrong_use, 0, (int)(sizeof wrong / sizeof wrong[0]));
    tcase_add_test(cases, shows_help_with_flags_and_example);
    tcase_add_test(cases, lists_the_commands_of_a_group);
    tcase_add_test_raise_signal(cases, aborts_where_code_reads_a_flag_that_is_not_in_the_table, 6);
    suite_add_tcase(suite, cases);
    return suite;
}
