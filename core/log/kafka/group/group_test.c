/* SPDX-License-Identifier: MIT */
/* What a member is given, what it commits, and what the broker's answers to that mean. */
#include "log/kafka/group/group.h"

#include "base/clock.h"
#include "base/memory.h"
#include "log/kafka/group/member.h"
#include "log/kafka/mock_fixture.h"
#include "log/kafka/topics/topics.h"

enum { MESSAGES = 6, LATE_MS = 2000, PATIENCE_MS = 90000 };

/* Who does not poll for so long is put out of the group. */
static const struct kafka_property mock_short_polls[] = {
    { .name = "session.timeout.ms", .value = "4000", .clients = KAFKA_FOR_CONSUMER },
    { .name = "max.poll.interval.ms", .value = "4000", .clients = KAFKA_FOR_CONSUMER },
};

static struct arena arena;

static void start(void)
{
    mock_start();
    arena_init(&arena, 0);
    for (int i = 0; i < MESSAGES; i++) {
        append_value("in", 0, "v");
    }
    ck_assert_int_eq(commit_epoch(&(struct log_epoch){ 0 }), WEIR_OK);
}

static void finish(void)
{
    arena_deinit(&arena);
    mock_finish();
}

/* What lies in the arena. */
static struct log_change next_change_of(struct log *log)
{
    struct log_change change = { .kind = LOG_NO_CHANGE };
    for (int64_t end_ns = clock_monotonic_ns() + PATIENCE_MS * INT64_C(1000000);
         change.kind == LOG_NO_CHANGE && clock_monotonic_ns() < end_ns;) {
        ck_assert_int_eq(log_next_change(log, &arena, &change, &error), WEIR_OK);
        mock_rest();
    }
    return change;
}

static struct log_change await_change(enum log_change_kind kind)
{
    struct log_change change = next_change_of(mock_log);
    ck_assert_int_eq(change.kind, kind);
    return change;
}

static void join_as(struct log *log, struct log_membership membership)
{
    struct log_topic *topic = log_topic_find(log, "in");
    membership.group = "g";
    membership.topics = &topic;
    membership.topic_count = 1;
    ck_assert_msg(log_join(log, &membership, &error) == WEIR_OK, "%s", error.message);
}

/* What comes is not carried out yet. */
static struct log_change begin_to_join(void)
{
    join_as(mock_log, (struct log_membership){ 0 });
    return await_change(LOG_CAME);
}

static struct log_change join(void)
{
    struct log_change change = begin_to_join();
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
    return change;
}

static int64_t position_of(const struct log_change *change, uint32_t partition)
{
    for (size_t i = 0; i < change->share_count; i++) {
        if (change->shares[i].partition == partition) {
            return change->shares[i].has_position ? change->shares[i].position : -1;
        }
    }
    return -2;
}

/* The offset of the first message that partition 0 gives, to the end of which it reads. */
static int64_t read_first(int64_t offset)
{
    int64_t first = -1;
    struct log_batch batch = { .next = offset };
    for (int i = 0; i < WAIT_MS / 5 && !batch.is_at_end; i++) {
        ck_assert_int_eq(log_read(log_topic_find(mock_log, "in"), 0, batch.next, 2, 1 << 20, &arena,
                                  &batch, &error),
                         WEIR_OK);
        first = first < 0 && batch.count > 0 ? batch.messages[0].offset : first;
        log_lease_end(&batch.lease);
        mock_rest();
    }
    ck_assert(batch.is_at_end);
    ck_assert_int_eq(batch.next, MESSAGES);
    return first;
}

static weir_status commit_at(int64_t offset, const char *fact)
{
    struct log_topic *topic = log_topic_find(mock_log, "in");
    struct log_position position = { topic, 0, offset };
    struct log_fact facts[] = {
        { .key = "source/s", .value = text_slice(fact) },
        { .key = "sink/x", .value = text_slice(fact), .topic = topic, .partition = 0 },
    };
    struct log_epoch epoch = { &position, 1, facts, 2 };
    return commit_epoch(&epoch);
}

static bool has_fact(const char *key, const char *value)
{
    weir_slice found;
    ck_assert_int_eq(log_fact_get(mock_log, "g", key, &arena, &found, &error), WEIR_OK);
    return is_slice(found, value);
}

/* As another process does that comes after this one. */
static struct log_change start_again(void)
{
    log_leave(mock_log, WAIT_MS);
    log_close(mock_log);
    mock_log = mock_open();
    return join();
}

