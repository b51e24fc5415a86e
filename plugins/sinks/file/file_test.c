/* SPDX-License-Identifier: MIT */
/* The sink `file`: names, rolling, many partitions, options. */
#include <sys/resource.h>

#include "file_fixture.h"

START_TEST(names_files_by_topic_partition_and_first_offset)
{
    ck_assert_str_eq(start(""), "");
    write_lines(
        "{\"topic\":\"a.b-c_d\",\"partition\":12,\"offset\":9223372036854775807,\"value\":1}\n"
        "{\"topic\":\"t\",\"partition\":0,\"offset\":0,\"value\":{\"a\": 1.10}}\n"
        "{\"topic\":\"t\",\"partition\":1,\"offset\":7,\"value\":null}\n"
        "{\"topic\":\"t\",\"partition\":0,\"offset\":1,\"value\":[ ]}");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "a.b-c_d/12/9223372036854775807.jsonl: 1 \n"
                             "t/0/: {\"a\": 1.10} [ ] \n"
                             "t/1/7: null \n");
}
END_TEST

START_TEST(writes_whole_records)
{
    ck_assert_str_eq(start("content: record"), "");
    write_lines(
        "{\"topic\":\"t\",\"partition\":0,\"offset\":3,\"timestamp\":5,\"key\":\"k\","
        "\"value\":{\"$bytes\":\"AP8=\"},\"headers\":[[\"h\",\"x\"],[\"b\",{\"$bytes\":\"/w==\"}],"
        "[\"n\",null]]}");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(
        list(),
        "t/0/3: {\"topic\":\"t\",\"partition\":0,\"offset\":3,\"timestamp\":5,\"key\":\"k\","
        "\"value\":{\"$bytes\":\"AP8=\"},\"headers\":[[\"h\",\"x\"],[\"b\",{\"$bytes\":\"/w==\"}],"
        "[\"n\",null]]} \n");
}
END_TEST

START_TEST(fails_what_json_has_no_form_for)
{
    ck_assert_str_eq(start(""), "");
    const char *answer = write_lines(
        "{\"topic\":\"t\",\"partition\":0,\"offset\":3,\"value\":{\"$bytes\":\"AP8=\"}}\n"
        "{\"topic\":\"t\",\"partition\":0,\"offset\":4,\"value\":4}");
    ck_assert_msg(strstr(answer, "! 0: cannot write the value as JSON: ") == answer, "%s", answer);
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/4: 4 \n");
}
END_TEST

static const char *const no_topics[] = { ".", "..", "a/b", "a\\u0000b" };

START_TEST(refuses_topics_that_are_no_folder)
{
    char line[128];
    ck_assert_str_eq(start(""), "");
    snprintf(line, sizeof line, "{\"topic\":\"%s\",\"partition\":0,\"offset\":3,\"value\":1}",
             no_topics[_i]);
    const char *answer = write_lines(line);
    ck_assert_msg(strstr(answer, "!! cannot make a folder for partition 0 of topic '") == answer,
                  "%s", answer);
    ck_assert_str_eq(list(), "");
}
END_TEST

START_TEST(shows_nothing_before_it_is_published)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1 6:2");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/5.part: 1 2 \n");
    write_records("7:3");
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    ck_assert_str_eq(list(), "t/0/5.part: 1 2 3 \n");
    ck_assert_str_eq(publish(&stored), "");
    ck_assert_str_eq(list(), "t/0/5: 1 2 3 \n");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_uint_eq(stored.size, 0);
}
END_TEST

START_TEST(begins_a_new_file_when_one_is_large_enough)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2 3:3 4:4 5:5");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    ck_assert_str_eq(publish(&stored), "");
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5.part: 5 \n");
}
END_TEST

START_TEST(never_parts_what_comes_of_one_record)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 1:2 1:3");
    write_records("1:4 2:5 2:6 2:7 3:8");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 4 \nt/0/2: 5 6 7 \nt/0/3.part: 8 \n");
}
END_TEST

START_TEST(ends_a_file_by_its_age_though_nothing_comes)
{
    ck_assert_str_eq(start("roll_age: 10s"), "");
    write_records("1:1");
    f.now_ms += 9999;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1.part: 1 \n");
    f.now_ms += 1;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
    f.now_ms += 60000; /* nobody counts the time before the first record */
    checkpoint(0);
    write_records("2:2");
    f.now_ms += 9999;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2.part: 2 \n");
    f.now_ms += 1;
    write_records("3:3");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2: 2 \nt/0/3.part: 3 \n");
}
END_TEST

START_TEST(counts_age_and_size_across_restarts)
{
    ck_assert_str_eq(start("roll_size: 6, roll_age: 10s"), "");
    int64_t begin_ms = f.now_ms;
    write_records("1:1 2:2");
    checkpoint(0);
    ck_assert_str_eq(start("roll_size: 6, roll_age: 10s"), "");
    write_records("3:3 4:4");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \nt/0/4.part: 4 \n");
    ck_assert_str_eq(start("roll_size: 6, roll_age: 10s"), "");
    f.now_ms = begin_ms + 10000;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \nt/0/4: 4 \n");
}
END_TEST

