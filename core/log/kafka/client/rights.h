/* SPDX-License-Identifier: MIT */
/*
 * Rights that the brokers' administrator gives to users, in the words of Kafka: what is said where one is
 * missing.
 */
#ifndef LOG_KAFKA_RIGHTS_H
#define LOG_KAFKA_RIGHTS_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"
#include "kafka/settings.h"

/* What a right is on. */
enum kafka_resource { KAFKA_TOPIC, KAFKA_GROUP, KAFKA_TRANSACTIONAL_ID, KAFKA_CLUSTER };

enum { KAFKA_USER_ROOM = 300 };
/* "user 'alice'", or what else tells the brokers who this is. */
const char *kafka_user(const struct kafka_settings *settings, char room[KAFKA_USER_ROOM]);

/* The code says that a right on such a resource is missing. */
bool kafka_is_denied(rd_kafka_resp_err_t code, enum kafka_resource resource);
/* "user 'alice' lacks the right Read on topic 'orders'", with the order that gives it. */
weir_status kafka_lack(const struct kafka_settings *settings, const char *right,
                       enum kafka_resource resource, const char *name, struct error *error);
/* Of a group's transactions, whose ids begin with its name and differ from process to process. */
void kafka_lack_transactions(const struct kafka_settings *settings, const char *group,
                             const char *id, struct error *error);
/* kafka_lack in place of what `error` says, where the code says that this is what is missing. */
void kafka_lack_if(const struct kafka_settings *settings, rd_kafka_resp_err_t code,
                   const char *right, enum kafka_resource resource, const char *name,
                   struct error *error);

#endif
