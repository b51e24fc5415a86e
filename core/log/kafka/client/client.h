/* SPDX-License-Identifier: MIT */
/*
 * Making clients, and what they say: their log goes into weir's, without secrets; what their codes mean as
 * errors.
 */
#ifndef LOG_KAFKA_CLIENT_H
#define LOG_KAFKA_CLIENT_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_log;

/* A client from a configuration, which it takes over in any case; NULL: `error` says why. */
rd_kafka_t *kafka_client(struct kafka_log *log, rd_kafka_type_t type, rd_kafka_conf_t *conf,
                         struct error *error);
/* One that asks and changes, and neither reads nor writes. */
weir_status kafka_client_admin(struct kafka_log *log, rd_kafka_t **ret_client, struct error *error);
/* "could not WHAT: REASON" with the reason and the class of a code. Returns the error's status. */
weir_status kafka_error(struct error *error, rd_kafka_resp_err_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds what whoever uses a topic is to know where it is gone. Returns status. */
weir_status kafka_error_if_gone(struct error *error, weir_status status);

#endif
