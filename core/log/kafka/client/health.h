/* SPDX-License-Identifier: MIT */
/*
 * Whether the brokers are there. The library tries for ever and tells what it meets; so from time to time
 * they are asked, and when none has answered for as long as the file allows, the run is to end.
 */
#ifndef LOG_KAFKA_HEALTH_H
#define LOG_KAFKA_HEALTH_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_log;

/* Looks whether the brokers answer, where one has been told to be away; by the member's poller. */
void kafka_health_look(struct kafka_log *log, rd_kafka_t *client);
/* WEIR_E_TIMEOUT, with asks_restart: they have been away for too long. Any thread. */
weir_status kafka_health_check(struct kafka_log *log, struct error *error);

#endif
