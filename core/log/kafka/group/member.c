/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/member.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/memory.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/health.h"
#include "log/kafka/consume/fetch.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/topics.h"

enum { POLL_MS = 100, LEARN_MS = 500, REST_MS = 50 };

/* ---- notices ------------------------------------------------------------------------------------- */

static void destroy_notice(struct kafka_notice *notice)
{
    rd_kafka_topic_partition_list_destroy(notice->list);
    memory_free(notice);
}

static void add_notice(struct kafka_member *member, struct kafka_notice *notice)
{
    pthread_mutex_lock(&member->lock);
    struct kafka_notice **end = &member->notices;
    while (*end != NULL) {
        end = &(*end)->later;
    }
    *end = notice;
    pthread_mutex_unlock(&member->lock);
}

const struct kafka_notice *kafka_member_notice(struct kafka_member *member)
{
    pthread_mutex_lock(&member->lock);
    const struct kafka_notice *notice = member->notices;
    pthread_mutex_unlock(&member->lock);
    return notice;
}

bool kafka_member_is_late(struct kafka_member *member)
{
    bool is_late = false;
    pthread_mutex_lock(&member->lock);
    const struct kafka_notice *first = member->notices;
    for (const struct kafka_notice *later = first == NULL ? NULL : first->later;
         later != NULL && first->kind == LOG_CAME; later = later->later) {
        is_late |= later->kind == LOG_LOST;
    }
    pthread_mutex_unlock(&member->lock);
    return is_late;
}

bool kafka_member_is_urged(struct kafka_member *member)
{
    bool is_urged = false;
    pthread_mutex_lock(&member->lock);
    for (const struct kafka_notice *notice = member->notices; notice != NULL;
         notice = notice->later) {
        is_urged |= notice->kind != LOG_CAME;
    }
    pthread_mutex_unlock(&member->lock);
    return is_urged;
}

void kafka_member_pop(struct kafka_member *member)
{
    pthread_mutex_lock(&member->lock);
    struct kafka_notice *notice = member->notices;
    member->notices = notice->later;
    pthread_mutex_unlock(&member->lock);
    atomic_fetch_sub(&member->log->losses, notice->kind == LOG_LOST);
    destroy_notice(notice);
}

static enum log_change_kind kind_of(rd_kafka_t *consumer, rd_kafka_resp_err_t code)
{
    if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        return LOG_CAME;
    }
    return rd_kafka_assignment_lost(consumer) ? LOG_LOST : LOG_GOING;
}

/* At the end nobody is there any more who could carry it out. */
static void let_go(rd_kafka_t *consumer, rd_kafka_topic_partition_list_t *list)
{
    if (strcmp(rd_kafka_rebalance_protocol(consumer), "COOPERATIVE") == 0) {
        rd_kafka_error_destroy(rd_kafka_incremental_unassign(consumer, list));
    } else {
        (void)rd_kafka_assign(consumer, NULL);
    }
}

static void rebalance(rd_kafka_t *consumer, rd_kafka_resp_err_t code,
                      rd_kafka_topic_partition_list_t *list, void *opaque)
{
    struct kafka_log *log = opaque;
    struct kafka_member *member = log->member;
    if (atomic_load(&member->is_leaving)) {
        let_go(consumer, list);
        return;
    }
    struct kafka_notice *notice = memory_zeroed(1, sizeof *notice);
    if (notice == NULL) {
        logger_write(LOGGER_ERROR, "kafka", "out of memory while partitions are assigned");
        return;
    }
    notice->kind = kind_of(consumer, code);
    notice->list = rd_kafka_topic_partition_list_copy(list);
    atomic_fetch_add(&log->losses, notice->kind == LOG_LOST);
    add_notice(member, notice);
}

/* ---- the thread ---------------------------------------------------------------------------------- */

static void *poll_main(void *argument)
{
    struct kafka_member *member = argument;
    while (!atomic_load(&member->is_leaving)) {
        int pause_ms = kafka_fetch_wake(member->log, member->consumer) ? FETCH_WAKE_MS : POLL_MS;
        rd_kafka_message_t *message = rd_kafka_consumer_poll(member->consumer, pause_ms);
        if (message != NULL) {
            kafka_standing_note(member, message->err, rd_kafka_message_errstr(message));
            rd_kafka_message_destroy(message);
        }
        kafka_health_look(member->log, member->consumer);
    }
    return NULL;
}

/* ---- joining and leaving ------------------------------------------------------------------------- */

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    (void)rd_kafka_conf_set(conf, name, value, NULL, 0);
}

static weir_status make_consumer(struct kafka_member *member, struct error *error)
{
    struct kafka_log *log = member->log;
    rd_kafka_conf_t *conf = NULL;
    struct fetch_texts texts;
    weir_status st =
        kafka_conf_make(log->settings, log->brokers, KAFKA_CONSUMER,
                        kafka_fetch_defaults(log, member->partitions, &texts), &conf, error);
    if (st != WEIR_OK) {
        return st;
    }
    set(conf, "group.id", member->group);
    set(conf, "enable.partition.eof", "true");
    set(conf, "auto.offset.reset", "error");
    set(conf, "partition.assignment.strategy",
        member->is_together ? "range" : "cooperative-sticky");
    rd_kafka_conf_set_rebalance_cb(conf, rebalance);
    member->consumer = kafka_client(log, RD_KAFKA_CONSUMER, conf, error);
    if (member->consumer == NULL) {
        return WEIR_E_INVALID;
    }
    (void)rd_kafka_poll_set_consumer(member->consumer);
    member->commits = rd_kafka_queue_new(member->consumer);
    return WEIR_OK;
}

