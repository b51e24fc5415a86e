/* SPDX-License-Identifier: MIT */
/* The source `file`: lines, positions, following. */
#include "support/testing/fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static struct fixture f;
static char folder[64];
static char path[128];
static uint8_t position_bytes[256];
static weir_slice position;

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/weir-source-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/in.jsonl", folder);
    position = (weir_slice){ position_bytes, 0 };
}

static void teardown(void)
{
    char command[256];
    fixture_deinit(&f);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void put(const char *mode, const char *text, size_t size)
{
    FILE *file = fopen(path, mode);
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void write_file(const char *text)
{
    put("w", text, strlen(text));
}

static void append(const char *text)
{
    put("a", text, strlen(text));
}

static const weir_source_vtable *source(void)
{
    return f.vtable;
}

/* Makes a source with these further options and opens it at `position`; what open said. */
static const char *open_source(const char *more, uint32_t flags)
{
    char body[512];
    if (f.instance != NULL) {
        fixture_deinit(&f);
    }
    snprintf(body, sizeof body, "{path: %s%s%s}", path, more[0] != '\0' ? ", " : "", more);
    ck_assert_msg(fixture_init(&f, "source_file", body), "%s", f.complaint);
    fixture_begin(&f, NULL);
    return fixture_end(&f, source()->open(f.instance->self, &f.call.context, position, flags));
}

static weir_status last_status;

static const char *poll_source(uint32_t max_records)
{
    fixture_begin(&f, NULL);
    last_status = source()->poll(f.instance->self, &f.call.context, max_records, 0);
    return fixture_end(&f, last_status);
}

/* Stores the position as a checkpoint would. */
static void checkpoint(void)
{
    weir_buffer out;
    buffer_init(&out, sizeof position_bytes);
    fixture_begin(&f, NULL);
    ck_assert_int_eq(source()->position(f.instance->self, &f.call.context, &out), WEIR_OK);
    call_end(&f.call);
    memcpy(position_bytes, out.data, out.size);
    position.size = out.size;
    buffer_deinit(&out);
}

/* Everything up to the end, in polls of `max_records`. */
static const char *read_all(uint32_t max_records)
{
    static char told[1 << 16];
    told[0] = '\0';
    do {
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s", poll_source(max_records));
    } while (last_status == WEIR_OK);
    return told;
}

/* Opens at the position, reads to the end, keeps the position. */
static const char *run(const char *more)
{
    const char *answer = open_source(more, 0);
    if (answer[0] != '\0') {
        return answer;
    }
    answer = read_all(100);
    if (last_status == WEIR_END) {
        checkpoint();
    }
    return answer;
}

static const char *describe(void)
{
    static char text[256];
    weir_buffer out;
    buffer_init(&out, 256);
    fixture_begin(&f, NULL);
    ck_assert_int_eq(source()->describe(f.instance->self, &f.call.context, &out), WEIR_OK);
    call_end(&f.call);
    snprintf(text, sizeof text, "%.*s", (int)out.size, (const char *)out.data);
    buffer_deinit(&out);
    return text;
}

/* ---- lines ------------------------------------------------------------------------------------- */

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

/* ---- CSV --------------------------------------------------------------------------------------- */

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

/* ---- positions --------------------------------------------------------------------------------- */

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
    memset(position_bytes, 0xEE, sizeof position_bytes);
    for (position.size = 1; position.size < 100; position.size++) {
        const char *answer = open_source("", 0);
        ck_assert_msg(strstr(answer, "!! cannot read the stored position") == answer, "%s", answer);
    }
}
END_TEST

/* ---- opening ----------------------------------------------------------------------------------- */

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

/* ---- following --------------------------------------------------------------------------------- */

START_TEST(follows_a_growing_file)
{
    write_file("1\n2");
    ck_assert_str_eq(open_source("follow: true", 0), "");
    ck_assert_str_eq(poll_source(9), "1\n");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_AGAIN);
    append("2\n3\n");
    ck_assert_str_eq(poll_source(9), "22\n3\n");
    checkpoint();
    append("4\n");
    ck_assert_str_eq(poll_source(9), "4\n");
    ck_assert_str_eq(open_source("follow: true", 0), "");
    ck_assert_str_eq(poll_source(9), "4\n");
}
END_TEST

START_TEST(ends_a_followed_file_when_told)
{
    write_file("1\n2");
    ck_assert_str_eq(open_source("follow: true", WEIR_SOURCE_UNTIL_END), "");
    ck_assert_str_eq(read_all(9), "1\n2\n");
    ck_assert_int_eq(last_status, WEIR_END);
}
END_TEST

static void rename_away(void)
{
    char old[160];
    snprintf(old, sizeof old, "%s.1", path);
    ck_assert_int_eq(rename(path, old), 0);
}

