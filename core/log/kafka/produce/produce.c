/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/produce.h"

#include "log/kafka/client/client.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/topics.h"

enum { WAIT_MS = 50, MOST_FIELDS = 8 };

static weir_status open_handle(struct kafka_log *log, struct kafka_topic *topic,
                               struct error *error)
{
    weir_status st = WEIR_OK;
    pthread_mutex_lock(&log->lock);
    if (log->producer == NULL) {
        st = kafka_producer_open(log, NULL, error);
    }
    if (st == WEIR_OK && topic->handle == NULL) {
        topic->handle = rd_kafka_topic_new(log->producer, topic->face.name, NULL);
        st = topic->handle == NULL ? error_no_memory(error) : WEIR_OK;
    }
    pthread_mutex_unlock(&log->lock);
    return st;
}

/* NULL: no memory. */
static rd_kafka_headers_t *make_headers(const struct log_message *message)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(message->header_count);
    for (uint32_t i = 0; headers != NULL && i < message->header_count; i++) {
        const struct log_header *header = &message->headers[i];
        bool is_null = header->value.size == LOG_ABSENT;
        if (rd_kafka_header_add(headers, header->name, (ssize_t)header->name_len,
                                is_null ? NULL : header->value.data,
                                is_null ? 0 : (ssize_t)header->value.size) !=
            RD_KAFKA_RESP_ERR_NO_ERROR) {
            rd_kafka_headers_destroy(headers);
            headers = NULL;
        }
    }
    return headers;
}

static void set_bytes(rd_kafka_vu_t *field, rd_kafka_vtype_t type, weir_slice bytes)
{
    /* An empty value is one, and no null, as long as its address is not. */
    static const uint8_t nothing[1] = { 0 };
    bool is_null = bytes.size == LOG_ABSENT;
    const void *data = is_null ? NULL : bytes.size == 0 ? nothing : bytes.data;
    field->vtype = type;
    field->u.mem.ptr = (void *)(uintptr_t)data;
    field->u.mem.size = is_null ? 0 : (size_t)bytes.size;
}

/* The library takes 0 for none and puts the time of now, which is half a century off: so it is a moment later. */
static int64_t time_of(const struct log_message *message)
{
    return message->timestamp == 0 ? 1 : message->timestamp;
}

/* Headers are taken over where it succeeds. */
static rd_kafka_resp_err_t hand_over(struct kafka_log *log, struct kafka_partition *part,
                                     const struct log_message *message, rd_kafka_headers_t *headers)
{
    rd_kafka_vu_t fields[MOST_FIELDS];
    size_t count = 0;
    fields[count].vtype = RD_KAFKA_VTYPE_RKT;
    fields[count++].u.rkt = part->topic->handle;
    fields[count].vtype = RD_KAFKA_VTYPE_PARTITION;
    fields[count++].u.i32 = (int32_t)part->number;
    fields[count].vtype = RD_KAFKA_VTYPE_OPAQUE;
    fields[count++].u.ptr = part;
    fields[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
    fields[count++].u.i = RD_KAFKA_MSG_F_COPY;
    fields[count].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
    fields[count++].u.i64 = time_of(message);
    set_bytes(&fields[count++], RD_KAFKA_VTYPE_KEY, message->key);
    set_bytes(&fields[count++], RD_KAFKA_VTYPE_VALUE, message->value);
    if (headers != NULL) {
        fields[count].vtype = RD_KAFKA_VTYPE_HEADERS;
        fields[count++].u.headers = headers;
    }
    rd_kafka_error_t *error = rd_kafka_produceva(log->producer, fields, count);
    rd_kafka_resp_err_t code =
        error == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    return code;
}

/* The epoch is dropped whatever is done for it. Brokers that are away for longer than a session give the partitions
 * to others. */
static bool is_in_vain(const struct kafka_log *log)
{
    return atomic_load(&log->is_doomed) || atomic_load(&log->losses) > 0;
}

/* Room comes with delivery reports, so they are served while it waits for room. */
static rd_kafka_resp_err_t hand_over_waiting(struct kafka_log *log, struct kafka_partition *part,
                                             const struct log_message *message,
                                             rd_kafka_headers_t *headers)
{
    rd_kafka_resp_err_t code = hand_over(log, part, message, headers);
    while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && kafka_goes_on(log) && !is_in_vain(log)) {
        (void)rd_kafka_poll(log->producer, WAIT_MS);
        code = hand_over(log, part, message, headers);
    }
    return code;
}

