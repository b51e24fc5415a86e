/* SPDX-License-Identifier: MIT */
/*
 * What becomes of messages that were handed to the producer, as delivery reports tell it. What the broker refuses for
 * what it is, or for a reason that may pass, spoils the epoch (refusals.h); what is wrong with the topic or the user's
 * rights is kept as the fault that the next commit tells.
 */
#ifndef LOG_KAFKA_OUTCOMES_H
#define LOG_KAFKA_OUTCOMES_H

#include <pthread.h>
#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include "log/log.h"

struct kafka_log;

/* What has become of messages that were handed to the producer. */
struct kafka_deliveries {
    atomic_uint_fast64_t handed;
    atomic_uint_fast64_t done; /* delivered, rejected or dropped */
    uint64_t before;           /* handed over before the epoch under way */
    pthread_mutex_t lock;
    struct error fault; /* the first that was rejected; status WEIR_OK: none */
};

/* Waits for at most so long until everything that was handed over has an outcome. WEIR_E_TIMEOUT,
 * retriable: not yet. */
weir_status kafka_flush(struct kafka_log *log, int64_t timeout_ms, struct error *error);
/* The fault of the first that was rejected. Any thread. */
weir_status kafka_outcome_check(struct kafka_log *log, struct error *error);
/* The outcome of a message is that nobody waits for it any more. */
bool kafka_is_purged(rd_kafka_resp_err_t code);
/* Delivery reports end here. */
void kafka_delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self);

/* Why the library has given up the producer, as where a broker has lost what it knew of it; 0: it has not. */
rd_kafka_resp_err_t kafka_end_of(struct kafka_log *log, rd_kafka_t *producer);
/* The epoch under way can never be committed. Any thread. */
void kafka_doom(struct kafka_log *log, const struct error *why);
/* Why it cannot. Brokers that are away do not count: health.c judges them. Any thread. */
void kafka_note_loss(struct kafka_log *log, const struct error *why);

/* As in log.h. */
bool kafka_log_is_settled(struct log *log);

#endif
