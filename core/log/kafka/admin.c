/* SPDX-License-Identifier: MIT */
/*
 * Topics made, described, changed and removed, through the library's interface for administration: a
 * request goes out, its answer comes to a queue of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "log/kafka/kafka_log.h"

enum { RETRY_MS = 100, ASK_MS = 5000, FRAME_BYTES = 256 /* that a message takes besides */ };

/* ---- requests ------------------------------------------------------------------------------------ */

struct request {
    rd_kafka_queue_t *queue;
    rd_kafka_AdminOptions_t *options;
};

static struct request begin(struct kafka_log *log, rd_kafka_admin_op_t op)
{
    struct request request = { rd_kafka_queue_new(log->admin),
                               rd_kafka_AdminOptions_new(log->admin, op) };
    (void)rd_kafka_AdminOptions_set_request_timeout(request.options, kafka_timeout(log), NULL, 0);
    return request;
}

/* The answer, and the request's end. NULL: none in time. */
static rd_kafka_event_t *finish(struct kafka_log *log, struct request *request)
{
    rd_kafka_event_t *event = rd_kafka_queue_poll(request->queue, kafka_timeout(log) + 1000);
    rd_kafka_AdminOptions_destroy(request->options);
    rd_kafka_queue_destroy(request->queue);
    return event;
}

/* The broker's sentences have one. */
static void drop_full_stop(char *text)
{
    size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '.') {
        text[len - 1] = '\0';
    }
}

/* What the broker says of one topic, or the whole request. */
static weir_status judge(struct kafka_log *log, rd_kafka_resp_err_t code, const char *text,
                         const char *what, const char *name, struct error *error)
{
    char room[REDACT_ROOM];
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return WEIR_OK;
    }
    weir_status st = kafka_error(error, code, "%s topic '%s'", what, name);
    if (text != NULL && error != NULL) {
        const char *shown = kafka_hide(log->settings, text, room);
        snprintf(error->message, sizeof error->message, "could not %s topic '%s': %.*s", what, name,
                 (int)strcspn(shown, "\n"), shown);
        drop_full_stop(error->message);
    }
    return st;
}

static weir_status judge_topics(struct kafka_log *log, rd_kafka_event_t *event,
                                const rd_kafka_topic_result_t **results, size_t count,
                                const char *what, const char *name, struct error *error)
{
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR || count == 0) {
        return judge(log, rd_kafka_event_error(event), rd_kafka_event_error_string(event), what,
                     name, error);
    }
    return judge(log, rd_kafka_topic_result_error(results[0]),
                 rd_kafka_topic_result_error_string(results[0]), what, name, error);
}

