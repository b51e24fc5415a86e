/* SPDX-License-Identifier: MIT */
/* The source `file`: records of CSV. */
#include "file_fixture.h"

static const struct {
    const char *options;
    const char *text;
    const char *expected; /* %s: the path */
} csv_cases[] = {
    { "", "a,b\n1,x\n2,\n", "{\"a\":\"1\",\"b\":\"x\"}\n{\"a\":\"2\",\"b\":\"\"}\n" },
    { "", "\xEF\xBB\xBF\"a\",b\r\n\r\n1,2\r\n3,4",
      "{\"a\":\"1\",\"b\":\"2\"}\n"
      "{\"a\":\"3\",\"b\":\"4\"}\n" },
    { "", "a,b\n\"x,\"\"y\"\"\",\"two\nlines\"\n",
      "{\"a\":\"x,\\\"y\\\"\",\"b\":\"two\\nlines\"}\n" },
    { "", "", "" },
    { "", "a,b\n", "" },
    { "columns: [x, y]", "a,b\n", "{\"x\":\"a\",\"y\":\"b\"}\n" },
    { "delimiter: \";\"", "a;b\n1,5;2\n", "{\"a\":\"1,5\",\"b\":\"2\"}\n" },
    { "delimiter: \"\\t\"", "a\tb\n\t\n", "{\"a\":\"\",\"b\":\"\"}\n" },
    { "types: infer", "a\n1\n-1.50\n007\n1e3\ntrue\nfalse\nTrue\n1.\n.5\n-\n+1\n\"7\"\n\"\"\n",
      "{\"a\":1}\n{\"a\":-1.50}\n{\"a\":\"007\"}\n{\"a\":1e3}\n{\"a\":true}\n{\"a\":false}\n"
      "{\"a\":\"True\"}\n{\"a\":\"1.\"}\n{\"a\":\".5\"}\n{\"a\":\"-\"}\n{\"a\":\"+1\"}\n"
      "{\"a\":\"7\"}\n{\"a\":\"\"}\n" },
    { "types: infer", "a,b\n,\"\"\n", "{\"a\":null,\"b\":\"\"}\n" },
    { "", "a,b\n1\n2,3,4\n5,6\n",
      "{\"a\":\"5\",\"b\":\"6\"}\n! 0: '%s' line 2, byte 0: the record has 1 field, there are 2 "
      "columns\n! 1: '%s' line 3, byte 0: the record has 3 fields, there are 2 columns\n" },
    { "", "a,b\n\"x\ny\",5\" pipe\n1,2\n",
      "{\"a\":\"1\",\"b\":\"2\"}\n! 0: '%s' line 3, byte 4: a quote in a field without quotes; put "
      "the field in quotes and double it\n" },
    { "", "a\n\xFF\n1\n", "{\"a\":\"1\"}\n! 0: '%s' line 2, byte 0: the record is not UTF-8\n" },
    { "", "a,b\n1,2\n3,\"x\ny\n",
      "{\"a\":\"1\",\"b\":\"2\"}\n! 1: '%s' line 3, byte 2: the quote that begins here is never "
      "closed\n" },
    { "max_line: 8", "a,b\n1,\"1234\n,567\n\",\n5,6\n",
      "{\"a\":\"5\",\"b\":\"6\"}\n! 0: '%s' line 2, byte 8: the line is longer than 8 bytes; see "
      "option 'max_line'\n" },
    { "", "a,b,a\n1,2,3\n",
      "!! cannot take the names of the columns of '%s': two have the name 'a'\n" },
};

START_TEST(reads_csv)
{
    char expected[1024];
    char options[128];
    const char *const p = path;
    write_file(csv_cases[_i].text);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    snprintf(expected, sizeof expected, csv_cases[_i].expected, p, p, p);
#pragma GCC diagnostic pop
    bool has_options = csv_cases[_i].options[0] != '\0';
    snprintf(options, sizeof options, "format: csv%s%s", has_options ? ", " : "",
             csv_cases[_i].options);
    ck_assert_str_eq(run(options), expected);
    if (strncmp(expected, "!!", 2) != 0) {
        ck_assert_str_eq(run(options), "");
    }
}
END_TEST

/* Every stop between two polls, with a header that is longer than what a position knows of a file. */
START_TEST(goes_on_in_csv_at_every_record)
{
    char text[4096];
    size_t at = (size_t)snprintf(text, sizeof text, "\"%0*d\",\"two\nlines\"\n", 2000, 0);
    char expected[16384] = "";
    for (int i = 0; i < 6; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%d,\"x\n\"\"%d\"\n", i, i);
        size_t end = strlen(expected);
        snprintf(expected + end, sizeof expected - end,
                 "{\"%0*d\":\"%d\",\"two\\nlines\":\"x\\n\\\"%d\"}\n", 2000, 0, i, i);
    }
    write_file(text);
    char told[16384] = "";
    do {
        ck_assert_str_eq(open_source("format: csv", 0), "");
        const char *answer = poll_source(1);
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s", answer);
        checkpoint();
    } while (last_status == WEIR_OK);
    ck_assert_int_eq(last_status, WEIR_END);
    ck_assert_str_eq(told, expected);
}
END_TEST

START_TEST(goes_on_inside_a_record_of_csv_that_is_too_long)
{
    write_file("a\n\"12345678\n9");
    const char *options = "format: csv, max_line: 8";
    const char *answer = run(options);
    ck_assert_msg(strstr(answer, "line 2, byte 8: the line is longer") != NULL, "%s", answer);
    append("\n\"\"0\n\"\nok\n");
    ck_assert_str_eq(run(options), "{\"a\":\"ok\"}\n");
}
END_TEST

START_TEST(waits_for_the_end_of_a_record_of_csv)
{
    write_file("a,b\n1,\"x");
    ck_assert_str_eq(open_source("format: csv, follow: true", 0), "");
    ck_assert_str_eq(poll_source(9), "");
    append("\ny");
    ck_assert_str_eq(poll_source(9), "");
    append("\"\n");
    ck_assert_str_eq(poll_source(9), "{\"a\":\"1\",\"b\":\"x\\ny\"}\n");
}
END_TEST

START_TEST(reads_the_header_of_the_file_that_has_taken_the_name)
{
    char old[160];
    const char *options = "format: csv, follow: true, on_replaced: restart";
    write_file("a,b\n1,2\n");
    ck_assert_str_eq(open_source(options, 0), "");
    ck_assert_str_eq(poll_source(9), "{\"a\":\"1\",\"b\":\"2\"}\n");
    snprintf(old, sizeof old, "%s.1", path);
    ck_assert_int_eq(rename(path, old), 0);
    write_file("c\n3\n");
    const char *answer = poll_source(9);
    for (int i = 0; i < 3 && answer[0] == '\0'; i++) {
        answer = poll_source(9);
    }
    ck_assert_str_eq(answer, "{\"c\":\"3\"}\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("source_file_csv");
    TCase *tests = tcase_create("source_file_csv");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, reads_csv, 0, sizeof csv_cases / sizeof csv_cases[0]);
    tcase_add_test(tests, goes_on_in_csv_at_every_record);
    tcase_add_test(tests, goes_on_inside_a_record_of_csv_that_is_too_long);
    tcase_add_test(tests, waits_for_the_end_of_a_record_of_csv);
    tcase_add_test(tests, reads_the_header_of_the_file_that_has_taken_the_name);
    suite_add_tcase(made, tests);
    return made;
}