static void append_to_old(const char *text)
{
    char new_path[128];
    memcpy(new_path, path, sizeof path);
    snprintf(path + strlen(path), sizeof path - strlen(path), ".1");
    append(text);
    memcpy(path, new_path, sizeof path);
}

START_TEST(reads_a_renamed_file_to_its_end_before_the_next)
{
    write_file("1\n");
    ck_assert_str_eq(open_source("follow: true, on_replaced: restart", 0), "");
    ck_assert_str_eq(poll_source(9), "1\n");
    rename_away();
    append_to_old("2\n3");
    ck_assert_str_eq(poll_source(9), "2\n");
    ck_assert_str_eq(poll_source(9), ""); /* nobody has the name: the writer may go on */
    append_to_old("3\n4");
    ck_assert_str_eq(poll_source(9), "33\n");
    write_file("5\n");
    ck_assert_str_eq(poll_source(9), "4\n");
    ck_assert_str_eq(poll_source(9), "5\n");
    checkpoint();
    ck_assert_str_eq(open_source("follow: true", 0), "");
    append("6\n");
    ck_assert_str_eq(poll_source(9), "6\n");
}
END_TEST

START_TEST(stops_after_a_renamed_file)
{
    write_file("1\n");
    ck_assert_str_eq(open_source("follow: true", 0), "");
    ck_assert_str_eq(poll_source(9), "1\n");
    append("2");
    rename_away();
    write_file("5\n");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_str_eq(poll_source(9), "2\n");
    const char *answer = poll_source(9);
    ck_assert_msg(strstr(answer, "has been replaced: 3 bytes had been read, it now has 2") != NULL,
                  "%s", answer);
}
END_TEST

START_TEST(notices_a_file_that_was_emptied_in_place)
{
    write_file("1\n2\n");
    ck_assert_str_eq(open_source("follow: true, on_replaced: restart", 0), "");
    ck_assert_str_eq(poll_source(9), "1\n2\n");
    write_file("7\n8\n9\n"); /* longer than before, by the same name and inode */
    ck_assert_str_eq(poll_source(9), "7\n8\n9\n");
    write_file("");
    ck_assert_str_eq(poll_source(9), "");
    append("1\n");
    ck_assert_str_eq(poll_source(9), "1\n");
}
END_TEST

START_TEST(waits_for_a_file_that_is_gone_and_may_come_again)
{
    write_file("1\n");
    run("");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_str_eq(open_source("follow: true, on_replaced: restart", 0), "");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_AGAIN);
    write_file("2\n");
    ck_assert_str_eq(poll_source(9), "2\n");
}
END_TEST

START_TEST(waits_no_longer_than_asked)
{
    write_file("");
    ck_assert_str_eq(open_source("follow: true, poll: 1h", 0), "");
    fixture_begin(&f, NULL);
    ck_assert_int_eq(source()->poll(f.instance->self, &f.call.context, 9, 0), WEIR_AGAIN);
    ck_assert_int_eq(source()->poll(f.instance->self, &f.call.context, 9, 20), WEIR_AGAIN);
    call_end(&f.call);
}
END_TEST

/* ---- replay ------------------------------------------------------------------------------------ */

static void pass_ms(int64_t ms)
{
    f.monotonic_ns += ms * 1000000;
}

START_TEST(gives_records_at_the_pace_of_their_times)
{
    write_file("{\"t\":1000}\n{\"t\":1500}\n{\"t\":1200}\n\n{\"t\":4000}\n{\"t\":4001}");
    ck_assert_str_eq(open_source("replay: {time: t, speed: 10}", 0), "");
    ck_assert_str_eq(poll_source(9), "{\"t\":1000}\n");
    ck_assert_int_eq(last_status, WEIR_OK);
    ck_assert_int_eq(f.call.outputs[0].entries[0].record->timestamp, 1000);
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_AGAIN);
    pass_ms(49);
    ck_assert_str_eq(poll_source(9), "");
    pass_ms(1);
    ck_assert_str_eq(poll_source(9), "{\"t\":1500}\n{\"t\":1200}\n");
    pass_ms(249);
    ck_assert_str_eq(poll_source(9), "");
    pass_ms(1);
    ck_assert_str_eq(poll_source(9), "{\"t\":4000}\n");
    pass_ms(1);
    ck_assert_str_eq(poll_source(9), "{\"t\":4001}\n");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_END);
}
END_TEST

