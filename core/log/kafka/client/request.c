/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/request.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"

enum { TURN_MS = 500 };

struct kafka_request kafka_request_begin_at(rd_kafka_t *client, rd_kafka_admin_op_t op,
                                            int timeout_ms)
{
    struct kafka_request request = { rd_kafka_queue_new(client),
                                     rd_kafka_AdminOptions_new(client, op), timeout_ms };
    (void)rd_kafka_AdminOptions_set_request_timeout(request.options, timeout_ms, NULL, 0);
    return request;
}

struct kafka_request kafka_request_begin(struct kafka_log *log, rd_kafka_admin_op_t op)
{
    return kafka_request_begin_at(log->admin, op, kafka_timeout(log));
}

rd_kafka_event_t *kafka_request_next(struct kafka_log *log, struct kafka_request *request)
{
    int64_t end_ns = clock_monotonic_ns() + (request->timeout_ms + 1000) * INT64_C(1000000);
    rd_kafka_event_t *event;
    do {
        event = rd_kafka_queue_poll(request->queue, TURN_MS);
    } while (event == NULL && kafka_goes_on(log) && clock_monotonic_ns() < end_ns);
    return event;
}

void kafka_request_end(struct kafka_request *request)
{
    rd_kafka_AdminOptions_destroy(request->options);
    rd_kafka_queue_destroy(request->queue);
}

rd_kafka_event_t *kafka_request_answer(struct kafka_log *log, struct kafka_request *request)
{
    rd_kafka_event_t *event = kafka_request_next(log, request);
    kafka_request_end(request);
    return event;
}

/* The broker's sentences have one. */
static void drop_full_stop(char *text)
{
    size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '.') {
        text[len - 1] = '\0';
    }
}

weir_status kafka_request_judge_as(struct kafka_log *log, rd_kafka_resp_err_t code,
                                   const char *text, const char *doing, struct error *error)
{
    char room[REDACT_ROOM];
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return WEIR_OK;
    }
    weir_status st = kafka_error(error, code, "%s", doing);
    if (text != NULL && error != NULL) {
        const char *shown = kafka_hide(log->settings, text, room);
        snprintf(error->message, sizeof error->message, "could not %s: %.*s", doing,
                 (int)strcspn(shown, "\n"), shown);
        drop_full_stop(error->message);
    }
    return st;
}

weir_status kafka_request_judge(struct kafka_log *log, rd_kafka_resp_err_t code, const char *text,
                                const struct kafka_deed *deed, const char *name,
                                struct error *error)
{
    char doing[300];
    snprintf(doing, sizeof doing, "%s topic '%s'", deed->what, name);
    weir_status st = kafka_request_judge_as(log, code, text, doing, error);
    kafka_lack_if(log->settings, code, deed->right, KAFKA_TOPIC, name, error);
    return st;
}

weir_status kafka_request_unanswered(const char *what, const char *name, struct error *error)
{
    return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                     "could not %s topic '%s': Kafka does not answer", what, name);
}
