/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "base/logger.h"
#include "log/kafka/kafka_log.h"

/*
 * The library tells every try of every connection as an error. What comes of it is told by whoever waits
 * for the broker, in words of their own; so these lines are for those who ask for them by `debug`.
 */
static void take_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    const struct kafka_log *log = rd_kafka_opaque(rk);
    char room[REDACT_ROOM];
    bool is_wanted = kafka_property_get(log->settings, "debug") != NULL;
    bool is_quiet = level != LOG_NOTICE && !is_wanted;
    logger_write(is_quiet ? LOGGER_DEBUG : LOGGER_INFO, "kafka", "%s: %s", facility,
                 kafka_hide(log->settings, text, room));
}

static void take_error(rd_kafka_t *rk, int code, const char *reason, void *opaque)
{
    (void)rk;
    struct kafka_log *log = opaque;
    char room[REDACT_ROOM];
    const char *text = kafka_hide(log->settings, reason, room);
    logger_write(LOGGER_DEBUG, "kafka", "%s", text);
    kafka_trouble_note(&log->trouble, (rd_kafka_resp_err_t)code, text);
}

/* Changes nothing: the library does not tell why it refuses a certificate. */
static int take_certificate(rd_kafka_t *rk, const char *broker, int32_t broker_id, int *x509_error,
                            int depth, const char *bytes, size_t size, char *text, size_t text_size,
                            void *opaque)
{
    (void)rk, (void)broker, (void)broker_id, (void)depth, (void)bytes, (void)size;
    struct kafka_log *log = opaque;
    if (*x509_error == 0) {
        return 1;
    }
    kafka_trouble_note_certificate(&log->trouble, *x509_error);
    snprintf(text, text_size, "error %d", *x509_error);
    return 0;
}

rd_kafka_t *kafka_client(struct kafka_log *log, rd_kafka_type_t type, rd_kafka_conf_t *conf,
                         struct error *error)
{
    char text[512] = "";
    char room[REDACT_ROOM];
    rd_kafka_conf_set_opaque(conf, log);
    rd_kafka_conf_set_log_cb(conf, take_log);
    rd_kafka_conf_set_error_cb(conf, take_error);
    (void)rd_kafka_conf_set_ssl_cert_verify_cb(conf, take_certificate);
    rd_kafka_t *rk = rd_kafka_new(type, conf, text, sizeof text);
    if (rk == NULL) {
        rd_kafka_conf_destroy(conf);
        error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "could not make a client of Kafka: %s",
                  kafka_hide(log->settings, text, room));
    }
    return rk;
}

weir_status kafka_client_admin(struct kafka_log *log, rd_kafka_t **ret_client, struct error *error)
{
    rd_kafka_conf_t *conf = NULL;
    weir_status st = kafka_conf_make(log->settings, log->brokers, KAFKA_ADMIN, NULL, &conf, error);
    if (st != WEIR_OK) {
        return st;
    }
    *ret_client = kafka_client(log, RD_KAFKA_PRODUCER, conf, error);
    return *ret_client == NULL ? WEIR_E_INVALID : WEIR_OK;
}

static uint32_t class_of(rd_kafka_resp_err_t code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
        return WEIR_CLASS_AUTH;
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        return WEIR_CLASS_NOT_FOUND;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
        return WEIR_CLASS_DATA;
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
    case RD_KAFKA_RESP_ERR_INVALID_PARTITIONS:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
        return WEIR_CLASS_CONFIG;
    default:
        return WEIR_CLASS_NETWORK;
    }
}

weir_status kafka_error(struct error *error, rd_kafka_resp_err_t code, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    uint32_t error_class = class_of(code);
    bool is_timeout =
        code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE;
    weir_status status = is_timeout                            ? WEIR_E_TIMEOUT
                         : error_class == WEIR_CLASS_NOT_FOUND ? WEIR_E_NOT_FOUND
                         : error_class == WEIR_CLASS_DATA      ? WEIR_E_DATA
                                                               : WEIR_E_IO;
    error_set(error, status, error_class, "could not %s: %s", what, rd_kafka_err2str(code));
    if (error_class == WEIR_CLASS_AUTH) {
        error_hint(error, "the user that stands under 'kafka' needs the right to do so; ask who "
                          "administers the brokers");
    }
    return status;
}

weir_status kafka_error_if_gone(struct error *error, weir_status status)
{
    if (error->error_class == WEIR_CLASS_NOT_FOUND) {
        error_hint(error, "the topic was there at the start; who has removed it?");
    }
    return status;
}
