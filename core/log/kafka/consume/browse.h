/* SPDX-License-Identifier: MIT */
/*
 * Reading outside of a group: one partition at a time, in a row. For commands that look into topics, and
 * for what is kept of a group's progress.
 */
#ifndef LOG_KAFKA_BROWSE_H
#define LOG_KAFKA_BROWSE_H

#include <librdkafka/rdkafka.h>

#include "log/kafka/client/place.h"
#include "log/log.h"

struct kafka_log;
struct kafka_topic;
struct kafka_browser;

/* A consumer that is a member of no group. */
weir_status kafka_reader_client(struct kafka_log *log, rd_kafka_t **ret_consumer,
                                struct error *error);
/* Reads a partition, with a browser of the log's own; everything is copied into the arena. Any thread. */
weir_status kafka_browse(struct kafka_log *log, struct kafka_topic *topic, uint32_t partition,
                         struct kafka_place from, uint32_t max_count, uint64_t max_bytes,
                         struct arena *arena, struct log_batch *ret_batch, struct error *error);
/* NULL: there is none. */
void kafka_browser_destroy(struct kafka_browser *browser);

#endif
