/* SPDX-License-Identifier: MIT */
/* The positions that are committed every five seconds, when everything before them is delivered. */
#ifndef BENCH_RAW_COMMIT_H
#define BENCH_RAW_COMMIT_H

#include <stdint.h>

#include "raw_forward.h"

struct commit {
    rd_kafka_t *consumer;
    const char *topic;
    int64_t next[PARTITIONS]; /* offset; 0: nothing was read */
    int64_t due_ms;
};

void commit_init(struct commit *commit, rd_kafka_t *consumer, const char *topic);
void commit_note(struct commit *commit, const rd_kafka_message_t *message);
void commit_if_due(struct commit *commit, struct forward *forward);
void commit_now(struct commit *commit, struct forward *forward);

#endif
