/* SPDX-License-Identifier: MIT */
/* The sink `print`: what comes out of standard output, and when. */
#include "support/testing/fixture.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static struct fixture f;
static int old_output;
static int reader;

/* Standard output is a pipe; what is read from it is what has been written so far. */
static void setup(void)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    fflush(stdout);
    old_output = dup(STDOUT_FILENO);
    ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    close(ends[1]);
    reader = ends[0];
    ck_assert_int_eq(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
}

static void teardown(void)
{
    fixture_deinit(&f);
    dup2(old_output, STDOUT_FILENO);
    close(old_output);
    close(reader);
}

static const weir_sink_vtable *sink(void)
{
    return f.vtable;
}

static const char *output(void)
{
    static char text[1 << 16];
    ssize_t size = read(reader, text, sizeof text - 1);
    text[size < 0 ? 0 : size] = '\0';
    return text;
}

static void open_with(const char *body)
{
    ck_assert_msg(fixture_init(&f, "sink_print", body), "%s", f.complaint);
    weir_slice none = { NULL, 0 };
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->open(f.instance->self, &f.call.context, none)), "");
}

static weir_status write_batch(const weir_batch *batch)
{
    fixture_begin(&f, batch);
    weir_status st = sink()->write(f.instance->self, &f.call.context, batch);
    ck_assert_str_eq(fixture_end(&f, st), "");
    fixture_retire(&f);
    return st;
}

static weir_status write_values(const char *lines)
{
    weir_batch batch = fixture_batch(&f, lines);
    return write_batch(&batch);
}

static void flush(void)
{
    weir_buffer token;
    buffer_init(&token, 64);
    fixture_begin(&f, NULL);
    weir_status st = sink()->flush(f.instance->self, &f.call.context, INT64_MAX, 0, &token);
    ck_assert_str_eq(fixture_end(&f, st), "");
    ck_assert_uint_eq(token.size, 0);
    buffer_deinit(&token);
}

static const struct {
    const char *body;
    const char *lines;
    const char *expected;
} cases[] = {
    { NULL, "{\"city\":\"Rome\",\"delay\":5}\n{\"city\":\"A\",\"delay\":-120}",
      "city  delay\nRome      5\nA      -120\n" },
    { NULL, "{\"a\":\"x\"}\n{\"b\":1.50}\n{\"c\":null,\"a\":true}",
      "a        b  c\nx\n      1.50\ntrue        null\n" },
    { NULL, "1\n\"two\"\n{\"a\":[1, 2]}\nnull", "value  a\n    1\ntwo\n       [1, 2]\nnull\n" },
    { NULL, "{\"t\":\"a\\nb\\u001b[1m\\u009b\",\"u\":\"h\\u00e9\"}",
      "t                    u\na\\nb\\u001b[1m\\u009b  h\xC3\xA9\n" },
    { NULL, "{\"t\":\"0123456789012345678901234567890123456789\",\"u\":1}",
      "t                                         u\n"
      "0123456789012345678901234567890123456789  1\n" },
    { NULL, "{\"t\":\"0123456789012345678901234567890123456789x\",\"u\":1}",
      "t                                         u\n"
      "012345678901234567890123456789012345678\xE2\x80\xA6  1\n" },
    { "{title: Late flights, limit: 1}", "{\"a\":1}\n{\"a\":2}", "Late flights\na\n1\n" },
    { "{metadata: true}", "{\"a\":1}",
      "$key  $timestamp                $topic  $partition  $offset  a\n"
      "      1970-01-01T00:00:00.000Z  in               0        0  1\n" },
    { "{format: json}", "{\"a\": 1.10}\n[ ]\nnull", "{\"a\": 1.10}\n[ ]\nnull\n" },
    { "{format: json, limit: 2}", "1\n2\n3", "1\n2\n" },
    { "{format: json, metadata: true}", "{\"a\": 1.10}",
      "{\"topic\":\"in\",\"partition\":0,\"offset\":0,\"timestamp\":0,\"key\":null,"
      "\"value\":{\"a\": 1.10}}\n" },
};

START_TEST(prints_records)
{
    open_with(cases[_i].body);
    ck_assert_int_eq(write_values(cases[_i].lines), WEIR_OK);
    flush();
    ck_assert_str_eq(output(), cases[_i].expected);
}
END_TEST

