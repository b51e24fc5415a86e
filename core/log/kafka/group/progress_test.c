/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/progress.h"

#include "log/kafka/mock_fixture.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/produce.h"
#include "log/kafka/topics/topics.h"

static struct progress progress;

static void start(void)
{
    mock_start();
    ck_assert_int_eq(progress_open(&progress, kafka_of(mock_log), "g", &error), WEIR_OK);
}

static void finish(void)
{
    progress_close(&progress);
    mock_finish();
}

static weir_status take(const char *name, const char *id)
{
    error = (struct error){ 0 };
    return progress_take(&progress, name, id, &error);
}

/* An epoch of one fact of the group and one of a partition of `in`; NULL: none. */
static void write_facts(const char *of_group, const char *of_partition)
{
    struct log_fact facts[] = {
        { .key = "source/s", .value = text_slice(of_group) },
        { .key = "sink/x",
          .value = text_slice(of_partition),
          .topic = log_topic_find(mock_log, "in"),
          .partition = 1 },
    };
    struct log_epoch epoch = { .facts = facts, .fact_count = 2 };
    ck_assert_int_eq(progress_write(&progress, &epoch, &error), WEIR_OK);
    ck_assert_int_eq(kafka_flush(kafka_of(mock_log), WAIT_MS, &error), WEIR_OK);
}

static bool has(const char *key, const char *value)
{
    return is_slice(progress_get(&progress, key), value);
}

START_TEST(facts_come_back_by_the_id_that_the_commit_names)
{
    char group[PROGRESS_ID_ROOM];
    char partition[PROGRESS_ID_ROOM];
    ck_assert_int_eq(take("*", ""), WEIR_OK);
    ck_assert_int_eq(take("in/1", ""), WEIR_OK);
    write_facts("12", "token");
    snprintf(group, sizeof group, "%s", progress_id(&progress, "*"));
    snprintf(partition, sizeof partition, "%s", progress_id(&progress, "in/1"));
    ck_assert_str_ne(group, "");
    ck_assert_str_ne(partition, group);
    ck_assert(has("source/s", NULL)); /* not before the commit */
    progress_committed(&progress);
    ck_assert(has("source/s", "12"));
    progress_close(&progress);
    ck_assert_int_eq(take("*", group), WEIR_OK);
    ck_assert_int_eq(take("in/1", partition), WEIR_OK);
    ck_assert(has("source/s", "12"));
    ck_assert(has("sink/x", "token"));
}
END_TEST

START_TEST(only_scopes_in_charge_are_written)
{
    ck_assert_int_eq(take("*", ""), WEIR_OK);
    write_facts("12", "token");
    ck_assert_str_eq(progress_id(&progress, "in/1"), "");
    progress_committed(&progress);
    ck_assert(has("sink/x", NULL));
}
END_TEST

/* A first fact of the group. Returns the id that the commit has named. */
static void commit_first(char id[PROGRESS_ID_ROOM])
{
    ck_assert_int_eq(take("*", ""), WEIR_OK);
    write_facts("12", NULL);
    progress_committed(&progress);
    snprintf(id, PROGRESS_ID_ROOM, "%s", progress_id(&progress, "*"));
}

START_TEST(what_has_not_changed_keeps_its_id)
{
    char before[PROGRESS_ID_ROOM];
    commit_first(before);
    write_facts("12", NULL);
    ck_assert_str_eq(progress_id(&progress, "*"), before);
    write_facts("13", NULL);
    ck_assert_str_ne(progress_id(&progress, "*"), before);
    progress_keep(&progress); /* that one was not committed */
    ck_assert_str_eq(progress_id(&progress, "*"), before);
    ck_assert(has("source/s", "12"));
}
END_TEST

START_TEST(facts_that_are_gone_leave_no_id)
{
    ck_assert_int_eq(take("*", ""), WEIR_OK);
    write_facts("12", NULL);
    progress_committed(&progress);
    write_facts(NULL, NULL);
    ck_assert_str_eq(progress_id(&progress, "*"), "");
    progress_committed(&progress);
    ck_assert(has("source/s", NULL));
}
END_TEST

/* The message before is removed with the epoch after the commit. */
START_TEST(an_id_that_is_too_old_is_told)
{
    char first[PROGRESS_ID_ROOM];
    commit_first(first);
    write_facts("13", NULL);
    progress_committed(&progress);
    ck_assert_int_eq(take("*", first), WEIR_OK); /* another process may still ask for it */
    ck_assert(has("source/s", "12"));
    progress_close(&progress);
    ck_assert_int_eq(take("*", "0000000000000000-9"), WEIR_E_NOT_FOUND);
    ck_assert_str_eq(error.message, "the progress of this pipeline in '*' is not in topic "
                                    "'positions__g' any more");
    ck_assert_uint_eq(error.error_class, WEIR_CLASS_DATA);
}
END_TEST

START_TEST(a_stale_message_becomes_a_tombstone)
{
    char first[PROGRESS_ID_ROOM];
    commit_first(first);
    write_facts("13", NULL);
    progress_committed(&progress);
    write_facts("14", NULL);
    ck_assert_int_eq(take("*", first), WEIR_E_NOT_FOUND);
}
END_TEST

static void put(const char *key, const char *value)
{
    struct log_message message = { .timestamp = 5,
                                   .key = text_slice(key),
                                   .value = text_slice(value) };
    ck_assert_int_eq(log_append(&progress.topic->face, 0, &message, 1, &error), WEIR_OK);
    ck_assert_int_eq(kafka_flush(kafka_of(mock_log), WAIT_MS, &error), WEIR_OK);
}

START_TEST(what_others_write_into_the_topic_is_not_taken_for_progress)
{
    put("*@1-1", "no facts");
    put(NULL, "x");
    put("in/1@1-1", "\x01");
    ck_assert_int_eq(take("*", "1-1"), WEIR_OK);
    ck_assert_int_eq(take("in/1", "1-1"), WEIR_OK);
    ck_assert_int_eq(take("in/0", "1-1"), WEIR_E_NOT_FOUND);
    ck_assert(has("source/s", NULL));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("progress");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, facts_come_back_by_the_id_that_the_commit_names);
    tcase_add_test(tests, only_scopes_in_charge_are_written);
    tcase_add_test(tests, what_has_not_changed_keeps_its_id);
    tcase_add_test(tests, facts_that_are_gone_leave_no_id);
    tcase_add_test(tests, an_id_that_is_too_old_is_told);
    tcase_add_test(tests, a_stale_message_becomes_a_tombstone);
    tcase_add_test(tests, what_others_write_into_the_topic_is_not_taken_for_progress);
    Suite *made = suite_create("kafka progress");
    suite_add_tcase(made, tests);
    return made;
}
