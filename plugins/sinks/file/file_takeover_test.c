/* SPDX-License-Identifier: MIT */
/*
 * The sink `file` where partitions move between processes: an instance goes on beside its successor, because
 * it was stopped for so long that it was taken for dead. One case each; file_wake_test.c tries all moments.
 */
#include "file_replicas.h"

START_TEST(goes_on_in_a_copy_that_the_old_one_cannot_write_to)
{
    begin(OLD);
    write_to(OLD, "1:1 2:2");
    settle(OLD, 0);
    write_to(OLD, "3:93"); /* in its hands when it is stopped */
    begin(FIRST);
    write_to(FIRST, "3:3");
    flush(OLD, 0); /* it wakes */
    ck_assert_str_eq(list(), "t/0/1.part: 1 2 \nt/0/1.part: 1 2 93 \n");
    settle(FIRST, 0);
    ck_assert_str_eq(list(), "t/0/1.part: 1 2 3 \n");
    write_to(OLD, "4:94");
    flush(OLD, 0);
    end(OLD);
    ck_assert_str_eq(list(), "t/0/1.part: 1 2 3 \n");
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \n");
}
END_TEST

START_TEST(does_not_copy_before_it_has_something_to_write)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, 0);
    kill_one(OLD);
    begin(FIRST);
    settle(FIRST, 0);
    ck_assert_str_eq(list(), "t/0/1.part: 1 \n");
    write_to(FIRST, "2:2");
    settle(FIRST, 0);
    ck_assert_str_eq(list(), "t/0/1.part: 1 2 \n");
    end(FIRST);
    begin(SECOND);
    settle(SECOND, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \n");
}
END_TEST

/* It is needed as long as the successor may die before it commits. */
START_TEST(keeps_the_file_of_the_committed_token)
{
    begin(OLD);
    write_to(OLD, "1:1 2:2");
    settle(OLD, 0);
    for (int i = 0; i < 3; i++) {
        begin(FIRST);
        write_to(FIRST, "3:3");
        flush(FIRST, _i == 0 ? 0 : WEIR_FLUSH_FINAL);
        kill_one(FIRST);
    }
    end(OLD);
    begin(SECOND);
    write_to(SECOND, "3:33");
    settle(SECOND, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 33 \n");
}
END_TEST

/* A successor that was faster to open is itself followed, and goes on. */
START_TEST(stands_two_takeovers_in_a_row)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, 0);
    begin(FIRST);
    write_to(FIRST, "2:92");
    begin(SECOND);
    write_to(SECOND, "2:2");
    settle(SECOND, 0);
    write_to(FIRST, "3:93");
    flush(FIRST, 0);
    write_to(OLD, "2:92");
    flush(OLD, WEIR_FLUSH_FINAL);
    end(OLD);
    end(FIRST);
    settle(SECOND, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \n");
}
END_TEST

/* The token that it opens with is old: the successor has committed since. */
START_TEST(takes_nothing_from_a_successor_by_opening_late)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, 0);
    kill_one(OLD);
    make_for(FIRST, &own); /* and is stopped */
    ck_assert_int_eq(weir_buffer_append(&tokens[OLD], stored.data, stored.size), WEIR_OK);
    begin(SECOND);
    write_to(SECOND, "2:2");
    settle(SECOND, 0);
    write_to(SECOND, "3:3");
    weir_slice stale = { tokens[OLD].data, tokens[OLD].size };
    fixture_begin(&made[FIRST], NULL);
    weir_status st =
        sink_of(&made[FIRST])->open(made[FIRST].instance->self, &made[FIRST].call.context, stale);
    ck_assert_int_ne(st, WEIR_OK);
    ck_assert_msg(strstr(fixture_end(&made[FIRST], st), "is gone, of which") != NULL, "%s",
                  made[FIRST].call.whole.message);
    kill_one(FIRST);
    settle(SECOND, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \n");
}
END_TEST