START_TEST(writes_more_partitions_than_descriptors)
{
    struct rlimit limit = { 275, 275 };
    enum { PARTITIONS = 280 };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_str_eq(start(""), "");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PARTITIONS; i++) {
            char line[128];
            snprintf(line, sizeof line,
                     "{\"topic\":\"t\",\"partition\":%d,\"offset\":%d,\"value\":%d}", i, round,
                     i * 10 + round);
            ck_assert_str_eq(write_lines(line), "");
        }
        checkpoint(0);
        if (round == 1) {
            ck_assert_str_eq(start(""), "");
        }
    }
    checkpoint(WEIR_FLUSH_FINAL);
    for (int i = 0; i < PARTITIONS; i++) {
        char path[256];
        char expected[64];
        char text[64] = "";
        snprintf(path, sizeof path, "%s/t/%d/0000000000000000000.jsonl", folder, i);
        snprintf(expected, sizeof expected, "%d\n%d\n%d\n", i * 10, i * 10 + 1, i * 10 + 2);
        FILE *file = fopen(path, "r");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
        fclose(file);
        ck_assert_str_eq(text, expected);
    }
}
END_TEST

START_TEST(makes_its_folder_and_says_where_it_lies)
{
    char path[sizeof folder];
    weir_buffer out;
    ck_assert_int_eq(rmdir(folder), 0);
    memcpy(path, folder, sizeof path);
    snprintf(folder, sizeof folder, "%.40s/a/b", path); /* both are made */
    ck_assert_str_eq(start(""), "");
    write_records("1:1");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
    buffer_init(&out, 256);
    ck_assert_int_eq(sink()->locate(f.instance->self, &out), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), folder);
    buffer_deinit(&out);
    memcpy(folder, path, sizeof path);
}
END_TEST

START_TEST(keeps_to_the_deadline)
{
    ck_assert_str_eq(start(""), "");
    write_records("1:1");
    f.monotonic_ns = 100;
    fixture_begin(&f, NULL);
    weir_buffer token;
    buffer_init(&token, 256);
    weir_status st = sink()->flush(f.instance->self, &f.call.context, 50, 0, &token);
    ck_assert_int_eq(st, WEIR_E_TIMEOUT);
    ck_assert_msg(strstr(fixture_end(&f, st), "durable in time") != NULL, "no message");
    ck_assert(f.call.whole.is_retriable);
    buffer_deinit(&token);
}
END_TEST

START_TEST(refuses_options_that_do_not_go_together)
{
    static const struct {
        const char *options;
        const char *complaint;
    } cases[] = {
        { "format: csv", "'format: csv' needs 'columns'; name the fields to write, such as "
                         "'columns: [id, name]'" },
        { "format: csv, columns: [a], content: record",
          "'content' says what a line of JSON holds, 'format: csv' has none; remove one of them" },
        { "format: csv, columns: [a], delimiter: ab",
          "'delimiter' must be one ASCII sign, and no letter, digit, quote or sign of a number; "
          "give one such as ',', ';', '|' or \"\\t\"" },
        { "columns: [a]", "'columns' is for CSV; add 'format: csv'" },
        { "delimiter: ;", "'delimiter' is for CSV; add 'format: csv'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture refused;
        char body[128];
        snprintf(body, sizeof body, "{path: out, %s}", cases[i].options);
        ck_assert(!fixture_init(&refused, "sink_file", body));
        ck_assert_str_eq(refused.complaint, cases[i].complaint);
        fixture_deinit(&refused);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("sink_file");
    TCase *tests = tcase_create("sink_file");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, names_files_by_topic_partition_and_first_offset);
    tcase_add_test(tests, writes_whole_records);
    tcase_add_test(tests, fails_what_json_has_no_form_for);
    tcase_add_loop_test(tests, refuses_topics_that_are_no_folder, 0,
                        sizeof no_topics / sizeof no_topics[0]);
    tcase_add_test(tests, shows_nothing_before_it_is_published);
    tcase_add_test(tests, begins_a_new_file_when_one_is_large_enough);
    tcase_add_test(tests, never_parts_what_comes_of_one_record);
    tcase_add_test(tests, ends_a_file_by_its_age_though_nothing_comes);
    tcase_add_test(tests, counts_age_and_size_across_restarts);
    tcase_add_test(tests, writes_more_partitions_than_descriptors);
    tcase_add_test(tests, makes_its_folder_and_says_where_it_lies);
    tcase_add_test(tests, keeps_to_the_deadline);
    tcase_add_test(tests, refuses_options_that_do_not_go_together);
    suite_add_tcase(made, tests);
    return made;
}