static weir_status append_one(struct kafka_log *log, struct kafka_topic *topic, uint32_t partition,
                              const struct log_message *message, struct error *error)
{
    rd_kafka_headers_t *headers = NULL;
    if (message->header_count > 0) {
        headers = make_headers(message);
        if (headers == NULL) {
            return error_no_memory(error);
        }
    }
    struct kafka_partition *part = &topic->parts[partition];
    atomic_fetch_add_explicit(&log->deliveries.handed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&part->outstanding, 1, memory_order_relaxed);
    rd_kafka_resp_err_t code = hand_over_waiting(log, part, message, headers);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return WEIR_OK;
    }
    atomic_fetch_sub_explicit(&log->deliveries.handed, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&part->outstanding, 1, memory_order_relaxed);
    if (headers != NULL) {
        rd_kafka_headers_destroy(headers);
    }
    weir_status st =
        kafka_error(error, code, "produce to topic '%s' partition %u", topic->face.name, partition);
    return code == RD_KAFKA_RESP_ERR__QUEUE_FULL && is_in_vain(log)
               ? WEIR_AGAIN
               : kafka_error_if_gone(error, st);
}

/* Until everything has an outcome, or the epoch is spoiled anyway. */
static weir_status wait_for_outcomes(struct kafka_log *log, struct error *error)
{
    weir_status st = WEIR_E_TIMEOUT;
    while (st == WEIR_E_TIMEOUT && !is_in_vain(log) && kafka_goes_on(log)) {
        st = kafka_flush(log, WAIT_MS, error);
    }
    if (st == WEIR_E_TIMEOUT) {
        error->is_retriable = false;
        st = WEIR_OK;
    }
    return st;
}

/* Suspects go in parts of their own: nothing else is with them in a batch. */
static weir_status keep_apart(struct kafka_log *log, const struct kafka_topic *topic,
                              uint32_t partition, const struct log_message *message,
                              struct error *error)
{
    struct kafka_suspect suspect;
    weir_status st = WEIR_OK;
    if (kafka_refusals_part(&log->refusals, &topic->face, partition, message, &suspect)) {
        st = wait_for_outcomes(log, error);
    }
    if (st == WEIR_OK && !atomic_load(&log->is_doomed)) {
        kafka_refusals_enter(&log->refusals, &suspect);
    }
    return st;
}

/*
 * The library refuses everything from the moment on where the epoch cannot be finished: WEIR_AGAIN. What is
 * wrong with the topic or the message it tells itself, and the transaction knows nothing of it.
 */
static weir_status judge_refusal(struct kafka_log *log, weir_status st, struct error *error)
{
    rd_kafka_resp_err_t end = kafka_end_of(log, log->producer);
    if (end != RD_KAFKA_RESP_ERR_NO_ERROR) {
        st = kafka_error(error, end, "produce");
        return error->error_class == WEIR_CLASS_NETWORK ? WEIR_AGAIN : st;
    }
    bool is_own = !log->is_transactional || error->error_class != WEIR_CLASS_NETWORK;
    return is_own ? st : kafka_transaction_refusal(log, error);
}

/* What is produced in an epoch that is doomed would be dropped with it. */
static weir_status append_all(struct kafka_log *log, struct kafka_topic *topic, uint32_t partition,
                              const struct log_message *messages, uint32_t count,
                              struct error *error)
{
    weir_status st = kafka_transaction_begin(log, error);
    for (uint32_t i = 0; st == WEIR_OK && i < count; i++) {
        if (atomic_load(&log->refusals.has_any)) {
            st = keep_apart(log, topic, partition, &messages[i], error);
        }
        if (st == WEIR_OK && !atomic_load(&log->is_doomed)) {
            st = append_one(log, topic, partition, &messages[i], error);
        }
    }
    if (st != WEIR_OK && st != WEIR_AGAIN) {
        st = judge_refusal(log, st, error);
    }
    if (st == WEIR_AGAIN) {
        kafka_doom(log, error);
        return WEIR_OK;
    }
    return st;
}

weir_status kafka_log_append(struct log_topic *face, uint32_t partition,
                             const struct log_message *messages, uint32_t count,
                             struct error *error)
{
    struct kafka_topic *topic = kafka_topic_of(face);
    struct kafka_log *log = kafka_of(face->log);
    weir_status st = open_handle(log, topic, error);
    if (st == WEIR_OK) {
        st = kafka_outcome_check(log, error);
    }
    if (st == WEIR_OK && !atomic_load(&log->is_doomed)) {
        st = append_all(log, topic, partition, messages, count, error);
    }
    if (log->producer != NULL) {
        (void)rd_kafka_poll(log->producer, 0);
    }
    if (topic->parts[partition].is_assigned) {
        kafka_wake(log, &topic->parts[partition]); /* its reader is not at the end any more */
    }
    return st;
}

const char *kafka_log_refusal(struct log_topic *face, uint32_t partition,
                              const struct log_message *message)
{
    return kafka_refusals_find(&kafka_of(face->log)->refusals, face, partition, message);
}
