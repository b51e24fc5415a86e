/* SPDX-License-Identifier: MIT */
/* The source `file`: waiting for more, files that are renamed, emptied, gone. */
#include "file_fixture.h"

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

Suite *suite(void)
{
    Suite *made = suite_create("source_file_follow");
    TCase *tests = tcase_create("source_file_follow");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, follows_a_growing_file);
    tcase_add_test(tests, ends_a_followed_file_when_told);
    tcase_add_test(tests, reads_a_renamed_file_to_its_end_before_the_next);
    tcase_add_test(tests, stops_after_a_renamed_file);
    tcase_add_test(tests, notices_a_file_that_was_emptied_in_place);
    tcase_add_test(tests, waits_for_a_file_that_is_gone_and_may_come_again);
    tcase_add_test(tests, waits_no_longer_than_asked);
    suite_add_tcase(made, tests);
    return made;
}
