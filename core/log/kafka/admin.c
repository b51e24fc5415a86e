/* SPDX-License-Identifier: MIT */
/*
 * Topics made, described, changed and removed, through the library's interface for administration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/request.h"

enum { RETRY_MS = 100, ASK_MS = 5000 };

static weir_status judge_topics(struct kafka_log *log, rd_kafka_event_t *event,
                                const rd_kafka_topic_result_t **results, size_t count,
                                const char *what, const char *name, struct error *error)
{
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR || count == 0) {
        return kafka_request_judge(log, rd_kafka_event_error(event),
                                   rd_kafka_event_error_string(event), what, name, error);
    }
    return kafka_request_judge(log, rd_kafka_topic_result_error(results[0]),
                               rd_kafka_topic_result_error_string(results[0]), what, name, error);
}

/* ---- creating and removing ----------------------------------------------------------------------- */

/* The topic that is asked for, with what the file says of it. NULL after a report. */
static rd_kafka_NewTopic_t *new_topic(const char *name, uint32_t partitions,
                                      const struct kafka_topic_plan *plan, struct error *error)
{
    char text[512] = "";
    rd_kafka_NewTopic_t *topic =
        rd_kafka_NewTopic_new(name, partitions == 0 ? -1 : (int)partitions,
                              plan->replication == 0 ? -1 : plan->replication, text, sizeof text);
    if (topic == NULL) {
        error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "cannot create topic '%s': %s", name,
                  text);
    }
    for (size_t i = 0; topic != NULL && i < plan->config_count; i++) {
        (void)rd_kafka_NewTopic_set_config(topic, plan->config[i].name, plan->config[i].value);
    }
    return topic;
}

static weir_status request_topic(struct kafka_log *log, const char *name, uint32_t partitions,
                                 const struct kafka_topic_plan *plan, bool is_trial,
                                 struct error *error)
{
    rd_kafka_NewTopic_t *topic = new_topic(name, partitions, plan, error);
    if (topic == NULL) {
        return WEIR_E_INVALID;
    }
    struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    (void)rd_kafka_AdminOptions_set_validate_only(request.options, is_trial, NULL, 0);
    rd_kafka_CreateTopics(log->admin, &topic, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_NewTopic_destroy(topic);
    if (event == NULL) {
        return kafka_request_unanswered("create", name, error);
    }
    size_t count = 0;
    const rd_kafka_topic_result_t **results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    weir_status st = judge_topics(log, event, results, count, "create", name, error);
    if (count > 0 &&
        rd_kafka_topic_result_error(results[0]) == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
        st = WEIR_OK; /* another replica was faster */
    }
    rd_kafka_event_destroy(event);
    return st;
}

static void rest(void)
{
    struct timespec pause = { 0, RETRY_MS * 1000000 };
    nanosleep(&pause, NULL);
}

/* Brokers hear of a new topic one after the other. */
static weir_status wait_for_topic(struct kafka_log *log, const char *name,
                                  struct kafka_topic **ret_topic, struct error *error)
{
    int64_t end_ns =
        clock_monotonic_ns() + log->settings->topic_create_timeout_ms * INT64_C(1000000);
    for (;;) {
        weir_status st = kafka_topics_load(log, error);
        struct kafka_topic *topic = kafka_topic_find(log, name);
        if (st == WEIR_OK && topic != NULL) {
            *ret_topic = topic;
            return WEIR_OK;
        }
        if (clock_monotonic_ns() > end_ns || !kafka_goes_on(log)) {
            return st != WEIR_OK ? st
                                 : error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                                             "topic '%s' was created, but is not there yet", name);
        }
        rest();
    }
}

static weir_status check_allowed(const struct kafka_log *log, const char *name, struct error *error)
{
    if (log->settings->create_topics) {
        return WEIR_OK;
    }
    error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
              "topic '%s' does not exist, and 'create_topics' is false", name);
    error_hint(error, "create it, or take 'create_topics: false' away");
    return WEIR_E_NOT_FOUND;
}

weir_status kafka_topic_make(struct kafka_log *log, const char *name, uint32_t partitions,
                             const struct kafka_topic_plan *plan, struct kafka_topic **ret_topic,
                             struct error *error)
{
    weir_status st = check_allowed(log, name, error);
    st = st == WEIR_OK ? request_topic(log, name, partitions, plan, false, error) : st;
    return st == WEIR_OK ? wait_for_topic(log, name, ret_topic, error) : st;
}

/*
 * What the file says of a topic holds. The broker keeps messages by their own time: what a source reads of
 * the last years would be gone before anybody has read it. So topics between parts of a pipeline keep
 * everything, and what was processed is removed; they have as many replicas as the topics that come in.
 */
static struct kafka_topic_plan find_plan(const struct kafka_log *log, const char *name,
                                         const struct log_models *models)
{
    static const struct kafka_topic_config config[] = { { "retention.ms", "-1" },
                                                        { "retention.bytes", "-1" },
                                                        { "cleanup.policy", "delete" } };
    struct kafka_topic_plan between = { .config = config, .config_count = 3 };
    const struct kafka_topic_plan *plan = kafka_topic_plan_find(log->settings, name);
    for (size_t i = 0; models != NULL && i < models->count; i++) {
        int32_t replication = (int32_t)kafka_topic_of(models->topics[i])->replication;
        between.replication = replication > between.replication ? replication : between.replication;
    }
    return plan != NULL ? *plan : models != NULL ? between : (struct kafka_topic_plan){ 0 };
}