/* Nor where its token names no file that is gone. */
START_TEST(removes_nothing_of_a_successor_by_opening_late)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, WEIR_FLUSH_FINAL);
    kill_one(OLD);
    ck_assert_int_eq(weir_buffer_append(&tokens[FIRST], stored.data, stored.size), WEIR_OK);
    begin(SECOND);
    write_to(SECOND, "2:2");
    settle(SECOND, 0);
    buffer_clear(&stored);
    ck_assert_int_eq(weir_buffer_append(&stored, tokens[FIRST].data, tokens[FIRST].size), WEIR_OK);
    begin(FIRST); /* with what it was told before it was stopped */
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2.part: 2 \n");
    write_to(FIRST, "2:92");
    flush(FIRST, 0);
    discard(FIRST);
    end(FIRST);
    settle(SECOND, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2: 2 \n");
}
END_TEST

/* Then the file ends when it is opened, before anything is committed. */
START_TEST(keeps_the_file_of_the_committed_token_where_columns_change)
{
    rolling = "format: csv, columns: [a]";
    begin(OLD);
    write_to(OLD, "1:{\"a\":1}");
    settle(OLD, 0);
    kill_one(OLD);
    rolling = "format: csv, columns: [a, b]";
    for (int i = 0; i < 2; i++) {
        begin(FIRST);
        write_to(FIRST, "2:{\"b\":2}");
        flush(FIRST, 0);
        kill_one(FIRST);
    }
    begin(SECOND);
    write_to(SECOND, "2:{\"b\":2}");
    settle(SECOND, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1.csv: a 1 \nt/0/2.csv: a,b ,2 \n");
}
END_TEST

START_TEST(publishes_late_without_harm)
{
    rolling = "roll_size: 2";
    begin(OLD);
    write_to(OLD, "1:1 2:2");
    flush(OLD, 0);
    commit(OLD); /* and is stopped */
    begin(FIRST);
    write_to(FIRST, "3:3");
    settle(FIRST, 0);
    show(OLD);
    end(OLD);
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2: 2 \nt/0/3: 3 \n");
}
END_TEST

START_TEST(removes_what_it_began_when_its_partition_is_lost)
{
    rolling = "roll_size: 4";
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, 0);
    begin(FIRST);
    settle(FIRST, 0); /* has looked for strays */
    write_to(OLD, "2:92 3:93 4:94 5:95");
    end(OLD);
    ck_assert_str_eq(list(), "t/0/1.part: 1 92 \n"); /* the token knows it */
    write_to(FIRST, "2:2");
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \n");
}
END_TEST

/* Whether its token was committed it cannot know, so what the token names stays. */
START_TEST(leaves_what_an_unknown_commit_may_need)
{
    bool is_committed = _i == 1;
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, WEIR_FLUSH_FINAL);
    write_to(OLD, "2:2");
    flush(OLD, 0);
    if (is_committed) {
        commit(OLD);
    }
    write_to(OLD, "3:93"); /* a sink does not ask what may come between flush and publish */
    end(OLD);
    ck_assert_ptr_nonnull(strstr(list(), "t/0/2.part"));
    begin(FIRST);
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), is_committed ? "t/0/1: 1 \nt/0/2: 2 \n" : "t/0/1: 1 \n");
}
END_TEST

START_TEST(removes_what_was_written_by_a_process_that_died)
{
    rolling = "roll_size: 4";
    begin(OLD);
    write_to(OLD, "1:1 2:2 3:3");
    settle(OLD, 0);
    write_to(OLD, "4:94 5:95 6:96 7:97");
    kill_one(OLD);
    begin(FIRST);
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 \n");
    flush(FIRST, 0);
    ck_assert_uint_eq(tokens[FIRST].size, 0);
}
END_TEST

/* A commit that was refused, after which the instance is made anew in the same process. */
START_TEST(discards_its_own_files)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, 0);
    write_to(OLD, "2:92");
    discard(OLD);
    end(OLD);
    ck_assert_str_eq(list(), "t/0/1.part: 1 \n");
    begin(OLD);
    write_to(OLD, "2:2");
    settle(OLD, 0);
    ck_assert_str_eq(list(), "t/0/1.part: 1 2 \n");
    write_to(OLD, "3:93");
    flush(OLD, 0);
    discard(OLD);
    end(OLD);
    begin(FIRST);
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \n");
}
END_TEST

