/* SPDX-License-Identifier: MIT */
/* The sink `file`: tokens, crashes at every step between two checkpoints, files of others. */
#include "file_fixture.h"

/*
 * A life of three checkpoints with files that roll, ended by a crash before step `stop`. Steps of a
 * checkpoint: 0 write, 1 flush, 2 commit, 3 publish, 4 published.
 */
static void live(int stop)
{
    static const char *const epochs[] = { "1:1 2:2 3:3", "4:4", "5:5 6:6 7:7 8:8" };
    weir_buffer token;
    buffer_init(&token, 1 << 20);
    for (int step = 0; step < 15 && step < stop; step++) {
        switch (step % 5) {
        case 0:
            ck_assert_str_eq(write_records(epochs[step / 5]), "");
            break;
        case 1:
            ck_assert_str_eq(flush_into(&token, 0), "");
            break;
        case 2:
            buffer_clear(&stored);
            ck_assert_int_eq(weir_buffer_append(&stored, token.data, token.size), WEIR_OK);
            break;
        case 3:
            ck_assert_str_eq(publish(&token), "");
            break;
        default:
            break;
        }
    }
    buffer_deinit(&token);
}

/* What the sink must be given again after a crash before step `stop`: what was not committed. */
static const char *rest_after(int stop)
{
    static const char *const rests[] = { "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8", "4:4 5:5 6:6 7:7 8:8",
                                         "5:5 6:6 7:7 8:8", "" };
    return rests[(stop + 2) / 5];
}

START_TEST(has_each_record_once_after_a_crash_at_any_step)
{
    for (int again = 0; again <= 1; again++) { /* also when the next start crashes at once */
        ck_assert_str_eq(start("roll_size: 4"), "");
        live(_i);
        ck_assert_str_eq(start("roll_size: 4"), "");
        if (again) {
            write_records(rest_after(_i));
            ck_assert_str_eq(start("roll_size: 4"), "");
        }
        write_records(rest_after(_i));
        checkpoint(WEIR_FLUSH_FINAL);
        ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5: 5 6 \nt/0/7: 7 8 \n");
        teardown();
        setup();
    }
}
END_TEST

START_TEST(publishes_again_without_harm)
{
    ck_assert_str_eq(start("roll_size: 2"), "");
    write_records("1:1 2:2 3:3");
    checkpoint(0);
    const char *expected = "t/0/1: 1 \nt/0/2: 2 \nt/0/3: 3 \n";
    ck_assert_str_eq(list(), expected);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(publish(&stored), "");
        ck_assert_str_eq(start("roll_size: 2"), "");
        ck_assert_str_eq(list(), expected);
    }
}
END_TEST

/* As where another sink puts checkpoints off. */
START_TEST(names_all_since_the_last_publish_however_often_it_is_flushed)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2 3:3");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    write_records("4:4 5:5");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    ck_assert_str_eq(start("roll_size: 4"), ""); /* committed, and the process has died */
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5.part: 5 \n");
    write_records("6:6");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    ck_assert_str_eq(publish(&stored), "");
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5: 5 6 \n");
}
END_TEST

START_TEST(discards_what_was_written_since_the_last_token)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2 3:3");
    checkpoint(0);
    write_records("4:4 5:5 6:6 7:7");
    weir_buffer token;
    buffer_init(&token, 1 << 20);
    ck_assert_str_eq(flush_into(&token, 0), "");
    buffer_deinit(&token);
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->discard(f.instance->self, &f.call.context)), "");
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3.part: 3 \n");
    write_records("4:4 5:5");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5.part: 5 \n");
}
END_TEST

START_TEST(discards_everything_where_there_is_no_token)
{
    ck_assert_str_eq(start(""), "");
    write_records("1:1");
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->discard(f.instance->self, &f.call.context)), "");
    ck_assert_str_eq(list(), "");
    write_records("1:1");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
}
END_TEST

START_TEST(removes_stray_parts_and_nothing_else)
{
    make_folder("t");
    make_folder("t/0");
    make_folder("t/00");
    make_folder("t/x");
    make_folder("empty");
    put_file("t/0/0000000000000000005.jsonl.part", "stray");
    put_file("t/0/0000000000000000006.jsonl", "6");
    put_file("t/0/000000000000000007.jsonl.part", "18 digits");
    put_file("t/0/0000000000000000008.jsonl.part.bak", "bak");
    put_file("t/0/a.jsonl.part", "a");
    put_file("t/00/0000000000000000005.jsonl.part", "00");
    put_file("t/x/0000000000000000005.jsonl.part", "x");
    put_file("0000000000000000005.jsonl.part", "above");
    ck_assert_str_eq(start(""), "");
    const char *left = list();
    ck_assert_ptr_null(strstr(left, "stray"));
    static const char *const kept[] = { "6: 6", "18 digits", "bak",    "a.jsonl.part: a",
                                        ": 00", ": x",       ": above" };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        ck_assert_msg(strstr(left, kept[i]) != NULL, "%s is not in\n%s", kept[i], left);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/empty", folder);
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(never_writes_over_a_file_that_it_does_not_know)
{
    make_folder("t");
    make_folder("t/0");
    put_file("t/0/0000000000000000005.jsonl", "precious");
    ck_assert_str_eq(start(""), "");
    const char *answer = write_records("5:1");
    ck_assert_msg(strstr(answer, "0000000000000000005.jsonl' exists already") != NULL, "%s",
                  answer);
    ck_assert_str_eq(list(), "t/0/5: precious\n");
}
END_TEST

START_TEST(never_publishes_over_a_file)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1");
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    put_file("t/0/0000000000000000005.jsonl", "precious");
    const char *answer = publish(&stored);
    ck_assert_msg(strstr(answer, "!! cannot publish '") == answer, "%s", answer);
    ck_assert_str_eq(list(), "t/0/5.part: 1 \nt/0/5: precious\n");
}
END_TEST

