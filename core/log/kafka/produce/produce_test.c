/* SPDX-License-Identifier: MIT */
/* What ends the epoch in which it is produced, what ends the run, and how often an epoch is tried. */
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/produce.h"

#include "base/clock.h"
#include "log/kafka/mock_fixture.h"
#include "log/kafka/topics/topics.h"

enum { MOST_DROPS = 30 };

/* The last one: what is handed over stays in the queue until it is flushed. */
static const struct kafka_property mock_transactions[] = {
    { .name = "session.timeout.ms", .value = "4000", .clients = KAFKA_FOR_CONSUMER },
    { .name = "topic.metadata.propagation.max.ms",
      .value = "1",
      .clients = KAFKA_FOR_PRODUCER | KAFKA_FOR_CONSUMER },
    { .name = "linger.ms", .value = "50000", .clients = KAFKA_FOR_PRODUCER },
};
static struct arena arena;

static struct log_topic *topic_of(const char *name)
{
    return log_topic_find(mock_log, name);
}

/* A member whose epochs are transactions, with the first so many properties. */
static void start_with(size_t property_count)
{
    mock_start();
    arena_init(&arena, 0);
    mock_settings.properties = mock_transactions;
    mock_settings.property_count = property_count;
    struct log_topic *topic = topic_of("in");
    struct log_membership membership = {
        .group = "g", .topics = &topic, .topic_count = 1, .is_exactly_once = true
    };
    ck_assert_msg(log_join(mock_log, &membership, &error) == WEIR_OK, "%s", error.message);
    struct log_change change = { .kind = LOG_NO_CHANGE };
    for (int i = 0; i < WAIT_MS / 5 && change.kind == LOG_NO_CHANGE; i++) {
        ck_assert_int_eq(log_next_change(mock_log, &arena, &change, &error), WEIR_OK);
        mock_rest();
    }
    ck_assert_int_eq(change.kind, LOG_CAME);
    ck_assert_int_eq(log_change_done(mock_log, &change, &error), WEIR_OK);
}

static void start(void)
{
    start_with(2);
}

static void start_lingering(void)
{
    start_with(3);
}

static void finish(void)
{
    arena_deinit(&arena);
    mock_finish();
}

static weir_status append(const char *value)
{
    struct log_message message = { .timestamp = 5, .value = text_slice(value) };
    error = (struct error){ 0 };
    return log_append(topic_of("out"), 0, &message, 1, &error);
}

static weir_status commit_at(int64_t offset)
{
    struct log_position position = { topic_of("in"), 0, offset };
    return commit_epoch(&(struct log_epoch){ &position, 1, NULL, 0 });
}