static weir_status subscribe(struct kafka_member *member, const struct log_membership *membership,
                             struct error *error)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)membership->topic_count + 1);
    for (size_t i = 0; i < membership->topic_count; i++) {
        rd_kafka_topic_partition_list_add(list, membership->topics[i]->name, RD_KAFKA_PARTITION_UA);
    }
    rd_kafka_topic_partition_list_add(list, member->progress.topic->face.name,
                                      RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t code = rd_kafka_subscribe(member->consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : kafka_error(error, code, "join the group '%s'", member->group);
}

static bool is_known(const struct rd_kafka_metadata *metadata, const char *name)
{
    const struct rd_kafka_metadata_topic *topic = kafka_topic_in(metadata, name);
    return topic != NULL && topic->err == RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* A broker knows all that the group is to be divided by. */
static bool are_known(const struct kafka_member *member, const struct log_membership *membership)
{
    const struct rd_kafka_metadata *metadata = NULL;
    if (rd_kafka_metadata(member->consumer, 1, NULL, &metadata, LEARN_MS) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
        return false;
    }
    bool are_known = is_known(metadata, member->progress.topic->face.name);
    for (size_t i = 0; are_known && i < membership->topic_count; i++) {
        are_known = is_known(metadata, membership->topics[i]->name);
    }
    rd_kafka_metadata_destroy(metadata);
    return are_known;
}

/*
 * A topic that was made a moment ago may not be known to the client, or not to the broker that it asks, and then the
 * group would be divided without it at first: a run until the end of its input would have none.
 */
static void learn_topics(const struct kafka_member *member, const struct log_membership *membership)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(member->log) * INT64_C(1000000);
    while (!are_known(member, membership) && kafka_goes_on(member->log) &&
           clock_monotonic_ns() < end_ns) {
        clock_rest(REST_MS);
    }
}

static weir_status start_poller(struct kafka_member *member, struct error *error)
{
    member->has_poller = pthread_create(&member->poller, NULL, poll_main, member) == 0;
    return member->has_poller ? WEIR_OK
                              : error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE,
                                          "could not start the thread that polls Kafka");
}

static weir_status open_producer(struct kafka_log *log, const struct log_membership *membership,
                                 struct error *error)
{
    const char *transactions = NULL;
    if (membership->is_exactly_once) {
        transactions = kafka_transaction_name(log, membership->group);
        if (transactions == NULL) {
            return error_no_memory(error);
        }
    }
    return kafka_producer_open(log, transactions, error);
}

weir_status kafka_member_create(struct kafka_log *log, const struct log_membership *membership,
                                struct error *error)
{
    size_t size = strlen(membership->group) + 1;
    struct kafka_member *member = memory_zeroed(1, sizeof *member + size);
    if (member == NULL) {
        return error_no_memory(error);
    }
    log->member = member;
    member->log = log;
    member->group = memcpy(member + 1, membership->group, size);
    member->is_together = membership->is_together;
    for (size_t i = 0; i < membership->topic_count; i++) {
        member->partitions += membership->topics[i]->partitions;
    }
    pthread_mutex_init(&member->lock, NULL);
    kafka_standing_init(&member->standing);
    weir_status st = open_producer(log, membership, error);
    if (st == WEIR_OK) {
        st = progress_open(&member->progress, log, member->group, error);
    }
    if (st == WEIR_OK) {
        st = make_consumer(member, error);
    }
    if (st == WEIR_OK) {
        learn_topics(member, membership);
        st = subscribe(member, membership, error);
    }
    return st == WEIR_OK ? start_poller(member, error) : st;
}

/* The library waits for an answer to each, also where it is to end. */
static void answer_notices(struct kafka_member *member)
{
    for (struct kafka_notice *notice = member->notices; notice != NULL; notice = notice->later) {
        if (notice->kind != LOG_CAME) {
            let_go(member->consumer, notice->list);
        } else if (strcmp(rd_kafka_rebalance_protocol(member->consumer), "COOPERATIVE") == 0) {
            rd_kafka_error_destroy(rd_kafka_incremental_assign(member->consumer, notice->list));
        } else {
            (void)rd_kafka_assign(member->consumer, notice->list);
        }
    }
}

/* The library's own end, which may hang where the broker is gone; so it has a thread. */
static void *close_main(void *argument)
{
    struct kafka_member *member = argument;
    if (member->commits != NULL) {
        rd_kafka_queue_destroy(member->commits);
    }
    if (member->consumer != NULL) {
        answer_notices(member);
        (void)rd_kafka_consumer_close(member->consumer);
        rd_kafka_destroy(member->consumer);
    }
    return NULL;
}

static bool join_in_time(pthread_t thread, int64_t timeout_ms)
{
    int64_t ns = (clock_wall_ms() + timeout_ms) * 1000000;
    struct timespec deadline = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    return pthread_timedjoin_np(thread, NULL, &deadline) == 0;
}

bool kafka_member_destroy(struct kafka_member *member, int64_t timeout_ms)
{
    pthread_t closer;
    atomic_store(&member->is_leaving, true);
    if (member->has_poller && !join_in_time(member->poller, timeout_ms)) {
        return false;
    }
    member->has_poller = false;
    if (pthread_create(&closer, NULL, close_main, member) != 0 ||
        !join_in_time(closer, timeout_ms)) {
        return false;
    }
    while (member->notices != NULL) {
        kafka_member_pop(member);
    }
    progress_close(&member->progress);
    kafka_standing_deinit(&member->standing);
    pthread_mutex_destroy(&member->lock);
    memory_free(member);
    return true;
}
