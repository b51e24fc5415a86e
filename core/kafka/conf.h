/* SPDX-License-Identifier: MIT */
/*
 * Settings into a configuration of librdkafka.
 */
#ifndef KAFKA_CONF_H
#define KAFKA_CONF_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"
#include "base/redact.h"
#include "kafka/settings.h"

/* KAFKA_ADMIN: a producer that asks and creates, and produces nothing. */
enum kafka_role { KAFKA_CONSUMER, KAFKA_PRODUCER, KAFKA_ADMIN };

/* Something that the user's properties may replace. */
struct kafka_default {
    const char *name; /* NULL ends a list */
    const char *value;
};

/*
 * Makes a configuration for one client: the defaults, then the user's properties that are for this
 * role, then what weir's promises rest on (the owned properties in properties.h with a value: no
 * automatic commit, read_committed, an idempotent producer), then the brokers.
 *
 * brokers   "host:port,host:port", of kafka_brokers (address.h)
 * defaults  NULL: none
 *
 * group.id, transactional.id, partition.assignment.strategy, callbacks and whatever else depends on
 * the run is the caller's to set afterwards; the user cannot have set it. The caller owns *ret_conf.
 */
weir_status kafka_conf_make(const struct kafka_settings *settings, const char *brokers,
                            enum kafka_role role, const struct kafka_default *defaults,
                            rd_kafka_conf_t **ret_conf, struct error *error);

/*
 * The text, or where it has a secret of the settings its copy in `room` without it. For everything
 * that librdkafka says: its logs and errors are the broker's words too.
 */
const char *kafka_hide(const struct kafka_settings *settings, const char *text,
                       char room[REDACT_ROOM]);

#endif