/* What the successor has published, or removed, looks like a fault to the old one, but not like a final one. */
START_TEST(waits_to_hear_that_its_partition_is_lost)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, WEIR_FLUSH_FINAL);
    begin(FIRST);
    write_to(FIRST, "2:2");
    settle(FIRST, WEIR_FLUSH_FINAL);
    const char *answer = write_records_to(&made[OLD], "2:92");
    ck_assert_msg(strstr(answer, "exists already") != NULL, "%s", answer);
    ck_assert(made[OLD].call.whole.is_retriable);
    end(OLD);
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2: 2 \n");
}
END_TEST

/* What another instance has under way or published stays. */
START_TEST(touches_nothing_of_other_partitions)
{
    static const char others[] = "t/1/1: other\nt/1/4.part: other\nu/0/4.part: other\n";
    const char *folders[] = { "t", "t/0", "t/1", "u", "u/0" };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        make_folder(folders[i]);
    }
    put_file("t/0/0000000000000000004.jsonl.part", "own");
    put_file("t/0/0000000000000000004.jsonl.00000000000000ab.part", "own");
    put_file("t/1/0000000000000000004.jsonl.00000000000000ab.part", "other");
    put_file("t/1/0000000000000000001.jsonl", "other");
    put_file("u/0/0000000000000000004.jsonl.part", "other");
    begin(OLD);
    write_to(OLD, "7:7");
    discard(OLD);
    settle(OLD, 0);
    ck_assert_str_eq(list(), others);
    make_for(OLD, &own);
    struct fixture *old = &made[OLD];
    fixture_begin(old, NULL);
    ck_assert_str_eq(fixture_end(old, sink_of(old)->reset(old->instance->self, &old->call.context)),
                     "");
    ck_assert_str_eq(list(), others);
}
END_TEST

/* By hand, as version 1 has written it. */
START_TEST(reads_tokens_of_version_1)
{
    static const uint64_t numbers[] = { 0, 1, 2, 4, 1000000 }; /* partition, offsets, length, ms */
    static const uint8_t head[] = { 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 't' };
    make_folder("t");
    make_folder("t/0");
    put_file("t/0/0000000000000000001.jsonl.part", "1\n2\n9\n");
    ck_assert_int_eq(weir_buffer_append(&stored, head, sizeof head), WEIR_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        ck_assert_int_eq(weir_buffer_append(&stored, &numbers[i], sizeof numbers[i]), WEIR_OK);
    }
    if (_i == 0) { /* alone with the folder */
        ck_assert_str_eq(start(""), "");
        write_records("3:3");
        checkpoint(WEIR_FLUSH_FINAL);
    } else {
        begin(FIRST);
        write_to(FIRST, "3:3");
        settle(FIRST, WEIR_FLUSH_FINAL);
    }
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \n");
}
END_TEST

Suite *suite(void)
{
    Suite *all = suite_create("sink_file_takeover");
    TCase *tests = tcase_create("sink_file_takeover");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup_all, teardown_all);
    tcase_add_test(tests, goes_on_in_a_copy_that_the_old_one_cannot_write_to);
    tcase_add_test(tests, does_not_copy_before_it_has_something_to_write);
    tcase_add_loop_test(tests, keeps_the_file_of_the_committed_token, 0, 2);
    tcase_add_test(tests, stands_two_takeovers_in_a_row);
    tcase_add_test(tests, takes_nothing_from_a_successor_by_opening_late);
    tcase_add_test(tests, removes_nothing_of_a_successor_by_opening_late);
    tcase_add_test(tests, keeps_the_file_of_the_committed_token_where_columns_change);
    tcase_add_test(tests, publishes_late_without_harm);
    tcase_add_test(tests, removes_what_it_began_when_its_partition_is_lost);
    tcase_add_loop_test(tests, leaves_what_an_unknown_commit_may_need, 0, 2);
    tcase_add_test(tests, removes_what_was_written_by_a_process_that_died);
    tcase_add_test(tests, discards_its_own_files);
    tcase_add_test(tests, waits_to_hear_that_its_partition_is_lost);
    tcase_add_test(tests, touches_nothing_of_other_partitions);
    tcase_add_loop_test(tests, reads_tokens_of_version_1, 0, 2);
    suite_add_tcase(all, tests);
    return all;
}
