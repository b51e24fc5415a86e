/* SPDX-License-Identifier: MIT */
/* Which partitions are told to stand still, and why. The clock of the looks is the test's own. */
#include "log/kafka/group/stall.h"

#include "log/kafka/group/member.h"
#include "log/kafka/mock_fixture.h"
#include "log/kafka/topics/topics.h"

enum { REQUEST_FETCH = 1, REQUEST_LIST_OFFSETS = 2 };
enum { MESSAGES = 3, PATIENCE_S = 30, MANY = 1000 };

static struct arena arena;
static struct log_topic *topic;
static int64_t now_s;
static struct log_stall *stalls;
static size_t stall_count;

static const struct kafka_member *mock_member(void)
{
    return kafka_of(mock_log)->member;
}

static void append_some(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        append_value("in", 0, "v");
    }
    ck_assert_int_eq(commit_epoch(&(struct log_epoch){ 0 }), WEIR_OK);
}

/* The next change, carried out; the number of partitions that came. */
static size_t follow(void)
{
    struct log_change change = { .kind = LOG_NO_CHANGE };
    for (int i = 0; i < WAIT_MS && change.kind == LOG_NO_CHANGE; i++) {
        ck_assert_int_eq(log_next_change(mock_log, &arena, &change, &error), WEIR_OK);
        mock_rest();
    }
    ck_assert_int_eq(change.kind, LOG_CAME);
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
    return change.share_count;
}

static void join(void)
{
    struct log_membership membership = { .group = "g", .topics = &topic, .topic_count = 1 };
    ck_assert_msg(log_join(mock_log, &membership, &error) == WEIR_OK, "%s", error.message);
}

static void start(void)
{
    mock_start();
    arena_init(&arena, 0);
    topic = log_topic_find(mock_log, "in");
    now_s = 1000;
    append_some();
}

static void start_reading(void)
{
    start();
    join();
    ck_assert_uint_eq(follow(), PARTITIONS);
}

static void finish(void)
{
    arena_deinit(&arena);
    mock_finish();
}

static void read_once(uint32_t partition)
{
    struct log_batch batch;
    ck_assert_int_eq(log_read(topic, partition, 0, 10, 1 << 20, &arena, &batch, &error), WEIR_OK);
    log_lease_end(&batch.lease);
}

/* Until both partitions are read to where they end. */
static void read_up_to(int64_t end)
{
    const struct kafka_partition *parts = kafka_topic_of(topic)->parts;
    for (int i = 0;
         i < WAIT_MS && !(parts[0].is_at_end && parts[1].is_at_end && parts[0].next == end); i++) {
        read_once(0);
        read_once(1);
        mock_rest();
    }
    ck_assert_int_eq(parts[0].next, end);
}

/* Whether one of the looks, one a second, tells of a partition. Stops there. */
static bool is_told_within(int64_t seconds)
{
    for (int64_t end_s = now_s + seconds; now_s < end_s;) {
        struct log_look look = { .now_ns = ++now_s * INT64_C(1000000000),
                                 .patience_ms = PATIENCE_S * 1000 };
        ck_assert_int_eq(log_stalls(mock_log, &look, &arena, &stalls, &stall_count, &error),
                         WEIR_OK);
        if (stall_count > 0) {
            return true;
        }
    }
    return false;
}

static void require_stall(int64_t offset, const char *why)
{
    ck_assert_uint_eq(stall_count, 1);
    ck_assert_ptr_eq(stalls[0].topic, topic);
    ck_assert_uint_eq(stalls[0].partition, 0);
    ck_assert_int_eq(stalls[0].offset, offset);
    ck_assert_ptr_nonnull(stalls[0].why);
    require(strstr(stalls[0].why, why) != NULL, "'%s' is not in: %s", why, stalls[0].why);
}

START_TEST(what_the_workers_leave_in_the_queue_is_theirs_and_the_end_is_no_fault)
{
    for (int i = 0;
         i < WAIT_MS && rd_kafka_queue_length(kafka_topic_of(topic)->parts[0].queue) < MESSAGES;
         i++) {
        mock_rest();
    }
    read_once(1);
    ck_assert(!is_told_within(PATIENCE_S));
    ck_assert(is_told_within(3));
    require_stall(0, "its messages are here");
    ck_assert(stalls[0].is_at_hand);
    read_up_to(MESSAGES);
    ck_assert(is_told_within(1));
    ck_assert_ptr_null(stalls[0].why);
    ck_assert(!is_told_within(INT64_C(10) * PATIENCE_S));
}
END_TEST

