/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/configs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

enum { RETRY_MS = 100, TURN_MS = 5000 };
enum { FRAME_BYTES = 256 /* that a message takes besides */ };

/* ---- asking -------------------------------------------------------------------------------------- */

static const rd_kafka_ConfigResource_t *resource_of(rd_kafka_event_t *event)
{
    size_t count = 0;
    const rd_kafka_ConfigResource_t **found = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    return count > 0 ? found[0] : NULL;
}

static weir_status no_answer(const char *doing, struct error *error)
{
    return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                     "could not %s: Kafka does not answer", doing);
}

static weir_status judge(struct kafka_log *log, rd_kafka_event_t *event, const char *name,
                         const char *doing, struct error *error)
{
    weir_status st = kafka_request_judge_as(log, rd_kafka_event_error(event),
                                            rd_kafka_event_error_string(event), doing, error);
    const rd_kafka_ConfigResource_t *found = st == WEIR_OK ? resource_of(event) : NULL;
    if (st == WEIR_OK && found == NULL) {
        return no_answer(doing, error);
    }
    if (st == WEIR_OK) {
        rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(found);
        st = kafka_request_judge_as(log, code, rd_kafka_ConfigResource_error_string(found), doing,
                                    error);
        kafka_lack_if(log->settings, code, "DescribeConfigs", KAFKA_TOPIC, name, error);
        kafka_lack_if(log->settings, code, "DescribeConfigs", KAFKA_CLUSTER, "", error);
    }
    return st;
}

