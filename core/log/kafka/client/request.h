/* SPDX-License-Identifier: MIT */
/*
 * Requests of the library's interface for administration: each goes out, and its answer comes to a queue
 * of its own.
 *
 *     struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_...);
 *     rd_kafka_...(log->admin, ..., request.options, request.queue);
 *     rd_kafka_event_t *event = kafka_request_answer(log, &request);
 */
#ifndef LOG_KAFKA_REQUEST_H
#define LOG_KAFKA_REQUEST_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_log;

struct kafka_request {
    rd_kafka_queue_t *queue;
    rd_kafka_AdminOptions_t *options;
    int timeout_ms;
};

struct kafka_request kafka_request_begin(struct kafka_log *log, rd_kafka_admin_op_t op);
/* The same by another client, of which the brokers' answers are waited for so long. */
struct kafka_request kafka_request_begin_at(rd_kafka_t *client, rd_kafka_admin_op_t op,
                                            int timeout_ms);
/* One more answer, where several requests were sent. NULL: none in time. */
rd_kafka_event_t *kafka_request_next(struct kafka_log *log, struct kafka_request *request);
void kafka_request_end(struct kafka_request *request);
/* The only answer, and the request's end. NULL: none in time. */
rd_kafka_event_t *kafka_request_answer(struct kafka_log *log, struct kafka_request *request);

/* "could not DOING: REASON", where the code is one of a fault. text: the reason; or NULL */
weir_status kafka_request_judge_as(struct kafka_log *log, rd_kafka_resp_err_t code,
                                   const char *text, const char *doing, struct error *error);
/* What is asked of a topic: a verb, and the right that it takes. */
struct kafka_deed {
    const char *what;
    const char *right;
};
/* "could not WHAT topic 'NAME': REASON", the same way; or that the right is missing */
weir_status kafka_request_judge(struct kafka_log *log, rd_kafka_resp_err_t code, const char *text,
                                const struct kafka_deed *deed, const char *name,
                                struct error *error);
weir_status kafka_request_unanswered(const char *what, const char *name, struct error *error);

#endif
