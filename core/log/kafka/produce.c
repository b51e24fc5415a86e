/* SPDX-License-Identifier: MIT */
/*
 * Producing: messages go into the library's queue, and their outcomes come back in delivery reports. What
 * is only delayed stays in the queue for as long as it takes; what the broker refuses is kept as the fault
 * that the next commit tells.
 */
#include <string.h>

#include "base/clock.h"
#include "log/kafka/kafka_log.h"

enum { WAIT_MS = 50, MOST_FIELDS = 7 };

/* ---- outcomes ------------------------------------------------------------------------------------ */

static bool is_purged(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__PURGE_QUEUE || code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
}

static void note_fault(struct kafka_deliveries *deliveries, const rd_kafka_message_t *message)
{
    pthread_mutex_lock(&deliveries->lock);
    if (deliveries->fault.status == WEIR_OK) {
        kafka_error(&deliveries->fault, message->err,
                    "deliver a message of %zu bytes to topic '%s' partition %d", message->len,
                    message->rkt == NULL ? "" : rd_kafka_topic_name(message->rkt),
                    (int)message->partition);
    }
    pthread_mutex_unlock(&deliveries->lock);
}

void kafka_delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self)
{
    struct kafka_log *log = self;
    (void)rk;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR && !is_purged(message->err)) {
        note_fault(&log->deliveries, message);
    }
    atomic_fetch_add_explicit(&log->deliveries.done, 1, memory_order_relaxed);
}

static bool has_outstanding(const struct kafka_log *log)
{
    return atomic_load(&log->deliveries.done) != atomic_load(&log->deliveries.handed);
}

static weir_status take_fault(struct kafka_log *log, struct error *error)
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
    (void)rd_kafka_flush(log->producer, (int)timeout_ms);
    weir_status st = take_fault(log, error);
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

/* ---- handing over -------------------------------------------------------------------------------- */

static rd_kafka_topic_t *handle_of(struct kafka_log *log, struct kafka_topic *topic)
{
    pthread_mutex_lock(&log->lock);
    if (topic->handle == NULL) {
        topic->handle = rd_kafka_topic_new(log->producer, topic->face.name, NULL);
    }
    pthread_mutex_unlock(&log->lock);
    return topic->handle;
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

/* Headers are taken over where it succeeds. */
static rd_kafka_resp_err_t hand_over(struct kafka_log *log, rd_kafka_topic_t *handle,
                                     uint32_t partition, const struct log_message *message,
                                     rd_kafka_headers_t *headers)
{
    rd_kafka_vu_t fields[MOST_FIELDS];
    size_t count = 0;
    fields[count].vtype = RD_KAFKA_VTYPE_RKT;
    fields[count++].u.rkt = handle;
    fields[count].vtype = RD_KAFKA_VTYPE_PARTITION;
    fields[count++].u.i32 = (int32_t)partition;
    fields[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
    fields[count++].u.i = RD_KAFKA_MSG_F_COPY;
    fields[count].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
    fields[count++].u.i64 = message->timestamp;
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

/* Room comes with delivery reports, so they are served while it waits for room. */
static rd_kafka_resp_err_t hand_over_waiting(struct kafka_log *log, rd_kafka_topic_t *handle,
                                             uint32_t partition, const struct log_message *message,
                                             rd_kafka_headers_t *headers)
{
    rd_kafka_resp_err_t code = hand_over(log, handle, partition, message, headers);
    while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && kafka_goes_on(log)) {
        (void)rd_kafka_poll(log->producer, WAIT_MS);
        code = hand_over(log, handle, partition, message, headers);
    }
    return code;
}

static weir_status append_one(struct kafka_log *log, rd_kafka_topic_t *handle, uint32_t partition,
                              const struct log_message *message, struct error *error)
{
    rd_kafka_headers_t *headers = NULL;
    if (message->header_count > 0) {
        headers = make_headers(message);
        if (headers == NULL) {
            return error_no_memory(error);
        }
    }
    rd_kafka_resp_err_t code = hand_over_waiting(log, handle, partition, message, headers);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        atomic_fetch_add_explicit(&log->deliveries.handed, 1, memory_order_relaxed);
        return WEIR_OK;
    }
    if (headers != NULL) {
        rd_kafka_headers_destroy(headers);
    }
    return kafka_error(error, code, "produce to topic '%s' partition %u",
                       rd_kafka_topic_name(handle), partition);
}

weir_status kafka_log_append(struct log_topic *face, uint32_t partition,
                             const struct log_message *messages, uint32_t count,
                             struct error *error)
{
    struct kafka_topic *topic = kafka_topic_of(face);
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_topic_t *handle = handle_of(log, topic);
    if (handle == NULL) {
        return error_no_memory(error);
    }
    weir_status st = take_fault(log, error);
    for (uint32_t i = 0; st == WEIR_OK && i < count; i++) {
        st = append_one(log, handle, partition, &messages[i], error);
    }
    (void)rd_kafka_poll(log->producer, 0);
    return st;
}