START_TEST(a_member_goes_on_with_positions_and_facts_of_the_last_commit)
{
    struct log_change change = join();
    ck_assert(change.leads);
    ck_assert_uint_eq(change.share_count, PARTITIONS);
    ck_assert_int_eq(position_of(&change, 0), -1);
    ck_assert(has_fact("source/s", NULL));
    ck_assert_int_eq(read_first(0), 0);
    ck_assert_msg(commit_at(4, "12") == WEIR_OK, "%s", error.message);
    change = start_again();
    ck_assert_int_eq(position_of(&change, 0), 4);
    ck_assert_int_eq(position_of(&change, 1), -1);
    ck_assert(has_fact("source/s", "12"));
    ck_assert(has_fact("sink/x", "12"));
    ck_assert_int_eq(read_first(4), 4);
}
END_TEST

static void *tell_of_topic(void *self)
{
    nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
    rd_kafka_mock_topic_set_error(mock, "in", RD_KAFKA_RESP_ERR_NO_ERROR);
    return self;
}

/* As brokers hear of a topic one after the other. */
START_TEST(a_group_is_not_divided_without_a_topic_that_comes_late)
{
    pthread_t teller;
    rd_kafka_mock_topic_set_error(mock, "in", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    ck_assert_int_eq(pthread_create(&teller, NULL, tell_of_topic, NULL), 0);
    struct log_change change = begin_to_join();
    ck_assert_uint_eq(change.share_count, PARTITIONS);
    ck_assert_int_eq(pthread_join(teller, NULL), 0);
}
END_TEST

/* An assignment of before may have left messages in the queue. */
START_TEST(messages_before_the_position_are_passed_over)
{
    (void)join();
    kafka_topic_of(log_topic_find(mock_log, "in"))->parts[0].next = 3;
    ck_assert_int_eq(read_first(3), 3);
}
END_TEST

/* Whoever moves a partition takes its position while it is read: so nothing may be read then. */
START_TEST(nothing_is_read_in_a_gap_until_it_is_passed)
{
    (void)join();
    struct log_topic *topic = log_topic_find(mock_log, "in");
    struct kafka_partition *part = &kafka_topic_of(topic)->parts[0];
    struct log_batch batch;
    ck_assert_int_eq(read_first(0), 0);
    part->next = 2;
    atomic_store(&part->is_in_gap, true);
    atomic_store(&kafka_of(mock_log)->has_gaps, true);
    append_value("in", 0, "v");
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(log_read(topic, 0, 2, 2, 1 << 20, &arena, &batch, &error), WEIR_OK);
        ck_assert_uint_eq(batch.count, 0);
        ck_assert_int_eq(batch.next, 2);
        mock_rest();
    }
    struct log_change change = await_change(LOG_MOVED);
    ck_assert_int_eq(position_of(&change, 0), 2);
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
    for (int i = 0; i < WAIT_MS / 5 && batch.count == 0; i++) {
        ck_assert_int_eq(log_read(topic, 0, 2, 1, 1 << 20, &arena, &batch, &error), WEIR_OK);
        mock_rest();
    }
    ck_assert_uint_eq(batch.count, 1);
    ck_assert_int_eq(batch.messages[0].offset, 2);
    log_lease_end(&batch.lease);
}
END_TEST

START_TEST(a_rollback_reads_again_from_the_last_commit)
{
    (void)join();
    ck_assert_int_eq(read_first(0), 0);
    ck_assert_int_eq(commit_at(2, NULL), WEIR_OK);
    ck_assert_msg(log_rollback(mock_log, &error) == WEIR_OK, "%s", error.message);
    ck_assert_int_eq(read_first(2), 2);
}
END_TEST

static struct kafka_member *member_of(void)
{
    return kafka_of(mock_log)->member;
}

/* A partition that the library does not fetch any more cannot be read again. */
START_TEST(a_rollback_that_cannot_go_back_says_so)
{
    (void)join();
    ck_assert_int_eq(read_first(0), 0);
    ck_assert_int_eq(commit_at(2, NULL), WEIR_OK);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "in", 0);
    rd_kafka_error_destroy(rd_kafka_incremental_unassign(member_of()->consumer, list));
    rd_kafka_topic_partition_list_destroy(list);
    ck_assert_int_ne(log_rollback(mock_log, &error), WEIR_OK);
    ck_assert_ptr_nonnull(
        strstr(error.message, "could not go back to the last commit in topic 'in' partition 0"));
}
END_TEST

