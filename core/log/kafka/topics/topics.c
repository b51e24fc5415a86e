/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/topics.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/memory.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"

enum { TURN_MS = 500, TELL_MS = 3000 };

/* Thread: holds log->lock. */
static struct kafka_topic *look_up(const struct kafka_log *log, const char *name)
{
    struct kafka_topic *topic = log->topics;
    while (topic != NULL && (topic->is_dropped || strcmp(topic->face.name, name) != 0)) {
        topic = topic->later;
    }
    return topic;
}

static struct kafka_topic *create_topic(struct kafka_log *log, const char *name,
                                        uint32_t partitions)
{
    size_t name_size = strlen(name) + 1;
    struct kafka_topic *topic = memory_zeroed(1, sizeof *topic + name_size);
    struct kafka_partition *parts = memory_zeroed(partitions + 1, sizeof *parts);
    if (topic == NULL || parts == NULL) {
        memory_free(topic);
        memory_free(parts);
        return NULL;
    }
    memcpy(topic + 1, name, name_size);
    topic->face = (struct log_topic){ .name = (char *)(topic + 1),
                                      .partitions = partitions,
                                      .log = &log->face };
    topic->parts = parts;
    for (uint32_t i = 0; i < partitions; i++) {
        parts[i] = (struct kafka_partition){ .topic = topic, .number = i };
    }
    return topic;
}

const struct rd_kafka_metadata_topic *kafka_topic_in(const struct rd_kafka_metadata *metadata,
                                                     const char *name)
{
    for (int i = 0; i < metadata->topic_cnt; i++) {
        if (strcmp(metadata->topics[i].topic, name) == 0) {
            return &metadata->topics[i];
        }
    }
    return NULL;
}

static void destroy_topic(struct kafka_topic *topic)
{
    for (uint32_t i = 0; i < topic->face.partitions; i++) {
        if (topic->parts[i].queue != NULL) {
            rd_kafka_queue_destroy(topic->parts[i].queue);
        }
    }
    if (topic->handle != NULL) {
        rd_kafka_topic_destroy(topic->handle);
    }
    memory_free(topic->parts);
    memory_free(topic);
}

void kafka_topics_deinit(struct kafka_log *log)
{
    while (log->topics != NULL) {
        struct kafka_topic *topic = log->topics;
        log->topics = topic->later;
        destroy_topic(topic);
    }
}

/* Adds what is new; a topic that has been made anew with another count replaces the one of before. */
static bool take_topic(struct kafka_log *log, const struct rd_kafka_metadata_topic *from)
{
    uint32_t partitions = (uint32_t)from->partition_cnt;
    struct kafka_topic *topic = look_up(log, from->topic);
    if (topic != NULL && partitions > 0) {
        topic->replication = (uint32_t)from->partitions[0].replica_cnt;
    }
    if (from->err != RD_KAFKA_RESP_ERR_NO_ERROR || partitions == 0 ||
        (topic != NULL && topic->face.partitions == partitions)) {
        return true;
    }
    struct kafka_topic *fresh = create_topic(log, from->topic, partitions);
    if (fresh == NULL) {
        return false;
    }
    if (topic != NULL) {
        topic->is_dropped = true;
    }
    fresh->replication = (uint32_t)from->partitions[0].replica_cnt;
    fresh->later = log->topics;
    log->topics = fresh;
    return true;
}

static weir_status take_all(struct kafka_log *log, const struct rd_kafka_metadata *metadata,
                            struct error *error)
{
    bool is_right = true;
    pthread_mutex_lock(&log->lock);
    for (int i = 0; is_right && i < metadata->topic_cnt; i++) {
        is_right = take_topic(log, &metadata->topics[i]);
    }
    pthread_mutex_unlock(&log->lock);
    return is_right ? WEIR_OK : error_no_memory(error);
}

