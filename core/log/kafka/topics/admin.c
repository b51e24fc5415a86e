/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/admin.h"

#include "base/clock.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

enum { RETRY_MS = 100 };

static const struct kafka_deed creation = { "create", "Create" };
static const struct kafka_deed deletion = { "delete", "Delete" };

static weir_status judge_topics(struct kafka_log *log, rd_kafka_event_t *event,
                                const rd_kafka_topic_result_t **results, size_t count,
                                const struct kafka_deed *deed, const char *name,
                                struct error *error)
{
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR || count == 0) {
        return kafka_request_judge(log, rd_kafka_event_error(event),
                                   rd_kafka_event_error_string(event), deed, name, error);
    }
    return kafka_request_judge(log, rd_kafka_topic_result_error(results[0]),
                               rd_kafka_topic_result_error_string(results[0]), deed, name, error);
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
    bool is_there = count > 0 && rd_kafka_topic_result_error(results[0]) ==
                                     RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS;
    weir_status st = is_there ? WEIR_OK /* another replica was faster */
                              : judge_topics(log, event, results, count, &creation, name, error);
    rd_kafka_event_destroy(event);
    return st;
}

static weir_status tell_late(const char *name, struct error *error)
{
    error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
              "topic '%s' was created, but is not there yet", name);
    error_hint(error, "start again, or give it longer by 'topic_create_timeout' under 'kafka'");
    error->asks_restart = true;
    return WEIR_E_TIMEOUT;
}

weir_status kafka_topic_await(struct kafka_log *log, const char *name,
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
            return st != WEIR_OK ? st : tell_late(name, error);
        }
        clock_rest(RETRY_MS);
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

static bool is_hidden(struct kafka_log *log, const char *name)
{
    struct error ignored;
    bool is_hidden = false;
    (void)kafka_topic_is_hidden(log, log->admin, name, &is_hidden, &ignored);
    return is_hidden;
}

weir_status kafka_topic_make(struct kafka_log *log, const char *name, uint32_t partitions,
                             const struct kafka_topic_plan *plan, struct kafka_topic **ret_topic,
                             struct error *error)
{
    weir_status st = check_allowed(log, name, error);
    st = st == WEIR_OK ? request_topic(log, name, partitions, plan, false, error) : st;
    /* One that is there, and may not be seen, could not be told from one that is missing. */
    bool is_in_doubt = st == WEIR_OK || error->error_class == WEIR_CLASS_AUTH;
    if (is_in_doubt && is_hidden(log, name)) {
        return kafka_lack(log->settings, "Describe", KAFKA_TOPIC, name, error);
    }
    return st == WEIR_OK ? kafka_topic_await(log, name, ret_topic, error) : st;
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
    weir_status st = judge_topics(log, event, results, count, &deletion, face->name, error);
    rd_kafka_event_destroy(event);
    if (st == WEIR_OK) {
        pthread_mutex_lock(&log->lock);
        kafka_topic_of(face)->is_dropped = true;
        pthread_mutex_unlock(&log->lock);
    }
    return st;
}