/* From here on the producer knows that the topic is not there. */
static void delete_topic(void)
{
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_mock_topic_set_error(mock, "out", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    ck_assert_int_eq(rd_kafka_metadata(kafka_of(mock_log)->producer, 0,
                                       kafka_topic_of(topic_of("out"))->handle, &metadata, WAIT_MS),
                     RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_metadata_destroy(metadata);
}

START_TEST(a_topic_that_is_known_to_be_gone_is_named_by_the_first_message)
{
    ck_assert_int_eq(append("a"), WEIR_OK);
    ck_assert_msg(commit_at(1) == WEIR_OK, "%s", error.message);
    delete_topic();
    ck_assert_int_eq(append("b"), WEIR_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "could not produce to topic 'out' partition 0: "));
    ck_assert_ptr_nonnull(strstr(error.hint, "the topic was there at the start"));
}
END_TEST

static const struct error lost = { .status = WEIR_E_IO,
                                   .error_class = WEIR_CLASS_NETWORK,
                                   .message = "it is lost" };

/* How many it takes until the run is to end. */
static int drop_until_the_end(bool has_moved)
{
    int64_t offset = 0;
    for (int i = 1; i < MOST_DROPS; i++) {
        kafka_note_loss(kafka_of(mock_log), &lost);
        if (log_rollback(mock_log, &error) != WEIR_OK) {
            return i;
        }
        offset += has_moved ? 1 : 0;
        ck_assert_msg(commit_at(offset) == WEIR_OK, "%s", error.message);
    }
    return MOST_DROPS;
}

static void begin_to_drop(void)
{
    ck_assert_msg(commit_at(0) == WEIR_OK, "%s", error.message);
    kafka_of(mock_log)->refusals.most_rest_ms = 0;
}

START_TEST(an_epoch_that_is_lost_again_and_again_ends_the_run_with_the_reason)
{
    begin_to_drop();
    ck_assert_int_eq(drop_until_the_end(false), 20);
    ck_assert_str_eq(error.message, "it is lost; given up after 20 attempts");
    ck_assert(error.asks_restart);
}
END_TEST

START_TEST(what_is_committed_in_between_is_progress)
{
    for (int i = 0; i < MOST_DROPS; i++) { /* there has to be what is committed as read */
        append_value("in", 0, "a");
    }
    begin_to_drop();
    int drops = drop_until_the_end(true);
    ck_assert_msg(drops == MOST_DROPS, "%d: %s", drops, error.message);
}
END_TEST

START_TEST(so_is_what_is_produced_though_nothing_was_read)
{
    begin_to_drop();
    for (int i = 0; i < MOST_DROPS; i++) {
        kafka_note_loss(kafka_of(mock_log), &lost);
        ck_assert_msg(log_rollback(mock_log, &error) == WEIR_OK, "%s", error.message);
        ck_assert_int_eq(append("a"), WEIR_OK);
        ck_assert_msg(commit_at(0) == WEIR_OK, "%s", error.message);
    }
}
END_TEST

START_TEST(brokers_that_are_away_do_not_count)
{
    begin_to_drop();
    atomic_store(&kafka_of(mock_log)->away_ns, clock_monotonic_ns());
    ck_assert_int_eq(drop_until_the_end(false), MOST_DROPS);
    atomic_store(&kafka_of(mock_log)->away_ns, 0);
}
END_TEST

/* Messages that an abort takes back have no outcome. */
START_TEST(what_goes_with_its_transaction_was_not_lost)
{
    begin_to_drop();
    for (int i = 0; i < MOST_DROPS; i++) {
        ck_assert_int_eq(append("a"), WEIR_OK);
        ck_assert_msg(log_rollback(mock_log, &error) == WEIR_OK, "%s", error.message);
    }
    ck_assert(log_is_settled(mock_log));
    ck_assert_int_eq(append("b"), WEIR_OK);
    ck_assert_msg(commit_at(1) == WEIR_OK, "%s", error.message);
    int64_t low = 0;
    int64_t high = 0;
    ck_assert_int_eq(
        rd_kafka_query_watermark_offsets(kafka_of(mock_log)->admin, "out", 0, &low, &high, WAIT_MS),
        RD_KAFKA_RESP_ERR_NO_ERROR);
    ck_assert_int_eq(high, 1); /* none of those before has been sent */
}
END_TEST

/* It says nothing about the next epoch; what is done again meets it again. */
START_TEST(what_was_refused_goes_with_its_transaction_and_is_told_the_next_time)
{
    const rd_kafka_resp_err_t refused = RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
    begin_to_drop();
    rd_kafka_mock_push_request_errors(mock, REQUEST_PRODUCE, 2, refused, refused);
    ck_assert_int_eq(append("a"), WEIR_OK);
    for (int i = 0; i < WAIT_MS / 5 && !log_is_settled(mock_log); i++) {
        mock_rest();
    }
    ck_assert(log_is_settled(mock_log));
    ck_assert_msg(log_rollback(mock_log, &error) == WEIR_OK, "%s", error.message);
    ck_assert_msg(append("a") == WEIR_OK, "%s", error.message);
    ck_assert_int_eq(commit_at(1), WEIR_E_IO);
    ck_assert_ptr_nonnull(strstr(error.message, "to topic 'out' partition 0: "));
    ck_assert_int_eq(error.error_class, WEIR_CLASS_AUTH);
}
END_TEST

START_TEST(it_rests_longer_before_each_try)
{
    struct kafka_refusals refusals;
    int64_t before_ms = 0;
    int64_t rest_ms = 0;
    kafka_refusals_init(&refusals);
    for (int i = 1; i < 20; i++) {
        kafka_refusals_note_loss(&refusals, &lost);
        ck_assert(kafka_refusals_settle(&refusals, &rest_ms, &error));
        ck_assert(rest_ms > before_ms || rest_ms == 1000);
        before_ms = rest_ms;
    }
    ck_assert_int_eq(rest_ms, 1000);
    ck_assert(kafka_refusals_settle(&refusals, &rest_ms, &error)); /* nothing was lost */
    ck_assert_int_eq(rest_ms, 0);
    kafka_refusals_deinit(&refusals);
}
END_TEST

START_TEST(what_is_lost_by_time_does_not_count)
{
    struct kafka_refusals refusals;
    int64_t rest_ms = 0;
    kafka_refusals_init(&refusals);
    for (int i = 0; i < MOST_DROPS; i++) {
        kafka_refusals_note_loss(&refusals, &lost);
        ck_assert(kafka_refusals_settle(&refusals, &rest_ms, &error));
        refusals.lost_ns -= INT64_C(31000000000);
    }
    kafka_refusals_deinit(&refusals);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("produce");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_topic_that_is_known_to_be_gone_is_named_by_the_first_message);
    tcase_add_test(tests, an_epoch_that_is_lost_again_and_again_ends_the_run_with_the_reason);
    tcase_add_test(tests, what_is_committed_in_between_is_progress);
    tcase_add_test(tests, so_is_what_is_produced_though_nothing_was_read);
    tcase_add_test(tests, brokers_that_are_away_do_not_count);
    tcase_add_test(tests, what_was_refused_goes_with_its_transaction_and_is_told_the_next_time);
    TCase *lingering = tcase_create("lingering");
    tcase_add_checked_fixture(lingering, start_lingering, finish);
    tcase_set_timeout(lingering, 60);
    tcase_add_test(lingering, what_goes_with_its_transaction_was_not_lost);
    TCase *counting = tcase_create("counting");
    tcase_add_test(counting, it_rests_longer_before_each_try);
    tcase_add_test(counting, what_is_lost_by_time_does_not_count);
    Suite *made = suite_create("kafka produce");
    suite_add_tcase(made, tests);
    suite_add_tcase(made, lingering);
    suite_add_tcase(made, counting);
    return made;
}
