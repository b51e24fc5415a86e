/* SPDX-License-Identifier: MIT */
/*
 * The sink `file`: calls that fail for a reason that passes, and are made again. The reason is that the
 * process may open no more files.
 */
#include <fcntl.h>
#include <sys/resource.h>

#include "file_replicas.h"

static struct rlimit usual;

/* No further descriptor is to be had. */
static void use_up_descriptors(void)
{
    int next = open("/dev/null", O_RDONLY);
    ck_assert_int_ge(next, 0);
    close(next);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    struct rlimit low = { (rlim_t)next, usual.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
}

static void give_descriptors(void)
{
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

static void check_is_for_now(const char *answer)
{
    ck_assert_msg(strstr(answer, ": Too many open files") != NULL, "%s", answer);
    ck_assert(f.call.whole.is_retriable);
}

/* Writes record lines and tells which of the batch's records have arrived: "y" or "n" each. */
static const char *write_and_tell(const char *lines, char told[16])
{
    weir_batch batch = fixture_messages(&f, lines);
    fixture_begin(&f, &batch);
    const char *answer = fixture_end(&f, sink()->write(f.instance->self, &f.call.context, &batch));
    for (uint32_t i = 0; i < batch.count; i++) {
        told[i] = call_is_delivered(&f.call, i) ? 'y' : 'n';
    }
    told[batch.count] = '\0';
    fixture_retire(&f);
    return answer;
}

#define LINE(partition, offset, value)                                                             \
 "{\"topic\":\"t\",\"partition\":" partition ",\"offset\":" offset ",\"value\":" value "}"

START_TEST(writes_again_only_what_has_not_arrived)
{
    char told[16];
    ck_assert_str_eq(start(""), "");
    write_records("1:1"); /* partition 0 has its descriptor */
    use_up_descriptors();
    const char *answer =
        write_and_tell(LINE("0", "2", "2") "\n" LINE("0", "3", "{\"$bytes\":\"AP8=\"}") "\n" LINE(
                           "0", "4", "4") "\n" LINE("1", "2", "12") "\n" LINE("0", "5", "5"),
                       told);
    check_is_for_now(answer);
    ck_assert_msg(strncmp(answer, "! 1: ", 5) == 0, "%s", answer);
    ck_assert_str_eq(told, "ynynn");
    give_descriptors();
    ck_assert_str_eq(write_and_tell(LINE("1", "2", "12") "\n" LINE("0", "5", "5"), told), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 4 5 \nt/1/2: 12 \n");
}
END_TEST

START_TEST(leaves_no_folder_that_is_not_durable)
{
    char path[sizeof folder + 8];
    ck_assert_str_eq(start(""), "");
    use_up_descriptors();
    check_is_for_now(write_records("1:1"));
    snprintf(path, sizeof path, "%s/t", folder);
    ck_assert_int_ne(access(path, F_OK), 0);
    give_descriptors();
    ck_assert_str_eq(write_records("1:1"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
}
END_TEST

START_TEST(flushes_and_publishes_again)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2 3:3");
    use_up_descriptors(); /* the folder cannot be made durable */
    check_is_for_now(flush_into(&stored, WEIR_FLUSH_FINAL));
    check_is_for_now(flush_into(&stored, WEIR_FLUSH_FINAL));
    give_descriptors();
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    use_up_descriptors();
    check_is_for_now(publish(&stored));
    give_descriptors();
    ck_assert_str_eq(publish(&stored), "");
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 \n");
}
END_TEST

/* A file that is to end, or whose descriptor is to be given back, keeps what waits to be written to it. */
START_TEST(keeps_what_is_pending_where_a_file_cannot_end)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2");
    use_up_descriptors();
    check_is_for_now(write_records("3:3"));
    give_descriptors();
    ck_assert_str_eq(write_records("3:3"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 \n");
}
END_TEST

/* A copy that cannot be made, such as on a full disk, is made with the next attempt. */
START_TEST(takes_over_again)
{
    begin(OLD);
    write_to(OLD, "1:1");
    settle(OLD, 0);
    kill_one(OLD);
    begin(FIRST);
    use_up_descriptors();
    const char *answer = write_records_to(&made[FIRST], "2:2");
    ck_assert_msg(strstr(answer, ": Too many open files") != NULL, "%s", answer);
    ck_assert(made[FIRST].call.whole.is_retriable);
    answer = flush_of(&made[FIRST], &tokens[FIRST], WEIR_FLUSH_FINAL);
    ck_assert_msg(strstr(answer, ": Too many open files") != NULL, "%s", answer);
    give_descriptors();
    ck_assert_str_eq(list(), "t/0/1.part: 1 \n");
    write_to(FIRST, "2:2");
    settle(FIRST, WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \n");
}
END_TEST

START_TEST(ends_the_run_for_what_does_not_pass)
{
    ck_assert_str_eq(start(""), "");
    put_file("t", "no folder");
    const char *answer = write_records("1:1");
    ck_assert_msg(strstr(answer, "could not make folder") != NULL, "%s", answer);
    ck_assert(!f.call.whole.is_retriable);
}
END_TEST

Suite *suite(void)
{
    Suite *all = suite_create("sink_file_retry");
    TCase *tests = tcase_create("sink_file_retry");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup_all, teardown_all);
    tcase_add_test(tests, writes_again_only_what_has_not_arrived);
    tcase_add_test(tests, leaves_no_folder_that_is_not_durable);
    tcase_add_test(tests, flushes_and_publishes_again);
    tcase_add_test(tests, keeps_what_is_pending_where_a_file_cannot_end);
    tcase_add_test(tests, takes_over_again);
    tcase_add_test(tests, ends_the_run_for_what_does_not_pass);
    suite_add_tcase(all, tests);
    return all;
}