static weir_status ask(struct kafka_log *log, rd_kafka_ResourceType_t type, const char *name,
                       const char *doing, rd_kafka_event_t **ret_event, struct error *error)
{
    rd_kafka_ConfigResource_t *wanted = rd_kafka_ConfigResource_new(type, name);
    struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    int timeout_ms = kafka_timeout(log) < TURN_MS ? kafka_timeout(log) : TURN_MS;
    (void)rd_kafka_AdminOptions_set_request_timeout(request.options, timeout_ms, NULL, 0);
    rd_kafka_DescribeConfigs(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_ConfigResource_destroy(wanted);
    if (event == NULL) {
        return no_answer(doing, error);
    }
    weir_status st = judge(log, event, name, doing, error);
    if (st != WEIR_OK) {
        rd_kafka_event_destroy(event);
        return st;
    }
    *ret_event = event;
    return WEIR_OK;
}

/*
 * The answer, which holds a resource; to be destroyed. A broker may not have heard of a topic that was made
 * a moment ago, and one that has gone away is replaced after some seconds.
 */
static weir_status describe(struct kafka_log *log, const char *name, rd_kafka_event_t **ret_event,
                            struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(log) * INT64_C(1000000);
    char doing[300];
    snprintf(doing, sizeof doing, "describe topic '%s'", name);
    weir_status st = ask(log, RD_KAFKA_RESOURCE_TOPIC, name, doing, ret_event, error);
    while (st != WEIR_OK && (st == WEIR_E_NOT_FOUND || error->error_class == WEIR_CLASS_NETWORK) &&
           clock_monotonic_ns() < end_ns && kafka_goes_on(log)) {
        clock_rest(RETRY_MS);
        st = ask(log, RD_KAFKA_RESOURCE_TOPIC, name, doing, ret_event, error);
    }
    return st;
}

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

/* How far a timestamp may be off the broker's clock. Brokers before 3.6 have one limit for both sides. */
static int64_t span_of(const rd_kafka_ConfigResource_t *resource, const char *name)
{
    bool is_there = config_of(resource, name)[0] != '\0';
    return limit_of(resource, is_there ? name : "message.timestamp.difference.max.ms");
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
    bool is_free = strcmp(config_of(resource, "message.timestamp.type"), "LogAppendTime") == 0;
    atomic_store(&topic->before_ms,
                 is_free ? 0 : span_of(resource, "message.timestamp.before.max.ms"));
    atomic_store(&topic->after_ms,
                 is_free ? 0 : span_of(resource, "message.timestamp.after.max.ms"));
}

weir_status kafka_log_topic_options(struct log_topic *face, struct log_topic_options *ret_options,
                                    struct error *error)
{
    rd_kafka_event_t *event = NULL;
    weir_status st = describe(kafka_of(face->log), face->name, &event, error);
    if (st == WEIR_OK) {
        read_options(kafka_topic_of(face), resource_of(event), ret_options);
        rd_kafka_event_destroy(event);
    }
    return st;
}

/* Brokers have one configuration, as far as it is about topics. Where nothing may be made nothing is asked. */
weir_status kafka_log_default_partitions(struct log *face, uint32_t *ret_count, struct error *error)
{
    static const char doing[] = "ask how many partitions a topic gets";
    struct kafka_log *log = kafka_of(face);
    rd_kafka_event_t *event = NULL;
    char broker[16];
    if (!log->settings->create_topics) {
        return WEIR_OK;
    }
    snprintf(broker, sizeof broker, "%" PRId32,
             rd_kafka_controllerid(log->admin, kafka_timeout(log)));
    weir_status st = ask(log, RD_KAFKA_RESOURCE_BROKER, broker, doing, &event, error);
    if (st != WEIR_OK) {
        error_hint(error, "write 'partitions' at the topics that are to be created");
        return st;
    }
    long long count = strtoll(config_of(resource_of(event), "num.partitions"), NULL, 10);
    *ret_count = count > 0 && count <= INT32_MAX ? (uint32_t)count : 1;
    rd_kafka_event_destroy(event);
    return WEIR_OK;
}

weir_status kafka_log_configure(struct log_topic *face, const struct log_topic_options *options,
                                struct error *error)
{
    (void)options;
    error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG,
              "cannot change the configuration of topic '%s': it is on Kafka", face->name);
    error_hint(error, "change it with the tools of Kafka");
    return WEIR_E_UNSUPPORTED;
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

struct log_terms kafka_log_topic_terms(struct log_topic *face)
{
    struct kafka_log *log = kafka_of(face->log);
    struct kafka_topic *topic = kafka_topic_of(face);
    uint64_t limit = atomic_load(&topic->limit);
    int64_t before_ms = atomic_load(&topic->before_ms);
    int64_t after_ms = atomic_load(&topic->after_ms);
    int64_t now_ms = clock_wall_ms();
    /* What a message is when it is compressed only the broker can tell. */
    bool is_known = limit > FRAME_BYTES && !is_compressing(log->settings);
    return (struct log_terms){
        .size = is_known ? limit - FRAME_BYTES : UINT64_MAX,
        .oldest = before_ms == 0 ? INT64_MIN : now_ms - before_ms,
        .newest = after_ms == 0 || after_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + after_ms,
        .has_refusals = atomic_load(&log->refusals.has_any),
    };
}

/* ---- what was said for the topic ------------------------------------------------------------------- */

/* False: no memory. */
static bool take_setting(const rd_kafka_ConfigEntry_t *entry, struct arena *arena,
                         struct log_topic_setting *ret)
{
    const char *name = rd_kafka_ConfigEntry_name(entry);
    const char *value = rd_kafka_ConfigEntry_value(entry);
    ret->name = arena_copy(arena, name, strlen(name));
    ret->value = value == NULL ? NULL : arena_copy(arena, value, strlen(value));
    return ret->name != NULL && (value == NULL || ret->value != NULL);
}

/* In the order in which the brokers tell them. False: no memory. */
static bool take_settings(const rd_kafka_ConfigResource_t *resource, struct arena *arena,
                          struct log_topic_shape *ret)
{
    size_t count = 0;
    const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(resource, &count);
    struct log_topic_setting *settings = arena_zeroed(arena, (count + 1) * sizeof *settings);
    bool is_right = settings != NULL;
    ret->settings = settings;
    for (size_t i = 0; is_right && i < count; i++) {
        if (rd_kafka_ConfigEntry_source(entries[i]) ==
            RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG) {
            is_right = take_setting(entries[i], arena, &settings[ret->setting_count++]);
        }
    }
    return is_right;
}

weir_status kafka_log_shape(struct log_topic *face, struct arena *arena,
                            struct log_topic_shape *ret_shape, struct error *error)
{
    rd_kafka_event_t *event = NULL;
    weir_status st = describe(kafka_of(face->log), face->name, &event, error);
    if (st != WEIR_OK) {
        return st;
    }
    *ret_shape = (struct log_topic_shape){ .replication = kafka_topic_of(face)->replication };
    bool is_right = take_settings(resource_of(event), arena, ret_shape);
    rd_kafka_event_destroy(event);
    return is_right ? WEIR_OK : error_no_memory(error);
}

/* ---- against the file ------------------------------------------------------------------------------ */

/* Policies are a set. */
static bool are_same(const char *name, const char *wanted, const char *found)
{
    if (strcmp(name, "cleanup.policy") != 0) {
        return strcmp(wanted, found) == 0;
    }
    return (strstr(wanted, "compact") == NULL) == (strstr(found, "compact") == NULL) &&
           (strstr(wanted, "delete") == NULL) == (strstr(found, "delete") == NULL);
}

/* Adds "NAME is FOUND instead of WANTED". False: no memory. */
static bool add_difference(struct arena *arena, const char *name, const char *found,
                           const char *wanted, const char **text)
{
    const char *before = *text == NULL ? "" : *text;
    *text = arena_printf(arena, "%s%s%s is %s instead of %s", before, *text == NULL ? "" : ", ",
                         name, found[0] == '\0' ? "not there" : found, wanted);
    return *text != NULL;
}

static bool compare(const struct kafka_topic *topic, const struct kafka_topic_plan *plan,
                    const rd_kafka_ConfigResource_t *resource, struct arena *arena,
                    const char **ret_text)
{
    bool is_right = true;
    if (plan->replication > 0 && (uint32_t)plan->replication != topic->replication) {
        const char *found = arena_printf(arena, "%" PRIu32, topic->replication);
        const char *wanted = arena_printf(arena, "%" PRId32, plan->replication);
        is_right = found != NULL && wanted != NULL &&
                   add_difference(arena, "replication", found, wanted, ret_text);
    }
    for (size_t i = 0; is_right && i < plan->config_count; i++) {
        const struct kafka_topic_config *wanted = &plan->config[i];
        const char *found = config_of(resource, wanted->name);
        if (!are_same(wanted->name, wanted->value, found)) {
            is_right = add_difference(arena, wanted->name, found, wanted->value, ret_text);
        }
    }
    return is_right;
}

weir_status kafka_log_differences(struct log_topic *face, struct arena *arena,
                                  const char **ret_text, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    const struct kafka_topic_plan *plan = kafka_topic_plan_find(log->settings, face->name);
    rd_kafka_event_t *event = NULL;
    *ret_text = NULL;
    if (plan == NULL) {
        return WEIR_OK;
    }
    weir_status st = describe(log, face->name, &event, error);
    if (st != WEIR_OK) {
        return st;
    }
    bool is_right = compare(kafka_topic_of(face), plan, resource_of(event), arena, ret_text);
    rd_kafka_event_destroy(event);
    return is_right ? WEIR_OK : error_no_memory(error);
}
