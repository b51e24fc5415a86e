/* SPDX-License-Identifier: MIT */
/* The source `file`: what it makes of lines, what it says, what it refuses. */
#include <sys/stat.h>

#include "file_fixture.h"

static const struct {
    const char *options;
    const char *text;
    const char *expected; /* %s: the path */
} cases[] = {
    { "", "{\"a\": 1.10}\n[ ]\nnull\n", "{\"a\": 1.10}\n[ ]\nnull\n" },
    { "", "1\r\n\n  \t\r\n2\n", "1\n2\n" },
    { "", "\xEF\xBB\xBF\"a\"\n\"b\"", "\"a\"\n\"b\"\n" },
    { "", "", "" },
    { "", "\n\n  ", "" },
    { "", "1\n{\"a\":}\n3\n",
      "1\n3\n! 1: '%s' line 2, byte 5: unexpected character, expected a valid JSON value\n" },
    { "content: text", "plain \"text\"\r\n\n\xC3\xA9\nlast\r",
      "\"plain \\\"text\\\"\"\n\"\xC3\xA9\"\n\"last\"\n" },
    { "content: text", "a\nb\xFF\nc\n",
      "\"a\"\n\"c\"\n! 1: '%s' line 2, byte 1: the line is not UTF-8\n" },
    { "max_line: 4", "1234\n12345\n1\n",
      "1234\n1\n! 1: '%s' line 2, byte 4: the line is longer than 4 bytes; see option "
      "'max_line'\n" },
    { "max_line: 4", "12345",
      "! 0: '%s' line 1, byte 4: the line is longer than 4 bytes; see option 'max_line'\n" },
    { "content: record", "{\"value\":{\"$bytes\":\"AAH/\"}}\n{\"key\":1,\"value\":[ 1]}\n",
      "{\"$bytes\":\"AAH/\"}\n[ 1]\n" },
    { "content: record", "{\"value\":1,\"colour\":2}\n{}\n[]\n",
      "! 0: '%s' line 1, byte 0: a record line has no member 'colour'; it has topic, partition, "
      "offset, timestamp, key, value, headers\n"
      "! 1: '%s' line 2, byte 0: the record line has no member 'value'\n"
      "! 2: '%s' line 3, byte 0: a record line is a JSON object, this is list\n" },
};

START_TEST(reads_lines)
{
    char expected[1024];
    const char *const p = path;
    write_file(cases[_i].text);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    snprintf(expected, sizeof expected, cases[_i].expected, p, p, p);
#pragma GCC diagnostic pop
    ck_assert_str_eq(run(cases[_i].options), expected);
    ck_assert_str_eq(run(cases[_i].options), "");
}
END_TEST

START_TEST(gives_no_more_records_than_asked_for)
{
    write_file("1\n2\nx\n4\n5\n");
    ck_assert_str_eq(open_source("", 0), "");
    ck_assert_str_eq(poll_source(2), "1\n2\n");
    const char *answer = poll_source(2);
    ck_assert_msg(strstr(answer, "4\n! 0: ") == answer, "%s", answer);
    ck_assert_str_eq(poll_source(2), "5\n");
    ck_assert_str_eq(poll_source(2), "");
    ck_assert_int_eq(last_status, WEIR_END);
}
END_TEST

START_TEST(gives_a_record_all_that_its_line_says)
{
    write_file(
        "{\"topic\":\"t\",\"partition\":3,\"offset\":9,\"timestamp\":-5,\"key\":{\"a\": 1},"
        "\"value\":null,\"headers\":[[\"h\",\"x\"],[\"h\",null],[\"b\",{\"$bytes\":\"/w==\"}]]}\n");
    ck_assert_str_eq(open_source("content: record", 0), "");
    ck_assert_str_eq(poll_source(9), "null\n");
    const weir_record *record = f.call.outputs[0].entries[0].record;
    ck_assert_int_eq(record->timestamp, -5);
    ck_assert_int_eq(record->offset, WEIR_NO_OFFSET);
    ck_assert_uint_eq(record->key.tag, WEIR_MAP);
    ck_assert_uint_eq(record->header_count, 3);
    ck_assert_uint_eq(record->headers[0].value.tag, WEIR_BYTES);
    ck_assert_uint_eq(record->headers[1].value.tag, WEIR_NULL);
    ck_assert_uint_eq((uint8_t)record->headers[2].value.as.text[0], 0xFF);
}
END_TEST