START_TEST(prints_chosen_columns)
{
    open_with("{columns: [b.c, \"l[-1]\", nowhere]}");
    write_values("{\"a\":1,\"b\":{\"c\":\"x\"},\"l\":[1,2]}\n{\"b\":7,\"l\":[]}\n[1]\nnull");
    flush();
    ck_assert_str_eq(output(), "b.c  l[-1]  nowhere\nx        2\n\n\n\n");
}
END_TEST

START_TEST(waits_for_the_first_rows_and_for_no_others)
{
    open_with(NULL);
    write_values("{\"a\":1}");
    ck_assert_str_eq(output(), "");
    flush();
    ck_assert_str_eq(output(), "a\n1\n");
    write_values("{\"a\":22}");
    ck_assert_str_eq(output(), "22\n");
    write_values("{\"a\":3}");
    ck_assert_str_eq(output(), " 3\n");
}
END_TEST

START_TEST(prints_a_full_first_table_at_once)
{
    char lines[1024] = "";
    open_with(NULL);
    for (int i = 0; i < 20; i++) {
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%d", i == 0 ? "" : "\n",
                 i);
    }
    write_values(lines);
    const char *text = output();
    ck_assert_msg(strstr(text, "value\n    0\n    1\n") == text, "%s", text);
    ck_assert_msg(strstr(text, "\n   19\n") != NULL, "%s", text);
}
END_TEST

START_TEST(repeats_the_header_when_a_column_joins)
{
    open_with("{title: T}");
    write_values("{\"a\":1}");
    flush();
    ck_assert_str_eq(output(), "T\na\n1\n");
    write_values("{\"b\":2}");
    ck_assert_str_eq(output(), "\na  b\n   2\n");
    write_values("{\"a\":3}");
    ck_assert_str_eq(output(), "3\n");
}
END_TEST

START_TEST(shows_no_more_columns_than_fit)
{
    char line[4096] = "{";
    open_with(NULL);
    for (int i = 0; i < 100; i++) {
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s\"c%d\":%d", i == 0 ? "" : ",",
                 i, i);
    }
    snprintf(line + strlen(line), sizeof line - strlen(line), "}");
    write_values(line);
    flush();
    const char *text = output();
    ck_assert_ptr_nonnull(strstr(text, "c63"));
    ck_assert_ptr_null(strstr(text, "c64"));
}
END_TEST

START_TEST(is_finished_when_nobody_reads)
{
    open_with("{format: json}");
    close(reader);
    reader = -1;
    ck_assert_int_eq(write_values("1"), WEIR_END);
    ck_assert_int_eq(write_values("2"), WEIR_END);
    flush();
}
END_TEST

START_TEST(fails_a_record_that_json_cannot_hold)
{
    weir_value bytes = weir_bytes_value("x", 1);
    open_with("{format: json}");
    weir_batch batch = fixture_batch(&f, "1\n2\n3");
    weir_record changed = *batch.entries[1].record;
    weir_entry entries[] = { batch.entries[0], batch.entries[1], batch.entries[2] };
    changed.value = weir_list_value(&bytes, 1);
    entries[1].record = &changed;
    batch.entries = entries;
    fixture_begin(&f, &batch);
    const char *answer = fixture_end(&f, sink()->write(f.instance->self, &f.call.context, &batch));
    ck_assert_msg(strstr(answer, "! 1: cannot print the value as JSON: ") == answer, "%s", answer);
    ck_assert_str_eq(output(), "1\n3\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("print");
    TCase *tests = tcase_create("print");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, prints_records, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, prints_chosen_columns);
    tcase_add_test(tests, waits_for_the_first_rows_and_for_no_others);
    tcase_add_test(tests, prints_a_full_first_table_at_once);
    tcase_add_test(tests, repeats_the_header_when_a_column_joins);
    tcase_add_test(tests, shows_no_more_columns_than_fit);
    tcase_add_test(tests, is_finished_when_nobody_reads);
    tcase_add_test(tests, fails_a_record_that_json_cannot_hold);
    suite_add_tcase(made, tests);
    return made;
}
