/* SPDX-License-Identifier: MIT */
/* The source `file`: records at the pace of their times. */
#include "file_fixture.h"

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

Suite *suite(void)
{
    Suite *made = suite_create("source_file_replay");
    TCase *tests = tcase_create("source_file_replay");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, gives_records_at_the_pace_of_their_times);
    tcase_add_test(tests, reads_a_last_line_that_waits_only_once);
    tcase_add_test(tests, goes_on_with_the_record_that_was_waiting);
    tcase_add_test(tests, rejects_a_record_without_a_time);
    suite_add_tcase(made, tests);
    return made;
}
