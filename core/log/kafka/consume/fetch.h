/* SPDX-License-Identifier: MIT */
/*
 * How much the library fetches ahead: a share of the budget for each partition that may come, since each has
 * a queue of its own. Messages are counted as well as bytes: beside a small one the library keeps more than
 * its bytes. And keeps it fetching. Where it has fetched enough ahead, a broker's thread sleeps for up to a
 * second, though the queue may be empty after some milliseconds. From 2.2 on a property says how long it
 * sleeps. Before, a request to that broker wakes it: so while workers have a backlog, the poller asks
 * about one of the partitions that they read.
 */
#ifndef LOG_KAFKA_FETCH_H
#define LOG_KAFKA_FETCH_H

#include <librdkafka/rdkafka.h>

#include "kafka/conf.h"

struct kafka_log;
struct kafka_partition;

enum { FETCH_WAKE_MS = 10 };

/* Room for the defaults of fetching, and the texts in them. */
struct fetch_texts {
    struct kafka_default list[6];
    char kib[24];
    char messages[24];
    char fetch[24];
};

/* How much is fetched ahead of so many partitions. Ends with NULL. */
const struct kafka_default *kafka_fetch_defaults(const struct kafka_log *log, uint64_t partitions,
                                                 struct fetch_texts *texts);
/* A worker has taken as much of a partition as it wanted. */
void kafka_fetch_note(const struct kafka_partition *part);
/* For the poller of the member's consumer: true where it is to be called again after FETCH_WAKE_MS. */
bool kafka_fetch_wake(struct kafka_log *log, rd_kafka_t *consumer);

#endif
