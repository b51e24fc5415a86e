/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include <stdint.h>
#include <string.h>

#include "../records.h"
#include "topic.h"

enum { FULL_MS = 50, FLUSH_MS = 60000 };

static void delivered(rd_kafka_t *producer, const rd_kafka_message_t *message, void *opaque)
{
    (void)producer;
    (void)opaque;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_fail("deliver a record", rd_kafka_err2str(message->err));
    }
}

/* The text of the member "device", which has no escapes. */
static const char *device_of(const char *record, size_t size, size_t *ret_size)
{
    static const char name[] = "\"device\":\"";
    const char *at = memmem(record, size, name, sizeof name - 1);
    if (at == NULL) {
        topic_fail("fill", "a record has no device");
    }
    at += sizeof name - 1;
    const char *end = memchr(at, '"', size - (size_t)(at - record));
    *ret_size = (size_t)(end - at);
    return at;
}

static void send_record(rd_kafka_t *producer, rd_kafka_topic_t *topic, const char *record,
                        size_t size)
{
    size_t key_size;
    const char *key = device_of(record, size, &key_size);
    while (rd_kafka_produce(topic, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                            (void *)(uintptr_t)record, size, key, key_size, NULL) != 0) {
        rd_kafka_resp_err_t err = rd_kafka_last_error();
        if (err != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            topic_fail("send a record", rd_kafka_err2str(err));
        }
        rd_kafka_poll(producer, FULL_MS);
    }
}

void topic_fill(rd_kafka_conf_t *conf, const char *name, size_t count)
{
    topic_set(conf, "enable.idempotence", "true");
    topic_set(conf, "compression.type", "lz4");
    topic_set(conf, "partitioner", "murmur2");
    rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    char why[256];
    rd_kafka_t *producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (producer == NULL) {
        topic_fail("make a producer", why);
    }
    rd_kafka_topic_t *topic = rd_kafka_topic_new(producer, name, NULL);
    struct records records = records_flat(count);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const char *record = record_at(&records, i, &size);
        send_record(producer, topic, record, size);
    }
    if (rd_kafka_flush(producer, FLUSH_MS) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_fail("fill", "the broker was too slow");
    }
    records_free(&records);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(producer);
}
