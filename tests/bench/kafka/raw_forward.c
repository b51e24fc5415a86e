/* SPDX-License-Identifier: MIT */
#include "raw_forward.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_MS = 30000, FULL_MS = 10 };

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_kafka_loop: could not %s: %s\n", what, why);
    exit(1);
}

void forward_init(struct forward *forward, rd_kafka_t *producer, const char *topic)
{
    forward->producer = producer;
    forward->topic = rd_kafka_topic_new(producer, topic, NULL);
    memset(forward->counts, 0, sizeof forward->counts);
    if (forward->topic == NULL) {
        fail("open the topic of results", rd_kafka_err2str(rd_kafka_last_error()));
    }
}

void forward_deinit(struct forward *forward)
{
    rd_kafka_topic_destroy(forward->topic);
}

void forward_delivered(rd_kafka_t *producer, const rd_kafka_message_t *message, void *opaque)
{
    (void)producer;
    (void)opaque;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("deliver a message", rd_kafka_err2str(message->err));
    }
}

void forward_add(struct forward *forward, const rd_kafka_message_t *message, struct bytes value)
{
    if (message->partition >= PARTITIONS) {
        fail("forward a message", "the topic has too many partitions");
    }
    int *count = &forward->counts[message->partition];
    forward->waiting[message->partition][(*count)++] = (rd_kafka_message_t){
        .payload = (void *)(uintptr_t)value.data,
        .len = value.size,
        .key = message->key,
        .key_len = message->key_len,
    };
}

/* Moves those that found no room to the front. */
static int keep_refused(rd_kafka_message_t *messages, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (messages[i].err == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            messages[kept++] = messages[i];
        } else if (messages[i].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            fail("send a message", rd_kafka_err2str(messages[i].err));
        }
    }
    return kept;
}

static void send_partition(struct forward *forward, int partition)
{
    rd_kafka_message_t *messages = forward->waiting[partition];
    int count = forward->counts[partition];
    while (count > 0) {
        int sent =
            rd_kafka_produce_batch(forward->topic, partition, RD_KAFKA_MSG_F_COPY, messages, count);
        if (sent == count) {
            break;
        }
        count = keep_refused(messages, count);
        rd_kafka_poll(forward->producer, FULL_MS);
    }
    forward->counts[partition] = 0;
}

void forward_send(struct forward *forward)
{
    for (int partition = 0; partition < PARTITIONS; partition++) {
        send_partition(forward, partition);
    }
    rd_kafka_poll(forward->producer, 0);
}

void forward_flush(struct forward *forward)
{
    rd_kafka_resp_err_t err = rd_kafka_flush(forward->producer, FLUSH_MS);
    if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("flush", rd_kafka_err2str(err));
    }
}
