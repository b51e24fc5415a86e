/* SPDX-License-Identifier: MIT */
/*
 * Producing: messages go into the library's queue, and what is only delayed stays there for as long as it takes. What
 * becomes of them is outcomes.h.
 */
#ifndef LOG_KAFKA_PRODUCE_H
#define LOG_KAFKA_PRODUCE_H

#include "log/log.h"

/* As in log.h. */
const char *kafka_log_refusal(struct log_topic *topic, uint32_t partition,
                              const struct log_message *message);
weir_status kafka_log_append(struct log_topic *topic, uint32_t partition,
                             const struct log_message *messages, uint32_t count,
                             struct error *error);

#endif
