/* SPDX-License-Identifier: MIT */
/*
 * Messages on their way to the topic of results, to the partition that their input came from. They are
 * collected for each partition and sent by one call, which costs half of what single calls do.
 */
#ifndef BENCH_RAW_FORWARD_H
#define BENCH_RAW_FORWARD_H

#include <librdkafka/rdkafka.h>

enum { PARTITIONS = 64, FORWARD_MOST = 1000 };

struct bytes {
    const void *data;
    size_t size;
};

struct forward {
    rd_kafka_t *producer;
    rd_kafka_topic_t *topic;
    rd_kafka_message_t waiting[PARTITIONS][FORWARD_MOST];
    int counts[PARTITIONS];
};

void forward_init(struct forward *forward, rd_kafka_t *producer, const char *topic);
void forward_deinit(struct forward *forward);

/* value: must stay until forward_send, as must the message. At most FORWARD_MOST between two sends. */
void forward_add(struct forward *forward, const rd_kafka_message_t *message, struct bytes value);

/* Waits where librdkafka's queue is full; the bytes are copied there. */
void forward_send(struct forward *forward);

/* Returns when everything is delivered; ends the program where something was not. */
void forward_flush(struct forward *forward);

/* librdkafka's callback: ends the program where a message was not delivered. */
void forward_delivered(rd_kafka_t *producer, const rd_kafka_message_t *message, void *opaque);

#endif
