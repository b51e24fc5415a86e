/* SPDX-License-Identifier: MIT */
/* The source `file`: going on at a position, in the same file and in another one. */
#include "file_fixture.h"

/* Lines that fill more than a hash's reach and more than a buffer. */
enum { LINE = 16 };

static char *many_lines(uint32_t count)
{
    char *text = malloc(count * LINE + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        at += (size_t)snprintf(text + at, LINE + 1, "{\"i\": %8u}\n", i);
    }
    return text;
}

START_TEST(goes_on_where_any_poll_ended)
{
    uint32_t count = 40000;
    char *text = many_lines(count);
    write_file(text);
    uint32_t next = 0;
    for (uint32_t step = 1; next < count; step = step * 3 % 7919) {
        ck_assert_str_eq(open_source("", 0), "");
        const char *answer = poll_source(step);
        uint32_t expected = count - next < step ? count - next : step;
        ck_assert_int_eq(last_status, WEIR_OK);
        ck_assert_uint_eq(f.call.outputs[0].count, expected);
        ck_assert_mem_eq(answer, text + (size_t)next * LINE, (size_t)expected * LINE);
        next += expected;
        checkpoint();
    }
    free(text);
    ck_assert_str_eq(run(""), "");
}
END_TEST

START_TEST(takes_a_last_line_without_break_once)
{
    write_file("1\n2");
    ck_assert_str_eq(run(""), "1\n2\n");
    ck_assert_str_eq(run(""), "");
    append("\r");
    ck_assert_str_eq(run(""), "");
    append("\n");
    ck_assert_str_eq(run(""), "");
    append("3\n");
    ck_assert_str_eq(run(""), "3\n");
    ck_assert_str_eq(describe(), "1 record from 'in.jsonl' (3 lines)");
}
END_TEST

START_TEST(refuses_a_line_that_goes_on_after_it_was_taken)
{
    write_file("1\n2");
    run("");
    append("3\n4\n");
    const char *answer = run("");
    char expected[256];
    snprintf(expected, sizeof expected, "!! '%s' line 2 goes on at byte 3 of the file", path);
    ck_assert_msg(strstr(answer, expected) == answer, "%s", answer);
}
END_TEST

START_TEST(does_not_meet_a_bad_line_again)
{
    write_file("1\nx\n");
    ck_assert_msg(strstr(run(""), "line 2, byte 0") != NULL, "no failure");
    ck_assert_str_eq(run(""), "");
}
END_TEST

START_TEST(passes_over_the_rest_of_a_long_line_after_a_restart)
{
    char *text = many_lines(30000);
    for (char *p = text; (p = strchr(p, '\n')) != NULL;) {
        *p = ' ';
    }
    write_file(text);
    free(text);
    ck_assert_msg(strstr(run("max_line: 10KiB"), "! 0: ") != NULL, "no failure");
    append("tail\n7\n");
    ck_assert_str_eq(run("max_line: 10KiB"), "7\n");
    ck_assert_str_eq(describe(), "1 record from 'in.jsonl' (2 lines)");
}
END_TEST

static const struct {
    const char *before;
    const char *after; /* NULL: gone */
} replaced[] = {
    { "1\n2\n3\n", "1\n2\n" },
    { "1\n2\n3\n", "1\n5\n3\n" },
    { "1\n2\n3\n", "1\n5\n3\n4\n" },
    { "1\n2\n3\n", NULL },
};

START_TEST(stops_at_a_replaced_file)
{
    write_file(replaced[_i].before);
    run("");
    if (replaced[_i].after == NULL) {
        ck_assert_int_eq(unlink(path), 0);
    } else {
        write_file(replaced[_i].after);
    }
    const char *answer = open_source("", 0);
    ck_assert_msg(strstr(answer, "!! file '") == answer, "%s", answer);
    ck_assert_msg(strstr(answer, "6 bytes had been read") != NULL, "%s", answer);
    ck_assert_msg(strstr(f.call.whole.hint, "on_replaced: restart") != NULL, "%s",
                  f.call.whole.hint);
}
END_TEST

START_TEST(reads_a_replaced_file_from_its_start)
{
    write_file(replaced[_i].before);
    run("");
    if (replaced[_i].after == NULL) {
        ck_assert_int_eq(unlink(path), 0);
        const char *answer = open_source("on_replaced: restart", 0);
        ck_assert_msg(strstr(answer, "No such file") != NULL, "%s", answer);
        return;
    }
    write_file(replaced[_i].after);
    ck_assert_str_eq(run("on_replaced: restart"), replaced[_i].after);
    ck_assert_str_eq(run("on_replaced: restart"), "");
}
END_TEST

START_TEST(knows_a_long_file_by_its_edges)
{
    char *text = many_lines(1000);
    write_file(text);
    run("");
    text[500] = 'x'; /* near the start */
    put("w", text, strlen(text));
    ck_assert_str_ne(open_source("", 0), "");
    text[500] = ' ';
    text[strlen(text) - 500] = 'x'; /* near the end */
    put("w", text, strlen(text));
    ck_assert_str_ne(open_source("", 0), "");
    free(text);
}
END_TEST

START_TEST(refuses_a_position_that_it_does_not_know)
{
    write_file("1\n");
    memset(position.bytes, 0xEE, sizeof position.bytes);
    for (position.size = 1; position.size < 100; position.size++) {
        const char *answer = open_source("", 0);
        ck_assert_msg(strstr(answer, "!! cannot read the stored position") == answer, "%s", answer);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("source_file_position");
    TCase *tests = tcase_create("source_file_position");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, goes_on_where_any_poll_ended);
    tcase_add_test(tests, takes_a_last_line_without_break_once);
    tcase_add_test(tests, refuses_a_line_that_goes_on_after_it_was_taken);
    tcase_add_test(tests, does_not_meet_a_bad_line_again);
    tcase_add_test(tests, passes_over_the_rest_of_a_long_line_after_a_restart);
    tcase_add_loop_test(tests, stops_at_a_replaced_file, 0, sizeof replaced / sizeof replaced[0]);
    tcase_add_loop_test(tests, reads_a_replaced_file_from_its_start, 0,
                        sizeof replaced / sizeof replaced[0]);
    tcase_add_test(tests, knows_a_long_file_by_its_edges);
    tcase_add_test(tests, refuses_a_position_that_it_does_not_know);
    suite_add_tcase(made, tests);
    return made;
}
