/* SPDX-License-Identifier: MIT */
/*
 * For unit tests: librdkafka's mock cluster of one broker within the test, and a log on it. It knows no topics'
 * configuration and creates none; what was aborted stays to be read.
 */
#ifndef LOG_KAFKA_MOCK_FIXTURE_H
#define LOG_KAFKA_MOCK_FIXTURE_H

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "log/kafka/kafka_log.h"
#include "log/log.h"
#include "unit.h"

/* Kafka's own numbers of requests. */
enum { REQUEST_PRODUCE = 0, REQUEST_OFFSET_COMMIT = 8 };
enum { PARTITIONS = 2, WAIT_MS = 60000, TURN_NS = 5000000 };

/* The mock cluster waits so long for a member that has left. */
static const struct kafka_property mock_properties[] = {
    { .name = "session.timeout.ms", .value = "4000", .clients = KAFKA_FOR_CONSUMER },
};
static struct kafka_settings mock_settings;
static rd_kafka_t *mock_client;
static rd_kafka_mock_cluster_t *mock;
static struct log *mock_log;
static struct error error;

static inline struct log *mock_open(void)
{
    char url[128];
    struct log *log = NULL;
    struct log_open_options options = { .mode = LOG_WRITE, .kafka = &mock_settings };
    kafka_settings_init(&mock_settings);
    mock_settings.properties = mock_properties;
    mock_settings.property_count = 1;
    snprintf(url, sizeof url, "kafka://%s", rd_kafka_mock_cluster_bootstraps(mock));
    ck_assert_msg(log_open_with(url, &options, &log, &error) == WEIR_OK, "%s", error.message);
    return log;
}

/* Topics `in`, `out` and that of the positions of the group `g`. */
static inline void mock_start(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    (void)rd_kafka_conf_set(conf, "log_level", "0", NULL, 0);
    mock_client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, NULL, 0);
    mock = rd_kafka_mock_cluster_new(mock_client, 1);
    (void)rd_kafka_mock_topic_create(mock, "in", PARTITIONS, 1);
    (void)rd_kafka_mock_topic_create(mock, "out", PARTITIONS, 1);
    (void)rd_kafka_mock_topic_create(mock, "positions__g", 1, 1);
    error = (struct error){ 0 };
    mock_log = mock_open();
}

static inline void mock_finish(void)
{
    log_close(mock_log);
    rd_kafka_mock_cluster_destroy(mock);
    rd_kafka_destroy(mock_client);
}

static inline void mock_rest(void)
{
    nanosleep(&(struct timespec){ 0, TURN_NS }, NULL);
}

static inline weir_slice text_slice(const char *text)
{
    return text == NULL ? (weir_slice){ NULL, LOG_ABSENT }
                        : (weir_slice){ (const uint8_t *)text, strlen(text) };
}

static inline bool is_slice(weir_slice slice, const char *text)
{
    return text == NULL ? slice.size == LOG_ABSENT
                        : slice.size == strlen(text) && memcmp(slice.data, text, slice.size) == 0;
}

static inline void append_value(const char *topic, uint32_t partition, const char *value)
{
    struct log_message message = { .timestamp = 5, .value = text_slice(value) };
    ck_assert_int_eq(log_append(log_topic_find(mock_log, topic), partition, &message, 1, &error),
                     WEIR_OK);
}

/* Until it is done, or can never be. */
static inline weir_status commit_epoch(const struct log_epoch *epoch)
{
    weir_status st = WEIR_E_TIMEOUT;
    for (int i = 0; i < WAIT_MS / 100; i++) {
        error = (struct error){ 0 };
        st = log_commit(mock_log, "g", epoch, &error);
        if (!error.is_retriable) {
            break;
        }
    }
    return st;
}

#endif