static weir_status no_answer(const char *what, const char *name, struct error *error)
{
    return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                     "could not %s topic '%s': Kafka does not answer", what, name);
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
                                 const struct kafka_topic_plan *plan, struct error *error)
{
    rd_kafka_NewTopic_t *topic = new_topic(name, partitions, plan, error);
    if (topic == NULL) {
        return WEIR_E_INVALID;
    }
    struct request request = begin(log, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    rd_kafka_CreateTopics(log->admin, &topic, 1, request.options, request.queue);
    rd_kafka_event_t *event = finish(log, &request);
    rd_kafka_NewTopic_destroy(topic);
    if (event == NULL) {
        return no_answer("create", name, error);
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

weir_status kafka_topic_make(struct kafka_log *log, const char *name, uint32_t partitions,
                             const struct kafka_topic_plan *plan, struct kafka_topic **ret_topic,
                             struct error *error)
{
    if (!log->settings->create_topics) {
        error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
                  "topic '%s' does not exist, and 'create_topics' is false", name);
        error_hint(error, "create it, or take 'create_topics: false' away");
        return WEIR_E_NOT_FOUND;
    }
    weir_status st = request_topic(log, name, partitions, plan, error);
    return st == WEIR_OK ? wait_for_topic(log, name, ret_topic, error) : st;
}

/*
 * How a topic is made. The broker keeps messages by their own time: what a source reads of the last years
 * would be gone before anybody has read it. So topics between parts of a pipeline keep everything, and what
 * was processed is removed.
 */
static const struct kafka_topic_plan *plan_of(const struct kafka_log *log, const char *name)
{
    static const struct kafka_topic_plan nothing = { 0 };
    static const struct kafka_topic_config config[] = { { "retention.ms", "-1" },
                                                        { "cleanup.policy", "delete" } };
    static const struct kafka_topic_plan between = { .config = config, .config_count = 2 };
    const struct kafka_topic_plan *plan = kafka_topic_plan_find(log->settings, name);
    bool is_between = strncmp(name, "source__", strlen("source__")) == 0 ||
                      strncmp(name, "repartition__", strlen("repartition__")) == 0;
    return plan != NULL ? plan : is_between ? &between : &nothing;
}

weir_status kafka_log_create(struct log *face, const char *name, uint32_t partitions,
                             struct log_topic **ret_topic, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    struct kafka_topic *topic = NULL;
    weir_status st = kafka_topic_make(log, name, partitions, plan_of(log, name), &topic, error);
    if (st == WEIR_OK && ret_topic != NULL) {
        *ret_topic = &topic->face;
    }
    return st;
}

weir_status kafka_log_drop(struct log_topic *face, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(face->name);
    struct request request = begin(log, RD_KAFKA_ADMIN_OP_DELETETOPICS);
    rd_kafka_DeleteTopics(log->admin, &topic, 1, request.options, request.queue);
    rd_kafka_event_t *event = finish(log, &request);
    rd_kafka_DeleteTopic_destroy(topic);
    if (event == NULL) {
        return no_answer("delete", face->name, error);
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

/* ---- what the broker says of a topic ------------------------------------------------------------- */

static const char *config_of(const rd_kafka_ConfigResource_t *resource, const char *name)
{
    size_t count = 0;
    const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(resource, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rd_kafka_ConfigEntry_name(entries[i]), name) == 0) {
            const char *value = rd_kafka_ConfigEntry_value(entries[i]);
            return value == NULL ? "" : value;
        }
    }
    return "";
}

/* -1 is the broker's word for no limit. */
static int64_t limit_of(const rd_kafka_ConfigResource_t *resource, const char *name)
{
    long long value = strtoll(config_of(resource, name), NULL, 10);
    return value < 0 ? 0 : value;
}

static void read_options(struct kafka_topic *topic, const rd_kafka_ConfigResource_t *resource,
                         struct log_topic_options *ret)
{
    *ret = (struct log_topic_options){
        .retention_ms = limit_of(resource, "retention.ms"),
        .retention_bytes = limit_of(resource, "retention.bytes"),
        .tombstone_ms = limit_of(resource, "delete.retention.ms"),
        .is_compacted = strstr(config_of(resource, "cleanup.policy"), "compact") != NULL,
    };
    atomic_store(&topic->limit, (uint64_t)limit_of(resource, "max.message.bytes"));
}

static weir_status describe(struct log_topic *face, struct log_topic_options *ret_options,
                            struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_ConfigResource_t *wanted =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, face->name);
    struct request request = begin(log, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_DescribeConfigs(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = finish(log, &request);
    rd_kafka_ConfigResource_destroy(wanted);
    if (event == NULL) {
        return no_answer("describe", face->name, error);
    }
    size_t count = 0;
    const rd_kafka_ConfigResource_t **found = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    weir_status st = judge(log, rd_kafka_event_error(event), rd_kafka_event_error_string(event),
                           "describe", face->name, error);
    if (st == WEIR_OK && count > 0) {
        st = judge(log, rd_kafka_ConfigResource_error(found[0]),
                   rd_kafka_ConfigResource_error_string(found[0]), "describe", face->name, error);
    }
    if (st == WEIR_OK && count > 0) {
        read_options(kafka_topic_of(face), found[0], ret_options);
    }
    rd_kafka_event_destroy(event);
    return st;
}

/* A broker may not have heard of a topic that was made a moment ago. */
weir_status kafka_log_topic_options(struct log_topic *face, struct log_topic_options *ret_options,
                                    struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(log) * INT64_C(1000000);
    weir_status st = describe(face, ret_options, error);
    while (st == WEIR_E_NOT_FOUND && clock_monotonic_ns() < end_ns && kafka_goes_on(log)) {
        rest();
        st = describe(face, ret_options, error);
    }
    return st;
}

static bool is_compressing(const struct kafka_settings *settings)
{
    for (size_t i = 0; i < settings->property_count; i++) {
        const struct kafka_property *property = &settings->properties[i];
        if (strncmp(property->name, "compression.", strlen("compression.")) == 0 &&
            strcmp(property->value, "none") != 0) {
            return true;
        }
    }
    return false;
}

uint64_t kafka_log_message_limit(struct log_topic *face)
{
    struct kafka_topic *topic = kafka_topic_of(face);
    uint64_t limit = atomic_load(&topic->limit);
    /* What a message is when it is compressed only the broker can tell. */
    bool is_known = limit > FRAME_BYTES && !is_compressing(kafka_of(face->log)->settings);
    return is_known ? limit - FRAME_BYTES : UINT64_MAX;
}

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
    *ret_info = (struct log_partition_info){
        .begin = low, .end = high, .committed_end = high, .count = high - low, .peak = INT64_MIN
    };
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

weir_status kafka_log_trim(struct log_topic *face, uint32_t partition, int64_t before,
                           struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, face->name, (int32_t)partition)->offset = before;
    rd_kafka_DeleteRecords_t *wanted = rd_kafka_DeleteRecords_new(list);
    rd_kafka_topic_partition_list_destroy(list);
    struct request request = begin(log, RD_KAFKA_ADMIN_OP_DELETERECORDS);
    rd_kafka_DeleteRecords(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = finish(log, &request);
    rd_kafka_DeleteRecords_destroy(wanted);
    if (event == NULL) {
        return no_answer("trim", face->name, error);
    }
    const rd_kafka_DeleteRecords_result_t *result = rd_kafka_event_DeleteRecords_result(event);
    weir_status st = judge(log, rd_kafka_event_error(event), rd_kafka_event_error_string(event),
                           "trim", face->name, error);
    if (st == WEIR_OK && result != NULL) {
        st = judge(log, rd_kafka_DeleteRecords_result_offsets(result)->elems[0].err, NULL, "trim",
                   face->name, error);
    }
    rd_kafka_event_destroy(event);
    return st;
}

weir_status kafka_log_empty(struct log_topic *face, struct error *error)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; st == WEIR_OK && i < face->partitions; i++) {
        st = kafka_log_trim(face, i, RD_KAFKA_OFFSET_END, error);
    }
    return st;
}