static void answer(rd_kafka_resp_err_t code)
{
    rd_kafka_mock_push_request_errors(mock, REQUEST_OFFSET_COMMIT, 1, code);
}

static const struct {
    rd_kafka_resp_err_t code;
    weir_status status;
    const char *message; /* NULL: it is tried again and succeeds */
} answers[] = {
    { RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, WEIR_OK, NULL },
    { RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, WEIR_OK, NULL },
    { RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, WEIR_OK, NULL },
    { RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, WEIR_E_IO,
      "could not commit the positions of the group 'g': Broker: Offset metadata string too large" },
    { RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, WEIR_E_IO,
      "could not commit the positions of the group 'g': Broker: Group authorization failed" },
};

START_TEST(each_answer_to_a_commit_is_judged)
{
    (void)join();
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        answer(answers[i].code);
        weir_status st = commit_at((int64_t)i, "1");
        require(st == answers[i].status, "answer %d: %d %s", (int)i, (int)st, error.message);
        ck_assert_str_eq(st == WEIR_OK ? "" : error.message,
                         answers[i].message == NULL ? "" : answers[i].message);
    }
}
END_TEST

START_TEST(who_is_a_member_no_more_learns_it_when_asking)
{
    (void)join();
    ck_assert_int_eq(commit_at(1, "1"), WEIR_OK);
    ck_assert_int_eq(log_confirm(mock_log, &error), WEIR_OK);
    answer(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID);
    ck_assert_int_eq(log_confirm(mock_log, &error), WEIR_AGAIN);
}
END_TEST

static bool never(void *self)
{
    (void)self;
    return false;
}

/* Nobody waits for it any more, and it comes while the next one is waited for. */
START_TEST(a_late_answer_is_not_taken_for_that_of_the_next_commit)
{
    (void)join();
    ck_assert_int_eq(commit_at(1, "1"), WEIR_OK);
    rd_kafka_mock_broker_push_request_error_rtts(mock, 1, REQUEST_OFFSET_COMMIT, 2,
                                                 RD_KAFKA_RESP_ERR_NO_ERROR, LATE_MS,
                                                 RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, 0);
    kafka_of(mock_log)->goes_on = never;
    (void)log_confirm(mock_log, &error);
    kafka_of(mock_log)->goes_on = NULL;
    ck_assert_int_eq(commit_at(2, "2"), WEIR_E_IO);
}
END_TEST

/* As the coordinator knows it from now on. */
static void correct(int64_t offset)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "in", 0)->offset = offset;
    ck_assert_int_eq(rd_kafka_commit(member_of()->consumer, list, 0), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_topic_partition_list_destroy(list);
}

static const struct error gone = { .status = WEIR_E_NOT_FOUND, .message = "a file is gone" };

START_TEST(what_was_put_off_comes_again_as_the_group_knows_it_by_then)
{
    struct log_change change = begin_to_join();
    ck_assert_int_eq(position_of(&change, 0), -1);
    ck_assert_int_eq(log_change_put_off(mock_log, &gone), WEIR_OK);
    ck_assert_int_eq(log_next_change(mock_log, &arena, &change, &error), WEIR_OK);
    ck_assert_int_eq(change.kind, LOG_NO_CHANGE);
    ck_assert(change.is_coming);
    correct(4);
    change = await_change(LOG_CAME);
    ck_assert_int_eq(position_of(&change, 0), 4);
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
    ck_assert_int_eq(read_first(4), 4);
}
END_TEST

