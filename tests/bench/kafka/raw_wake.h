/* SPDX-License-Identifier: MIT */
/*
 * librdkafka 2.0 lets a broker's thread sleep for up to a second when its queue was full once, though the
 * queue has been emptied meanwhile. A request to that broker wakes the thread; so one is sent every 10 ms.
 */
#ifndef BENCH_RAW_WAKE_H
#define BENCH_RAW_WAKE_H

#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdatomic.h>

struct wake {
    rd_kafka_t *consumer;
    const char *topic;
    pthread_t thread;
    atomic_int is_stopped;
};

/* For one broker: it asks about partition 0. */
void wake_start(struct wake *wake, rd_kafka_t *consumer, const char *topic);
void wake_stop(struct wake *wake);

#endif