START_TEST(reads_a_last_line_that_waits_only_once)
{
    write_file("{\"t\":0}\n{\"t\":10}");
    ck_assert_str_eq(open_source("replay: {time: t}", 0), "");
    ck_assert_str_eq(poll_source(9), "{\"t\":0}\n");
    ck_assert_str_eq(poll_source(9), "");
    pass_ms(10);
    ck_assert_str_eq(poll_source(9), "{\"t\":10}\n");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_END);
    checkpoint();
    ck_assert_str_eq(run("replay: {time: t}"), "");
}
END_TEST

/* What waits has not been read, as far as a checkpoint knows. */
START_TEST(goes_on_with_the_record_that_was_waiting)
{
    write_file(
        "a,t\n\"x\ny\",2026-01-01T00:00:00Z\nb,2026-01-01T01:00:00Z\nc,2026-01-01T01:00:01Z\n");
    const char *options = "format: csv, replay: {time: t}";
    ck_assert_str_eq(open_source(options, 0), "");
    const char *answer = poll_source(9);
    ck_assert_msg(strstr(answer, "{\"a\":\"x\\ny\"") == answer, "%s", answer);
    ck_assert_str_eq(poll_source(9), "");
    checkpoint();
    ck_assert_str_eq(open_source(options, 0), "");
    ck_assert_str_eq(poll_source(9), "{\"a\":\"b\",\"t\":\"2026-01-01T01:00:00Z\"}\n");
    pass_ms(999);
    ck_assert_str_eq(poll_source(9), "");
    pass_ms(1);
    ck_assert_str_eq(poll_source(9), "{\"a\":\"c\",\"t\":\"2026-01-01T01:00:01Z\"}\n");
}
END_TEST

START_TEST(rejects_a_record_without_a_time)
{
    write_file("{\"t\":5}\n{}\n{\"t\":true}\n{\"t\":3}\n");
    ck_assert_str_eq(open_source("replay: {time: t}", 0), "");
    const char *answer = poll_source(9);
    ck_assert_msg(strstr(answer, "{\"t\":5}\n{\"t\":3}\n! 1: field 't' is missing\n! 2: '") ==
                      answer,
                  "%s", answer);
    ck_assert_msg(strstr(answer, " line 3: the time of the replay: ") != NULL, "%s", answer);
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_END);
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
    tcase_add_loop_test(tests, reads_csv, 0, sizeof csv_cases / sizeof csv_cases[0]);
    tcase_add_test(tests, goes_on_in_csv_at_every_record);
    tcase_add_test(tests, goes_on_inside_a_record_of_csv_that_is_too_long);
    tcase_add_test(tests, waits_for_the_end_of_a_record_of_csv);
    tcase_add_test(tests, reads_the_header_of_the_file_that_has_taken_the_name);
    tcase_add_loop_test(tests, reads_lines, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, gives_no_more_records_than_asked_for);
    tcase_add_test(tests, gives_a_record_all_that_its_line_says);
    tcase_add_test(tests, leaves_time_and_key_to_others);
    tcase_add_test(tests, goes_on_where_any_poll_ended);
    tcase_add_test(tests, says_what_was_read);
    tcase_add_test(tests, takes_a_last_line_without_break_once);
    tcase_add_test(tests, refuses_a_line_that_goes_on_after_it_was_taken);
    tcase_add_test(tests, does_not_meet_a_bad_line_again);
    tcase_add_test(tests, passes_over_the_rest_of_a_long_line_after_a_restart);
    tcase_add_loop_test(tests, stops_at_a_replaced_file, 0, sizeof replaced / sizeof replaced[0]);
    tcase_add_loop_test(tests, reads_a_replaced_file_from_its_start, 0,
                        sizeof replaced / sizeof replaced[0]);
    tcase_add_test(tests, knows_a_long_file_by_its_edges);
    tcase_add_test(tests, refuses_a_position_that_it_does_not_know);
    tcase_add_test(tests, says_why_a_file_cannot_be_opened);
    tcase_add_test(tests, follows_a_growing_file);
    tcase_add_test(tests, ends_a_followed_file_when_told);
    tcase_add_test(tests, reads_a_renamed_file_to_its_end_before_the_next);
    tcase_add_test(tests, stops_after_a_renamed_file);
    tcase_add_test(tests, notices_a_file_that_was_emptied_in_place);
    tcase_add_test(tests, waits_for_a_file_that_is_gone_and_may_come_again);
    tcase_add_test(tests, waits_no_longer_than_asked);
    tcase_add_test(tests, gives_records_at_the_pace_of_their_times);
    tcase_add_test(tests, reads_a_last_line_that_waits_only_once);
    tcase_add_test(tests, goes_on_with_the_record_that_was_waiting);
    tcase_add_test(tests, rejects_a_record_without_a_time);
    tcase_add_test(tests, refuses_options_that_do_not_go_together);
    suite_add_tcase(made, tests);
    return made;
}