START_TEST(what_stays_the_same_is_believed_in_the_end)
{
    int times = 0;
    (void)begin_to_join();
    mock_settings.request_timeout_ms = 300;
    while (log_change_put_off(mock_log, &gone) == WEIR_OK) {
        (void)await_change(LOG_CAME);
        times++;
    }
    ck_assert_int_ge(times, 1);
    ck_assert_int_eq(log_change_put_off(mock_log, &gone), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(log_change_put_off(mock_log, NULL), WEIR_OK); /* that is no doubt */
}
END_TEST

/* As the library tells it: behind what has come. */
static void lose_all(void)
{
    struct kafka_notice *notice = memory_zeroed(1, sizeof *notice);
    ck_assert_ptr_nonnull(notice);
    notice->kind = LOG_LOST;
    notice->list = rd_kafka_topic_partition_list_copy(member_of()->notices->list);
    pthread_mutex_lock(&member_of()->lock);
    member_of()->notices->later = notice;
    pthread_mutex_unlock(&member_of()->lock);
}

START_TEST(what_is_lost_is_put_off_no_longer)
{
    struct log_change change = begin_to_join();
    ck_assert_int_eq(log_change_put_off(mock_log, &gone), WEIR_OK);
    lose_all();
    ck_assert(log_is_urged(mock_log));
    ck_assert_int_eq(log_next_change(mock_log, &arena, &change, &error), WEIR_OK);
    ck_assert_int_eq(change.kind, LOG_CAME);
    ck_assert_uint_eq(change.share_count, 0);
    ck_assert(!change.leads);
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
    change = await_change(LOG_LOST);
    ck_assert_uint_eq(change.share_count, PARTITIONS);
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
}
END_TEST

/* ---- two members ------------------------------------------------------------------------------------ */

static int64_t committed_as_asked_by(struct log *log)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "in", 0);
    ck_assert_int_eq(rd_kafka_committed(kafka_of(log)->member->consumer, list, WAIT_MS),
                     RD_KAFKA_RESP_ERR_NO_ERROR);
    int64_t offset = list->elems[0].offset;
    rd_kafka_topic_partition_list_destroy(list);
    return offset < 0 ? -1
                      : offset; /* what is sent in transactions the mock cluster does not tell */
}

/* Until it has all partitions of `in`, of which it then tells the position of the first. */
static int64_t take_all(struct log *log)
{
    int64_t position = -2;
    for (size_t count = 0; count < PARTITIONS;) {
        struct log_change change = next_change_of(log);
        ck_assert_int_eq(change.kind, LOG_CAME);
        position = position_of(&change, 0) == -2 ? position : position_of(&change, 0);
        count += change.share_count;
        ck_assert_int_eq(log_change_done(log, &change, &error), WEIR_OK);
    }
    return position;
}

/* The poller stands in the middle of a rebalance that another member has begun, until the group goes on without it. */
START_TEST(who_is_put_out_while_partitions_move_commits_nothing_more)
{
    /* Each rebalance takes all from everybody first; transactions of nobody would be taken. */
    struct log_membership membership = { .is_together = true, .is_exactly_once = _i == 1 };
    mock_settings.properties = mock_short_polls;
    mock_settings.property_count = 2;
    join_as(mock_log, membership);
    ck_assert_int_eq(take_all(mock_log), -1);
    ck_assert_int_eq(commit_at(2, "1"), WEIR_OK);
    int64_t before = committed_as_asked_by(mock_log);
    struct log *other = mock_open();
    pthread_mutex_lock(&member_of()->lock);
    join_as(other, membership);
    ck_assert_int_eq(take_all(other), before);
    pthread_mutex_unlock(&member_of()->lock);
    struct log_change change = next_change_of(mock_log);
    ck_assert(change.kind == LOG_GOING || change.kind == LOG_LOST);
    ck_assert_int_eq(commit_at(4, "2"), WEIR_AGAIN);
    ck_assert_int_eq(committed_as_asked_by(other), before);
    log_leave(other, WAIT_MS);
    log_close(other);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("group");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, a_member_goes_on_with_positions_and_facts_of_the_last_commit);
    tcase_add_test(tests, a_group_is_not_divided_without_a_topic_that_comes_late);
    tcase_add_test(tests, messages_before_the_position_are_passed_over);
    tcase_add_test(tests, nothing_is_read_in_a_gap_until_it_is_passed);
    tcase_add_test(tests, a_rollback_reads_again_from_the_last_commit);
    tcase_add_test(tests, a_rollback_that_cannot_go_back_says_so);
    tcase_add_test(tests, a_late_answer_is_not_taken_for_that_of_the_next_commit);
    tcase_add_test(tests, each_answer_to_a_commit_is_judged);
    tcase_add_test(tests, who_is_a_member_no_more_learns_it_when_asking);
    tcase_add_test(tests, what_was_put_off_comes_again_as_the_group_knows_it_by_then);
    tcase_add_test(tests, what_stays_the_same_is_believed_in_the_end);
    tcase_add_test(tests, what_is_lost_is_put_off_no_longer);
    tcase_add_loop_test(tests, who_is_put_out_while_partitions_move_commits_nothing_more, 0, 2);
    Suite *made = suite_create("kafka group");
    suite_add_tcase(made, tests);
    return made;
}
