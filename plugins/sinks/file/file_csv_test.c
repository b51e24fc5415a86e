/* SPDX-License-Identifier: MIT */
/* The sink `file`: rows of CSV and their headers. */
#include "file_fixture.h"

/* The cells of one record, with columns a, b.c and d[0]. */
static const struct {
    const char *value;
    const char *expected;
} csv_cases[] = {
    { "{\"a\":1,\"b\":{\"c\":\"x\"},\"d\":[true]}", "1,x,true" },
    { "{\"a\":1.50,\"b\":null,\"d\":[]}", "1.50,," },
    { "{\"a\":null}", ",," },
    { "{\"a\":\"\",\"b\":{\"c\":\"7\"},\"d\":[\"true\"]}", "\"\",\"7\",\"true\"" },
    { "{\"a\":\"007\",\"b\":{\"c\":\"x,\\\"y\\\"\"}}", "007,\"x,\"\"y\"\"\"," },
    { "{\"a\":[1,\"x\"],\"b\":{\"c\":{}}}", "\"[1,\"\"x\"\"]\",{}," },
    { "{\"a\":\"two\\nlines\"}", "\"two lines\",," }, /* list() shows line breaks as blanks */
};

START_TEST(writes_the_columns_as_csv)
{
    char line[512];
    char expected[512];
    ck_assert_str_eq(start("format: csv, columns: [a, b.c, 'd[0]']"), "");
    snprintf(line, sizeof line, "{\"topic\":\"t\",\"partition\":0,\"offset\":5,\"value\":%s}",
             csv_cases[_i].value);
    ck_assert_str_eq(write_lines(line), "");
    checkpoint(WEIR_FLUSH_FINAL);
    snprintf(expected, sizeof expected, "t/0/5.csv: a,b.c,d[0] %s \n", csv_cases[_i].expected);
    ck_assert_str_eq(list(), expected);
}
END_TEST

START_TEST(leaves_no_line_empty_in_csv)
{
    ck_assert_str_eq(start("format: csv, columns: [a], delimiter: \";\""), "");
    ck_assert_str_eq(write_records("5:{} 6:{\"a\":\"x;\"}"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/5.csv: a \"\" \"x;\" \n");
}
END_TEST

START_TEST(fails_what_is_no_row_of_csv)
{
    ck_assert_str_eq(start("format: csv, columns: [a]"), "");
    weir_batch batch =
        fixture_messages(&f, "{\"topic\":\"t\",\"partition\":0,\"offset\":1,\"value\":7}\n"
                             "{\"topic\":\"t\",\"partition\":0,\"offset\":2,\"value\":{\"a\":1}}\n"
                             "{\"topic\":\"t\",\"partition\":0,\"offset\":3,\"value\":null}");
    weir_member bytes = { WEIR_SYMBOL_NONE, 1, "a", weir_bytes_value("x", 1) };
    weir_record record = *batch.entries[1].record;
    weir_entry entries[] = { batch.entries[0], batch.entries[1], batch.entries[2],
                             batch.entries[1] };
    record.offset = 4;
    record.value = weir_map_value(&bytes, 1);
    entries[3].record = &record;
    batch.entries = entries;
    batch.count = 4;
    fixture_begin(&f, &batch);
    ck_assert_str_eq(fixture_end(&f, sink()->write(f.instance->self, &f.call.context, &batch)),
                     "! 0: cannot write the value as CSV: it is int, not a map\n"
                     "! 2: cannot write the value as CSV: it is null, not a map\n"
                     "! 3: cannot write the value as CSV: column 'a': JSON has no bytes; "
                     "write base64(...) or hex(...)\n");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/2.csv: a 1 \n");
}
END_TEST

START_TEST(begins_every_file_of_csv_with_the_header)
{
    ck_assert_str_eq(start("format: csv, columns: [a], roll_size: 1"), "");
    ck_assert_str_eq(write_records("5:{\"a\":1} 5:{\"a\":2} 6:{\"a\":3}"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/5.csv: a 1 2 \nt/0/6.csv: a 3 \n");
}
END_TEST

/* The header is cut off and kept together with the records behind it. */
START_TEST(goes_on_in_csv_after_a_crash)
{
    const char *options = "format: csv, columns: [a]";
    ck_assert_str_eq(start(options), "");
    ck_assert_str_eq(write_records("5:{\"a\":1}"), "");
    ck_assert_str_eq(start(options), "");
    ck_assert_str_eq(list(), "");
    ck_assert_str_eq(write_records("5:{\"a\":1}"), "");
    checkpoint(0);
    ck_assert_str_eq(write_records("6:{\"a\":2}"), "");
    weir_buffer lost;
    buffer_init(&lost, 1 << 20);
    ck_assert_str_eq(flush_into(&lost, 0), "");
    buffer_deinit(&lost);
    ck_assert_str_eq(list(), "t/0/5.csv.part: a 1 2 \n");
    ck_assert_str_eq(start(options), "");
    ck_assert_str_eq(list(), "t/0/5.csv.part: a 1 \n");
    ck_assert_str_eq(write_records("6:{\"a\":2}"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/5.csv: a 1 2 \n");
}
END_TEST

START_TEST(begins_another_file_for_other_columns)
{
    ck_assert_str_eq(start("format: csv, columns: [a]"), "");
    ck_assert_str_eq(write_records("5:{\"a\":1,\"b\":2}"), "");
    checkpoint(0);
    ck_assert_str_eq(start("format: csv, columns: [a, b]"), "");
    ck_assert_str_eq(write_records("6:{\"a\":3,\"b\":4}"), "");
    ck_assert_str_eq(list(), "t/0/5.csv.part: a 1 \nt/0/6.csv.part: \n");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/5.csv: a 1 \nt/0/6.csv.part: a,b 3,4 \n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("sink_file_csv");
    TCase *tests = tcase_create("sink_file_csv");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, writes_the_columns_as_csv, 0,
                        sizeof csv_cases / sizeof csv_cases[0]);
    tcase_add_test(tests, leaves_no_line_empty_in_csv);
    tcase_add_test(tests, fails_what_is_no_row_of_csv);
    tcase_add_test(tests, begins_every_file_of_csv_with_the_header);
    tcase_add_test(tests, goes_on_in_csv_after_a_crash);
    tcase_add_test(tests, begins_another_file_for_other_columns);
    suite_add_tcase(made, tests);
    return made;
}
