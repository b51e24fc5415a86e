/* SPDX-License-Identifier: MIT */
/*
 * Producing: messages go into the library's queue, and their outcomes come back in delivery reports. What
 * is only delayed stays in the queue for as long as it takes. What the broker refuses for what it is, or for
 * a reason that may pass, spoils the epoch (refusals.h); what is wrong with the topic or the user's rights is
 * kept as the fault that the next commit tells.
 */
#ifndef LOG_KAFKA_PRODUCE_H
#define LOG_KAFKA_PRODUCE_H

#include <librdkafka/rdkafka.h>

#include "log/log.h"

struct kafka_log;

/* Waits for at most so long until everything that was handed over has an outcome. WEIR_E_TIMEOUT,
 * retriable: not yet. */
weir_status kafka_flush(struct kafka_log *log, int64_t timeout_ms, struct error *error);
/* The outcome of a message is that nobody waits for it any more. */
bool kafka_is_purged(rd_kafka_resp_err_t code);
/* Delivery reports end here. */
void kafka_delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self);

/* Why the epoch under way can never be committed. Brokers that are away do not count: health.c judges them. Any
 * thread. */
void kafka_note_loss(struct kafka_log *log, const struct error *why);

/* As in log.h. */
bool kafka_log_is_settled(struct log *log);
const char *kafka_log_refusal(struct log_topic *topic, uint32_t partition,
                              const struct log_message *message);
weir_status kafka_log_append(struct log_topic *topic, uint32_t partition,
                             const struct log_message *messages, uint32_t count,
                             struct error *error);

#endif
