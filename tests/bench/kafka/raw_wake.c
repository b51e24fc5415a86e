/* SPDX-License-Identifier: MIT */
#include "raw_wake.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EVERY_MS = 10, TIMEOUT_MS = 1000 };

static void *ask(void *self)
{
    struct wake *wake = self;
    const struct timespec pause = { .tv_nsec = EVERY_MS * 1000000L };
    while (!atomic_load(&wake->is_stopped)) {
        int64_t low;
        int64_t high;
        rd_kafka_query_watermark_offsets(wake->consumer, wake->topic, 0, &low, &high, TIMEOUT_MS);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

void wake_start(struct wake *wake, rd_kafka_t *consumer, const char *topic)
{
    wake->consumer = consumer;
    wake->topic = topic;
    atomic_init(&wake->is_stopped, 0);
    if (pthread_create(&wake->thread, NULL, ask, wake) != 0) {
        fprintf(stderr, "bench_kafka_loop: could not start a thread\n");
        exit(1);
    }
}

void wake_stop(struct wake *wake)
{
    atomic_store(&wake->is_stopped, 1);
    pthread_join(wake->thread, NULL);
}
