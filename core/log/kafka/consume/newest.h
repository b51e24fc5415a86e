/* SPDX-License-Identifier: MIT */
/*
 * What a topic of one partition, in which a key stands for what is newest of it, has for a key.
 */
#ifndef LOG_KAFKA_NEWEST_H
#define LOG_KAFKA_NEWEST_H

#include "base/buffer.h"
#include "log/log.h"

struct kafka_log;
struct kafka_topic;

/* The value of the newest message of the key, in the buffer. WEIR_E_NOT_FOUND, without a message: there is none. */
weir_status kafka_newest(struct kafka_log *log, struct kafka_topic *topic, const char *key,
                         weir_buffer *out, struct error *error);

#endif
