/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/outcomes.h"

#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

bool kafka_is_purged(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__PURGE_QUEUE || code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
}

rd_kafka_resp_err_t kafka_end_of(struct kafka_log *log, rd_kafka_t *producer)
{
    char text[256];
    rd_kafka_resp_err_t code = rd_kafka_fatal_error(producer, text, sizeof text);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        atomic_store(&log->is_broken, true);
    }
    return code;
}

/* Outside of a group nobody does an epoch again. */
static bool is_done_again(const struct kafka_log *log, const struct error *fault)
{
    return log->member != NULL &&
           (fault->error_class == WEIR_CLASS_NETWORK || fault->error_class == WEIR_CLASS_DATA);
}

void kafka_note_loss(struct kafka_log *log, const struct error *why)
{
    if (atomic_load(&log->away_ns) == 0) {
        kafka_refusals_note_loss(&log->refusals, why);
    }
}

/* The library's own codes tell of what is away or late, and not of what the broker has answered. */
static void spoil_epoch(struct kafka_log *log, const rd_kafka_message_t *message,
                        const struct error *fault)
{
    if (fault->error_class == WEIR_CLASS_DATA) {
        kafka_refusals_note(&log->refusals, message);
    } else if (message->err > RD_KAFKA_RESP_ERR__END) {
        kafka_refusals_note_passing(&log->refusals, message);
    } else {
        kafka_note_loss(log, fault);
    }
    atomic_store(&log->is_doomed, true);
}

void kafka_doom(struct kafka_log *log, const struct error *why)
{
    kafka_note_loss(log, why);
    atomic_store(&log->is_doomed, true);
}

/* Where the library has given up the producer, why it did counts, and not what that means for a message. */
static void note_fault(struct kafka_log *log, rd_kafka_t *producer,
                       const rd_kafka_message_t *message)
{
    struct kafka_deliveries *deliveries = &log->deliveries;
    struct error fault = { .status = WEIR_OK };
    rd_kafka_resp_err_t end = kafka_end_of(log, producer);
    kafka_refusals_tell(message, end != RD_KAFKA_RESP_ERR_NO_ERROR ? end : message->err, &fault);
    if (end != RD_KAFKA_RESP_ERR_NO_ERROR && fault.error_class == WEIR_CLASS_NETWORK) {
        kafka_doom(log, &fault);
        return;
    }
    if (end == RD_KAFKA_RESP_ERR_NO_ERROR && is_done_again(log, &fault)) {
        spoil_epoch(log, message, &fault);
        return;
    }
    pthread_mutex_lock(&deliveries->lock);
    if (deliveries->fault.status == WEIR_OK) {
        deliveries->fault = fault;
    }
    pthread_mutex_unlock(&deliveries->lock);
}

void kafka_delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self)
{
    struct kafka_log *log = self;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR && !kafka_is_purged(message->err)) {
        note_fault(log, rk, message);
    }
    struct kafka_partition *part = message->_private;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR &&
        message->offset >= atomic_load_explicit(&part->produced, memory_order_relaxed)) {
        atomic_store_explicit(&part->produced, message->offset + 1, memory_order_relaxed);
    }
    atomic_fetch_sub(&part->outstanding, 1); /* whoever sees it sees the offset too */
    atomic_fetch_add_explicit(&log->deliveries.done, 1, memory_order_relaxed);
}

static bool has_outstanding(const struct kafka_log *log)
{
    return atomic_load(&log->deliveries.done) != atomic_load(&log->deliveries.handed);
}

bool kafka_log_is_settled(struct log *face)
{
    struct kafka_log *log = kafka_of(face);
    if (log->producer != NULL) {
        (void)rd_kafka_poll(log->producer, 0);
    }
    return !has_outstanding(log) && !atomic_load(&log->is_doomed);
}

weir_status kafka_outcome_check(struct kafka_log *log, struct error *error)
{
    struct kafka_deliveries *deliveries = &log->deliveries;
    pthread_mutex_lock(&deliveries->lock);
    weir_status st = deliveries->fault.status;
    if (st != WEIR_OK && error != NULL) {
        *error = deliveries->fault;
    }
    pthread_mutex_unlock(&deliveries->lock);
    return st;
}

weir_status kafka_flush(struct kafka_log *log, int64_t timeout_ms, struct error *error)
{
    if (log->producer == NULL) {
        return WEIR_OK;
    }
    (void)rd_kafka_flush(log->producer, (int)timeout_ms);
    weir_status st = kafka_outcome_check(log, error);
    if (st != WEIR_OK || !has_outstanding(log)) {
        return st;
    }
    uint64_t left = atomic_load(&log->deliveries.handed) - atomic_load(&log->deliveries.done);
    st = error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                   "Kafka has not taken %llu messages yet", (unsigned long long)left);
    if (error != NULL) {
        error->is_retriable = true;
    }
    return st;
}
