/* SPDX-License-Identifier: MIT */
/* Lines of a file, whatever pieces it comes in. */
#include "cli/line_input.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static struct arena arena;
static struct error error;
static char path[] = "/tmp/weir-lines-XXXXXX";

static void setup(void)
{
    arena_init(&arena, 0);
    close(mkstemp(path));
}

static void teardown(void)
{
    arena_deinit(&arena);
    unlink(path);
}

static void write_file(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* Asserts that the next lines are these, separated by "|", and that none follows. */
static void check_lines(struct line_input *input, const char *expected)
{
    char joined[1000] = "";
    uint64_t number = 0;
    weir_slice line;
    weir_status st;
    while ((st = line_input_next(input, &arena, &line, &error)) == WEIR_OK) {
        ck_assert_uint_eq(input->line, ++number);
        for (size_t i = 0; i < LINE_INPUT_PADDING; i++) {
            ck_assert_uint_eq(line.data[line.size + i], 0);
        }
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%.*s|", (int)line.size,
                 (const char *)line.data);
    }
    ck_assert_int_eq(st, WEIR_END);
    ck_assert_str_eq(joined, expected);
    ck_assert_int_eq(line_input_next(input, &arena, &line, &error), WEIR_END);
}

static const struct split {
    const char *text;
    const char *lines;
} splits[] = {
    { "", "" },      { "\n", "|" },         { "a", "a|" },
    { "a\n", "a|" }, { "a\n\nb", "a||b|" }, { "a\r\n b \n\n", "a\r| b ||" },
};

START_TEST(splits_at_line_breaks)
{
    struct line_input input;
    write_file(splits[_i].text, strlen(splits[_i].text));
    ck_assert_int_eq(line_input_open(&input, path, &error), WEIR_OK);
    check_lines(&input, splits[_i].lines);
    line_input_close(&input);
}
END_TEST

/* Writes the text byte by byte, so that every read ends somewhere else. */
static void *write_slowly(void *arg)
{
    const int *fd = arg;
    const char text[] = "first\n\nsecond line\nno end";
    for (size_t i = 0; i < sizeof text - 1; i++) {
        ck_assert_int_eq(write(*fd, &text[i], 1), 1);
        if (i % 5 == 0) {
            usleep(500);
        }
    }
    close(*fd);
    return NULL;
}

START_TEST(joins_the_pieces_of_a_pipe)
{
    int ends[2];
    pthread_t writer;
    struct line_input input;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(line_input_open(&input, NULL, &error), WEIR_OK);
    ck_assert_str_eq(input.name, "standard input");
    input.fd = ends[0];
    ck_assert_int_eq(pthread_create(&writer, NULL, write_slowly, &ends[1]), 0);
    check_lines(&input, "first||second line|no end|");
    pthread_join(writer, NULL);
    line_input_close(&input);
}
END_TEST

START_TEST(holds_lines_of_any_length)
{
    enum { LONGEST = 3 * 1024 * 1024 };
    char *text = malloc(LONGEST * 2 + 2);
    memset(text, 'x', LONGEST);
    text[LONGEST] = '\n';
    memset(text + LONGEST + 1, 'y', LONGEST);
    text[LONGEST * 2 + 1] = '\n';
    write_file(text, LONGEST * 2 + 2);
    struct line_input input;
    ck_assert_int_eq(line_input_open(&input, path, &error), WEIR_OK);
    for (size_t i = 0; i < 2; i++) {
        weir_slice line;
        ck_assert_int_eq(line_input_next(&input, &arena, &line, &error), WEIR_OK);
        ck_assert_uint_eq(line.size, LONGEST);
        ck_assert_int_eq(memcmp(line.data, text + i * (LONGEST + 1), LONGEST), 0);
    }
    weir_slice line;
    ck_assert_int_eq(line_input_next(&input, &arena, &line, &error), WEIR_END);
    line_input_close(&input);
    free(text);
}
END_TEST

START_TEST(tells_what_cannot_be_read)
{
    struct line_input input;
    weir_slice line;
    ck_assert_int_eq(line_input_open(&input, "/nowhere/at/all", &error), WEIR_E_NOT_FOUND);
    ck_assert_msg(strstr(error.message, "/nowhere/at/all") != NULL, "%s", error.message);
    line_input_close(&input);
    ck_assert_int_eq(line_input_open(&input, "/tmp", &error), WEIR_OK);
    ck_assert_int_lt(line_input_next(&input, &arena, &line, &error), 0);
    ck_assert_msg(strstr(error.message, "/tmp") != NULL, "%s", error.message);
    line_input_close(&input);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("line_input");
    TCase *tc = tcase_create("line_input");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, splits_at_line_breaks, 0, (int)(sizeof splits / sizeof splits[0]));
    tcase_add_test(tc, joins_the_pieces_of_a_pipe);
    tcase_add_test(tc, holds_lines_of_any_length);
    tcase_add_test(tc, tells_what_cannot_be_read);
    suite_add_tcase(s, tc);
    return s;
}