START_TEST(loses_nothing_of_a_part_that_is_too_short)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1 6:2 7:3");
    checkpoint(0);
    char path[256];
    snprintf(path, sizeof path, "%s/t/0/0000000000000000005.jsonl.part", folder);
    ck_assert_int_eq(truncate(path, 4), 0);
    const char *answer = start("");
    ck_assert_msg(strstr(answer, "has 4 bytes, but the checkpoint knows 6") != NULL, "%s", answer);
    ck_assert_str_eq(list(), "t/0/5.part: 1 2 \n");
    ck_assert_int_eq(unlink(path), 0);
    answer = start("");
    ck_assert_msg(strstr(answer, "is gone, of which the checkpoint knows 6 bytes") != NULL, "%s",
                  answer);
}
END_TEST

/* Bytes 1 to 8 of a token tell in which folder its files were written. */
static void make_token_of_another_folder(void)
{
    memset(stored.data + 1, 7, 8);
}

START_TEST(says_when_a_finished_file_is_gone_or_another)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1");
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    make_token_of_another_folder();
    char path[256];
    snprintf(path, sizeof path, "%s/t/0/0000000000000000005.jsonl.part", folder);
    ck_assert_int_eq(unlink(path), 0);
    const char *answer = publish(&stored);
    ck_assert_msg(strstr(answer, "is gone, with and without .part") != NULL, "%s", answer);
    put_file("t/0/0000000000000000005.jsonl", "precious");
    answer = publish(&stored);
    ck_assert_msg(strstr(answer, "has 8 bytes, but the checkpoint knows 2") != NULL, "%s", answer);
}
END_TEST

/* Others take files as soon as they are published, also the last ones before a crash. */
START_TEST(goes_on_where_somebody_has_taken_what_was_published)
{
    ck_assert_str_eq(start("roll_size: 2"), "");
    write_records("5:1 6:2 7:3");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/5: 1 \nt/0/6: 2 \nt/0/7: 3 \n");
    char path[256];
    for (int i = 5; i <= 7; i++) {
        snprintf(path, sizeof path, "%s/t/0/%019d.jsonl", folder, i);
        ck_assert_int_eq(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/t/0", folder);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_str_eq(start("roll_size: 2"), "");
    ck_assert_str_eq(publish(&stored), "");
    write_records("8:4");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/8: 4 \n");
}
END_TEST

START_TEST(refuses_a_token_that_it_does_not_know)
{
    for (uint32_t size = 1; size < 80; size++) {
        buffer_clear(&stored);
        for (uint32_t i = 0; i < size; i++) {
            uint8_t byte = i == 0 ? (uint8_t)(1 + size % 4) : (uint8_t)(size * i);
            ck_assert_int_eq(weir_buffer_append(&stored, &byte, 1), WEIR_OK);
        }
        if (size == 1) {
            stored.data[0] = 4;
        }
        const char *answer = start("");
        ck_assert_msg(answer[0] == '!', "size %u: %s", size, answer);
    }
}
END_TEST

START_TEST(resets_what_it_has_published)
{
    ck_assert_str_eq(start("roll_size: 2"), "");
    write_records("1:1 2:2 3:3");
    checkpoint(0);
    make_folder("t/notes");
    put_file("t/notes/0000000000000000001.jsonl", "mine");
    put_file("README", "mine");
    make("roll_size: 2");
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->reset(f.instance->self, &f.call.context)), "");
    ck_assert_str_eq(list(), "README: mine\nt/notes/1: mine\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("sink_file_publish");
    TCase *tests = tcase_create("sink_file_publish");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, has_each_record_once_after_a_crash_at_any_step, 0, 16);
    tcase_add_test(tests, publishes_again_without_harm);
    tcase_add_test(tests, names_all_since_the_last_publish_however_often_it_is_flushed);
    tcase_add_test(tests, discards_what_was_written_since_the_last_token);
    tcase_add_test(tests, discards_everything_where_there_is_no_token);
    tcase_add_test(tests, removes_stray_parts_and_nothing_else);
    tcase_add_test(tests, never_writes_over_a_file_that_it_does_not_know);
    tcase_add_test(tests, never_publishes_over_a_file);
    tcase_add_test(tests, loses_nothing_of_a_part_that_is_too_short);
    tcase_add_test(tests, says_when_a_finished_file_is_gone_or_another);
    tcase_add_test(tests, goes_on_where_somebody_has_taken_what_was_published);
    tcase_add_test(tests, refuses_a_token_that_it_does_not_know);
    tcase_add_test(tests, resets_what_it_has_published);
    suite_add_tcase(made, tests);
    return made;
}
