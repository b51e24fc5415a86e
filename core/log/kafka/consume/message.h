/* SPDX-License-Identifier: MIT */
/*
 * Messages of the library as messages of the log.
 */
#ifndef LOG_KAFKA_MESSAGE_H
#define LOG_KAFKA_MESSAGE_H

#include <librdkafka/rdkafka.h>

#include "log/log.h"

/* What the message points to is the library's. False: no memory. */
bool kafka_message_read(rd_kafka_message_t *from, struct arena *arena, struct log_message *ret);

#endif
