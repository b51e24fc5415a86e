/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/producer.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/logger.h"
#include "log/kafka/client/client.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/topics.h"

enum { FLUSH_MS = 1000, BATCH_BYTES = 1000000 /* as the library has it */ };

/* The broker judges a batch as a whole, so none may be larger than the strictest topic takes. */
static uint64_t batch_bytes(struct kafka_log *log)
{
    uint64_t bytes = BATCH_BYTES;
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        uint64_t limit = atomic_load(&topic->limit);
        bytes = limit > 0 && limit < bytes ? limit : bytes;
    }
    return bytes;
}

static void drop_handles(struct kafka_log *log)
{
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        if (topic->handle != NULL) {
            rd_kafka_topic_destroy(topic->handle);
            topic->handle = NULL;
        }
    }
}

/* Nobody will be told any more what became of them. */
static void forget_outstanding(struct kafka_log *log)
{
    atomic_store(&log->deliveries.done, atomic_load(&log->deliveries.handed));
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            atomic_store(&topic->parts[i].outstanding, 0);
        }
    }
}

static void destroy(struct kafka_log *log, int patience_ms)
{
    if (log->producer == NULL) {
        return;
    }
    (void)rd_kafka_flush(log->producer, patience_ms);
    (void)rd_kafka_purge(log->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    (void)rd_kafka_poll(log->producer, 0);
    drop_handles(log);
    rd_kafka_destroy(log->producer);
    log->producer = NULL;
    forget_outstanding(log);
}

static weir_status make(struct kafka_log *log, struct error *error)
{
    char batch[24];
    const struct kafka_default defaults[] = {
        { "queue.buffering.max.messages", "30000" },
        { "queue.buffering.max.kbytes", "65536" },
        { "message.max.bytes", "1000000000" }, /* the topic's own limit decides */
        { "batch.size", batch },
        /* What is delayed is delivered when it can be; a transaction has a limit of its own. */
        { log->is_transactional ? NULL : "message.timeout.ms", "0" },
        { NULL, NULL },
    };
    snprintf(batch, sizeof batch, "%" PRIu64, batch_bytes(log));
    rd_kafka_conf_t *conf = NULL;
    weir_status st =
        kafka_conf_make(log->settings, log->brokers, KAFKA_PRODUCER, defaults, &conf, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (log->is_transactional) {
        (void)rd_kafka_conf_set(conf, "transactional.id", log->transaction_name, NULL, 0);
    }
    rd_kafka_conf_set_dr_msg_cb(conf, kafka_delivered);
    log->producer = kafka_client(log, RD_KAFKA_PRODUCER, conf, error);
    if (log->producer == NULL) {
        return WEIR_E_INVALID;
    }
    return log->is_transactional ? kafka_transactions_init(log, error) : WEIR_OK;
}

weir_status kafka_producer_open(struct kafka_log *log, const char *transactions,
                                struct error *error)
{
    destroy(log, FLUSH_MS); /* what was produced before, outside of transactions */
    log->is_transactional = transactions != NULL;
    log->transaction_name = transactions;
    return make(log, error);
}

void kafka_producer_close(struct kafka_log *log)
{
    destroy(log, log->is_transactional ? 0 : FLUSH_MS);
    if (log->slot_fd >= 0) {
        close(log->slot_fd);
        log->slot_fd = -1;
    }
}

/* Not the first time, which may as well have been a transaction that the broker has given up. */
static bool is_name_taken(struct kafka_log *log)
{
    char text[256];
    bool is_fenced =
        log->producer != NULL && log->is_transactional &&
        rd_kafka_fatal_error(log->producer, text, sizeof text) == RD_KAFKA_RESP_ERR__FENCED;
    log->fences += is_fenced ? 1 : 0;
    return is_fenced && log->fences > 1;
}

weir_status kafka_producer_renew(struct kafka_log *log, struct error *error)
{
    logger_write(LOGGER_WARNING, "kafka", "the producer is made anew");
    if (is_name_taken(log) && !kafka_transaction_rename(log)) {
        return error_no_memory(error);
    }
    destroy(log, 0);
    atomic_store(&log->is_broken, false);
    return make(log, error);
}