START_TEST(leaves_time_and_key_to_others)
{
    write_file("1\n");
    ck_assert_str_eq(open_source("", 0), "");
    ck_assert_str_eq(poll_source(9), "1\n");
    const weir_record *record = f.call.outputs[0].entries[0].record;
    ck_assert_int_eq(record->timestamp, WEIR_NO_TIMESTAMP);
    ck_assert_uint_eq(record->key.tag, WEIR_NULL);
}
END_TEST

START_TEST(says_what_was_read)
{
    write_file("1\n\n2\n");
    run("");
    ck_assert_str_eq(describe(), "2 records from 'in.jsonl' (3 lines)");
    run("");
    ck_assert_str_eq(describe(), "nothing new in 'in.jsonl' (3 lines)");
    append("3\n");
    ck_assert_str_eq(run(""), "3\n");
    ck_assert_str_eq(describe(), "1 record from 'in.jsonl' (4 lines)");
}
END_TEST

START_TEST(says_why_a_file_cannot_be_opened)
{
    const char *answer = open_source("", 0);
    ck_assert_msg(strstr(answer, "!! could not open '") == answer, "%s", answer);
    ck_assert_uint_eq(f.call.whole.error_class, WEIR_CLASS_NOT_FOUND);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    answer = open_source("", 0);
    ck_assert_msg(strstr(answer, "is a folder, not a file") != NULL, "%s", answer);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    answer = open_source("", 0);
    ck_assert_msg(strstr(answer, "is a device or a pipe, not a file") != NULL, "%s", answer);
}
END_TEST

START_TEST(refuses_options_that_do_not_go_together)
{
    static const struct {
        const char *options;
        const char *complaint;
    } faults[] = {
        { "format: csv, content: text",
          "'content' says what a line of JSON holds, 'format: csv' has none; remove one of them" },
        { "format: csv, delimiter: x",
          "'delimiter' must be one ASCII sign, and no letter, digit, quote or sign of a number; "
          "give one such as ',', ';', '|' or \"\\t\"" },
        { "format: csv, columns: [x, y, x]", "two of the 'columns' have one name; rename one" },
        { "columns: [x]", "'columns' is for CSV; add 'format: csv'" },
        { "delimiter: ;", "'delimiter' is for CSV; add 'format: csv'" },
        { "types: infer", "'types' is for CSV; add 'format: csv'" },
        { "replay: {time: t, speed: 0}",
          "a replay cannot have the speed 0; give more, or leave 'replay' out to read as fast as "
          "possible" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct fixture refused;
        char body[128];
        snprintf(body, sizeof body, "{path: f, %s}", faults[i].options);
        ck_assert(!fixture_init(&refused, "source_file", body));
        ck_assert_str_eq(refused.complaint, faults[i].complaint);
        fixture_deinit(&refused);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("source_file");
    TCase *tests = tcase_create("source_file");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, reads_lines, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, gives_no_more_records_than_asked_for);
    tcase_add_test(tests, gives_a_record_all_that_its_line_says);
    tcase_add_test(tests, leaves_time_and_key_to_others);
    tcase_add_test(tests, says_what_was_read);
    tcase_add_test(tests, says_why_a_file_cannot_be_opened);
    tcase_add_test(tests, refuses_options_that_do_not_go_together);
    suite_add_tcase(made, tests);
    return made;
}