/* Who waits should know for what. */
static void tell_waiting(struct kafka_log *log)
{
    struct error error = { 0 };
    (void)kafka_trouble_tell(&log->trouble, log->brokers, &error);
    logger_write(LOGGER_INFO, "kafka", "%s; trying on", error.message);
}

/* Asks in short turns: in between the library tells what is wrong, and who waits may want to stop. */
static weir_status ask(struct kafka_log *log, const struct rd_kafka_metadata **ret_metadata,
                       struct error *error)
{
    int64_t begin_ns = clock_monotonic_ns();
    int64_t end_ns = begin_ns + kafka_timeout(log) * INT64_C(1000000);
    for (bool is_told = false;;) {
        rd_kafka_resp_err_t code = rd_kafka_metadata(log->admin, 1, NULL, ret_metadata, TURN_MS);
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            kafka_trouble_clear(&log->trouble);
            return WEIR_OK;
        }
        (void)rd_kafka_poll(log->admin, 0);
        int64_t now_ns = clock_monotonic_ns();
        if (now_ns >= end_ns || kafka_trouble_is_over_patience(&log->trouble, now_ns) ||
            !kafka_goes_on(log)) {
            return kafka_trouble_tell(&log->trouble, log->brokers, error);
        }
        if (!is_told && now_ns - begin_ns >= TELL_MS * INT64_C(1000000)) {
            tell_waiting(log);
            is_told = true;
        }
    }
}

weir_status kafka_topics_load(struct kafka_log *log, struct error *error)
{
    const struct rd_kafka_metadata *metadata = NULL;
    weir_status st = ask(log, &metadata, error);
    if (st != WEIR_OK) {
        return st;
    }
    st = take_all(log, metadata, error);
    rd_kafka_metadata_destroy(metadata);
    return st;
}

weir_status kafka_topic_is_hidden(struct kafka_log *log, rd_kafka_t *client, const char *name,
                                  bool *ret_is_hidden, struct error *error)
{
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_topic_t *handle = rd_kafka_topic_new(client, name, NULL);
    if (handle == NULL) {
        return error_no_memory(error);
    }
    rd_kafka_resp_err_t code = rd_kafka_metadata(client, 0, handle, &metadata, kafka_timeout(log));
    rd_kafka_topic_destroy(handle);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return kafka_error(error, code, "look for topic '%s'", name);
    }
    *ret_is_hidden =
        metadata->topic_cnt > 0 && kafka_is_denied(metadata->topics[0].err, KAFKA_TOPIC);
    rd_kafka_metadata_destroy(metadata);
    return WEIR_OK;
}

struct kafka_topic *kafka_topic_find(struct kafka_log *log, const char *name)
{
    pthread_mutex_lock(&log->lock);
    struct kafka_topic *topic = look_up(log, name);
    pthread_mutex_unlock(&log->lock);
    return topic;
}

struct log_topic *kafka_log_find(struct log *face, const char *name)
{
    struct kafka_topic *topic = kafka_topic_find(kafka_of(face), name);
    return topic == NULL ? NULL : &topic->face;
}

static int by_name(const void *a, const void *b)
{
    struct log_topic *const *left = a;
    struct log_topic *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

weir_status kafka_log_topics(struct log *face, struct arena *arena, struct log_topic ***ret_topics,
                             size_t *ret_count, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    size_t count = 0;
    pthread_mutex_lock(&log->lock);
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        count++;
    }
    struct log_topic **topics = arena_alloc(arena, (count + 1) * sizeof(struct log_topic *));
    count = 0;
    for (struct kafka_topic *topic = log->topics; topics != NULL && topic != NULL;
         topic = topic->later) {
        if (!topic->is_dropped) {
            topics[count++] = &topic->face;
        }
    }
    pthread_mutex_unlock(&log->lock);
    if (topics == NULL) {
        return error_no_memory(error);
    }
    qsort(topics, count, sizeof(struct log_topic *), by_name);
    *ret_topics = topics;
    *ret_count = count;
    return WEIR_OK;
}
