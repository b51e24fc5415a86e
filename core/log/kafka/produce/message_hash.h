/* SPDX-License-Identifier: MIT */
/* By what a message is known that comes again: its place and what is in it. */
#ifndef LOG_KAFKA_MESSAGE_HASH_H
#define LOG_KAFKA_MESSAGE_HASH_H

#include <librdkafka/rdkafka.h>

#include "log/log.h"

/* Without its time. */
uint64_t kafka_hash_message(const struct log_topic *topic, uint32_t partition,
                            const struct log_message *message);
/* The same of what the library gives back. */
uint64_t kafka_hash_report(const rd_kafka_message_t *message);
/* With its time, of the hash without. */
uint64_t kafka_hash_time(uint64_t hash, int64_t timestamp);

#endif
