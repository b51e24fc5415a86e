/* SPDX-License-Identifier: MIT */
#include "raw_commit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { INTERVAL_MS = 5000 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void commit_init(struct commit *commit, rd_kafka_t *consumer, const char *topic)
{
    commit->consumer = consumer;
    commit->topic = topic;
    memset(commit->next, 0, sizeof commit->next);
    commit->due_ms = now_ms() + INTERVAL_MS;
}

void commit_note(struct commit *commit, const rd_kafka_message_t *message)
{
    commit->next[message->partition] = message->offset + 1;
}

void commit_now(struct commit *commit, struct forward *forward)
{
    commit->due_ms = now_ms() + INTERVAL_MS;
    forward_flush(forward);
    rd_kafka_topic_partition_list_t *positions = rd_kafka_topic_partition_list_new(PARTITIONS);
    for (int partition = 0; partition < PARTITIONS; partition++) {
        if (commit->next[partition] > 0) {
            rd_kafka_topic_partition_list_add(positions, commit->topic, partition)->offset =
                commit->next[partition];
        }
    }
    if (positions->cnt > 0) {
        rd_kafka_resp_err_t err = rd_kafka_commit(commit->consumer, positions, 0);
        if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            fprintf(stderr, "bench_kafka_loop: could not commit: %s\n", rd_kafka_err2str(err));
        }
    }
    rd_kafka_topic_partition_list_destroy(positions);
}

void commit_if_due(struct commit *commit, struct forward *forward)
{
    if (now_ms() >= commit->due_ms) {
        commit_now(commit, forward);
    }
}
