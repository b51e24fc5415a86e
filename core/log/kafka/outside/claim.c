/* SPDX-License-Identifier: MIT */
#include "log/kafka/outside/claim.h"

#include <string.h>

#include <librdkafka/rdkafka.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "log/kafka/consume/newest.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/produce.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/admin.h"
#include "log/kafka/topics/topics.h"

enum { TURN_MS = 200, ABORT_MS = 5000 };
/* Of a fact, which is one message. */
#define FACT_LIMIT      (UINT64_C(64) << 20)
#define FACT_LIMIT_TEXT "67108864"

/* ---- claiming ------------------------------------------------------------------------------------ */

static weir_status make_topic(struct kafka_log *log, struct error *error)
{
    static const struct kafka_topic_config config[] = { { "cleanup.policy", "compact" },
                                                        { "max.message.bytes", FACT_LIMIT_TEXT } };
    static const struct kafka_topic_plan plan = { .config = config, .config_count = 2 };
    return log->claim.topic != NULL
               ? WEIR_OK
               : kafka_topic_make(log, log->claim.name, 1, &plan, &log->claim.topic, error);
}

weir_status kafka_log_claim(struct log *face, const char *name, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    log->claim = (struct kafka_claim){ .name = arena_copy(&log->arena, name, strlen(name)),
                                       .topic = kafka_topic_find(log, name) };
    if (log->claim.name == NULL) {
        return error_no_memory(error);
    }
    if (log->mode == LOG_READ) {
        return WEIR_OK;
    }
    weir_status st = make_topic(log, error);
    return st == WEIR_OK ? kafka_producer_open(log, log->claim.name, error) : st;
}

/* A producer that is broken has been taken over, and another one would take the name back. */
void kafka_claim_end(struct kafka_log *log)
{
    if (log->claim.name != NULL && log->is_in_transaction && !atomic_load(&log->is_broken)) {
        rd_kafka_error_destroy(rd_kafka_abort_transaction(log->producer, ABORT_MS));
        log->is_in_transaction = false;
    }
}

/* ---- facts --------------------------------------------------------------------------------------- */

weir_status kafka_claim_fact(struct kafka_log *log, const char *key, struct arena *arena,
                             weir_slice *ret_value, struct error *error)
{
    weir_buffer value;
    *ret_value = (weir_slice){ NULL, LOG_ABSENT };
    if (log->claim.topic == NULL) {
        return WEIR_OK;
    }
    buffer_init(&value, FACT_LIMIT);
    weir_status st = kafka_newest(log, log->claim.topic, key, &value, error);
    if (st == WEIR_OK) {
        const char *text = arena_copy(arena, value.data, (size_t)value.size);
        *ret_value = (weir_slice){ (const uint8_t *)text, value.size };
        st = text == NULL ? error_no_memory(error) : WEIR_OK;
    }
    buffer_deinit(&value);
    return st == WEIR_E_NOT_FOUND ? WEIR_OK : st;
}

static weir_status write_facts(struct kafka_log *log, const struct log_epoch *epoch,
                               struct error *error)
{
    weir_status st = WEIR_OK;
    for (size_t i = 0; st == WEIR_OK && i < epoch->fact_count; i++) {
        const struct log_fact *fact = &epoch->facts[i];
        struct log_message message = { .timestamp = clock_wall_ms(),
                                       .key = { (const uint8_t *)fact->key, strlen(fact->key) },
                                       .value = fact->value };
        st = kafka_log_append(&log->claim.topic->face, 0, &message, 1, error);
    }
    return st;
}

/* ---- committing ---------------------------------------------------------------------------------- */

static bool is_fenced(const struct kafka_log *log)
{
    char text[256];
    return rd_kafka_fatal_error(log->producer, text, sizeof text) == RD_KAFKA_RESP_ERR__FENCED;
}

/* A message that was refused tells more than the transaction that it has spoiled, and may tell it later. */
static weir_status tell_lost(struct kafka_log *log, struct error *error)
{
    struct error refused = { .status = WEIR_OK };
    weir_status st = kafka_flush(log, TURN_MS, &refused);
    if (st != WEIR_OK && !refused.is_retriable) {
        *error = refused;
        return st;
    }
    if (!is_fenced(log) && error->message[0] != '\0') {
        return error->status;
    }
    error_set(error, WEIR_E_IO, WEIR_CLASS_NETWORK,
              "what was done last is dropped: another process has begun to work on '%s', or the "
              "brokers have given up its transaction",
              log->claim.name);
    error_hint(error, "when no other process is at it, the same command goes on where the last "
                      "commit was");
    return WEIR_E_IO;
}

weir_status kafka_claim_commit(struct kafka_log *log, const struct log_epoch *epoch,
                               struct error *error)
{
    struct kafka_claim *claim = &log->claim;
    weir_status st = claim->is_written ? WEIR_OK : write_facts(log, epoch, error);
    if (st == WEIR_OK) {
        claim->is_written = true;
        st = kafka_flush(log, TURN_MS, error);
    }
    /* Messages also wait in a transaction that has failed, which only its next step tells. */
    if (st == WEIR_OK || error->is_retriable) {
        *error = (struct error){ .status = WEIR_OK };
        st = atomic_load(&log->is_doomed) ? WEIR_AGAIN : kafka_transaction_commit(log, error);
    }
    if (st == WEIR_OK) {
        claim->is_written = false;
    }
    return st == WEIR_AGAIN ? tell_lost(log, error) : st;
}