weir_status kafka_log_create(struct log *face, const char *name, uint32_t partitions,
                             const struct log_models *models, struct log_topic **ret_topic,
                             struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    struct kafka_topic *topic = NULL;
    const struct kafka_topic_plan plan = find_plan(log, name, models);
    weir_status st = kafka_topic_make(log, name, partitions, &plan, &topic, error);
    if (st == WEIR_OK && ret_topic != NULL) {
        *ret_topic = &topic->face;
    }
    return st;
}

weir_status kafka_log_try(struct log *face, const char *name, uint32_t partitions,
                          const struct log_models *models, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    const struct kafka_topic_plan plan = find_plan(log, name, models);
    weir_status st = check_allowed(log, name, error);
    return st == WEIR_OK ? request_topic(log, name, partitions, &plan, true, error) : st;
}

weir_status kafka_log_drop(struct log_topic *face, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(face->name);
    struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_DELETETOPICS);
    rd_kafka_DeleteTopics(log->admin, &topic, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_DeleteTopic_destroy(topic);
    if (event == NULL) {
        return kafka_request_unanswered("delete", face->name, error);
    }
    size_t count = 0;
    const rd_kafka_topic_result_t **results =
        rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &count);
    weir_status st = judge_topics(log, event, results, count, "delete", face->name, error);
    rd_kafka_event_destroy(event);
    if (st == WEIR_OK) {
        pthread_mutex_lock(&log->lock);
        kafka_topic_of(face)->is_dropped = true;
        pthread_mutex_unlock(&log->lock);
    }
    return st;
}

/* ---- offsets ---------------------------------------------------------------------------------- */

/* While leaders move, whoever is asked may answer that it is none. */
static bool may_pass(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
           code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
           code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT;
}

weir_status kafka_ask_range(struct kafka_log *log, const char *topic, int32_t partition,
                            int64_t *ret_low, int64_t *ret_high, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(log) * INT64_C(1000000);
    rd_kafka_resp_err_t code;
    while ((code = rd_kafka_query_watermark_offsets(log->admin, topic, partition, ret_low, ret_high,
                                                    ASK_MS)) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (!may_pass(code) || clock_monotonic_ns() > end_ns || !kafka_goes_on(log)) {
            return kafka_error(error, code, "ask for the offsets of topic '%s' partition %d", topic,
                               (int)partition);
        }
        rest();
    }
    return WEIR_OK;
}

weir_status kafka_log_partition_info(struct log_topic *face, uint32_t partition,
                                     struct log_partition_info *ret_info, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    int64_t low = 0;
    int64_t high = 0;
    if (partition >= face->partitions) {
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                         "the topic '%s' has no partition %u; it has %u, counted from 0",
                         face->name, partition, face->partitions);
    }
    weir_status st = kafka_ask_range(log, face->name, (int32_t)partition, &low, &high, error);
    if (st != WEIR_OK) {
        return st;
    }
    *ret_info = (struct log_partition_info){ .begin = low,
                                             .end = high,
                                             .committed_end = high,
                                             .count = high - low,
                                             .peak = INT64_MIN,
                                             .bytes = LOG_UNKNOWN };
    return WEIR_OK;
}

weir_status kafka_log_offset_at(struct log_topic *face, uint32_t partition, int64_t timestamp,
                                int64_t *ret_offset, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, face->name, (int32_t)partition)->offset = timestamp;
    rd_kafka_resp_err_t code = rd_kafka_offsets_for_times(log->admin, list, kafka_timeout(log));
    *ret_offset = list->elems[0].offset;
    code = code == RD_KAFKA_RESP_ERR_NO_ERROR ? list->elems[0].err : code;
    rd_kafka_topic_partition_list_destroy(list);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return kafka_error(error, code, "find a time in topic '%s' partition %u", face->name,
                           partition);
    }
    if (*ret_offset >= 0) {
        return WEIR_OK;
    }
    struct log_partition_info info;
    weir_status st = kafka_log_partition_info(face, partition, &info, error);
    *ret_offset = info.end;
    return st;
}

/* ---- removing messages --------------------------------------------------------------------------- */

static weir_status remove_before(struct log_topic *face, uint32_t partition, int64_t before,
                                 struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, face->name, (int32_t)partition)->offset = before;
    rd_kafka_DeleteRecords_t *wanted = rd_kafka_DeleteRecords_new(list);
    rd_kafka_topic_partition_list_destroy(list);
    struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_DELETERECORDS);
    rd_kafka_DeleteRecords(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_DeleteRecords_destroy(wanted);
    if (event == NULL) {
        return kafka_request_unanswered("trim", face->name, error);
    }
    const rd_kafka_DeleteRecords_result_t *result = rd_kafka_event_DeleteRecords_result(event);
    weir_status st =
        kafka_request_judge(log, rd_kafka_event_error(event), rd_kafka_event_error_string(event),
                            "trim", face->name, error);
    if (st == WEIR_OK && result != NULL) {
        st = kafka_request_judge(log, rd_kafka_DeleteRecords_result_offsets(result)->elems[0].err,
                                 NULL, "trim", face->name, error);
    }
    rd_kafka_event_destroy(event);
    return st;
}

/* Groups move first: where one cannot, nothing is removed. */
weir_status kafka_log_trim(struct log_topic *face, uint32_t partition, int64_t before,
                           struct error *error)
{
    weir_status st = kafka_readers_move(face, partition, before, error);
    return st == WEIR_OK ? remove_before(face, partition, before, error) : st;
}

weir_status kafka_log_empty(struct log_topic *face, struct error *error)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; st == WEIR_OK && i < face->partitions; i++) {
        st = remove_before(face, i, RD_KAFKA_OFFSET_END, error);
    }
    return st;
}