START_TEST(a_partition_without_a_leader_is_told_until_it_goes_on)
{
    read_up_to(MESSAGES);
    (void)rd_kafka_mock_partition_set_leader(mock, "in", 0, -1);
    ck_assert(!is_told_within(PATIENCE_S));
    ck_assert(is_told_within(PATIENCE_S));
    require_stall(MESSAGES, "no broker leads the partition");
    int64_t since_ns = stalls[0].since_ns;
    ck_assert_int_ge(now_s * INT64_C(1000000000) - since_ns, PATIENCE_S * INT64_C(1000000000));
    ck_assert(is_told_within(1));
    ck_assert_int_eq(stalls[0].since_ns, since_ns);

    (void)rd_kafka_mock_partition_set_leader(mock, "in", 0, 1);
    append_some();
    read_up_to(INT64_C(2) * MESSAGES);
    ck_assert(is_told_within(1));
    ck_assert_uint_eq(stall_count, 1);
    ck_assert_ptr_null(stalls[0].why);
    ck_assert(!is_told_within(INT64_C(2) * PATIENCE_S));
}
END_TEST

START_TEST(messages_that_the_broker_does_not_give_are_told_with_what_it_says)
{
    rd_kafka_resp_err_t errors[MANY];
    read_up_to(MESSAGES);
    for (int i = 0; i < MANY; i++) {
        errors[i] = RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT;
    }
    rd_kafka_mock_push_request_errors_array(mock, REQUEST_FETCH, MANY, errors);
    append_some();
    for (int i = 0; i < WAIT_MS && atomic_load(&kafka_topic_of(topic)->parts[0].trouble) == 0;
         i++) {
        read_once(0);
        mock_rest();
    }
    read_once(1);
    for (bool is_told = false;
         !is_told;) { /* the library passes on what it meets again and again */
        read_once(0);
        read_once(1);
        is_told = is_told_within(1);
        ck_assert_int_lt(now_s, 2000);
    }
    require_stall(MESSAGES, "has messages up to offset 5 and gives none of them; it says: ");
    rd_kafka_mock_clear_request_errors(mock, REQUEST_FETCH);
}
END_TEST

START_TEST(a_broker_that_does_not_say_where_a_partition_ends_is_told)
{
    rd_kafka_resp_err_t errors[MANY];
    read_up_to(MESSAGES);
    for (int i = 0; i < MANY; i++) {
        errors[i] = RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    }
    rd_kafka_mock_push_request_errors_array(mock, REQUEST_LIST_OFFSETS, MANY, errors);
    ck_assert(is_told_within(INT64_C(2) * PATIENCE_S));
    ck_assert_uint_eq(stall_count, PARTITIONS);
    require(strstr(stalls[0].why,
                   "does not say where it ends: Broker: Topic authorization failed") != NULL,
            "%s", stalls[0].why);
    rd_kafka_mock_clear_request_errors(mock, REQUEST_LIST_OFFSETS);
}
END_TEST

START_TEST(what_has_come_and_cannot_be_begun_is_told)
{
    struct log_change change = { .kind = LOG_NO_CHANGE };
    (void)rd_kafka_mock_partition_set_leader(mock, "in", 0, -1);
    join();
    for (int i = 0; i < WAIT_MS && mock_member()->delay.since_ns == 0; i++) {
        ck_assert_int_eq(log_next_change(mock_log, &arena, &change, &error), WEIR_OK);
        ck_assert_int_eq(change.kind, LOG_NO_CHANGE);
        mock_rest();
    }
    now_s = mock_member()->delay.since_ns / 1000000000;
    ck_assert(!is_told_within(PATIENCE_S));
    ck_assert(is_told_within(1));
    ck_assert_uint_eq(stall_count, 1);
    ck_assert_ptr_null(stalls[0].topic);
    ck_assert_ptr_nonnull(
        strstr(stalls[0].why, "could not ask for the offsets of topic 'in' partition 0: "));

    (void)rd_kafka_mock_partition_set_leader(mock, "in", 0, 1);
    ck_assert_uint_eq(follow(), PARTITIONS);
    ck_assert(is_told_within(1));
    ck_assert_ptr_null(stalls[0].why);
    ck_assert(!is_told_within(PATIENCE_S));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("stall");
    TCase *begun = tcase_create("begun");
    tcase_add_checked_fixture(begun, start, finish);
    tcase_set_timeout(begun, 60);
    tcase_add_test(begun, what_has_come_and_cannot_be_begun_is_told);
    tcase_add_checked_fixture(tests, start_reading, finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_the_workers_leave_in_the_queue_is_theirs_and_the_end_is_no_fault);
    tcase_add_test(tests, a_partition_without_a_leader_is_told_until_it_goes_on);
    tcase_add_test(tests, messages_that_the_broker_does_not_give_are_told_with_what_it_says);
    tcase_add_test(tests, a_broker_that_does_not_say_where_a_partition_ends_is_told);
    Suite *made = suite_create("kafka stall");
    suite_add_tcase(made, tests);
    suite_add_tcase(made, begun);
    return made;
}
