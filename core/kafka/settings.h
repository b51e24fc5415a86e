/* SPDX-License-Identifier: MIT */
/*
 * What a pipeline file says about its Kafka cluster, as plain data: filled by the reader of the file
 * (pipeline/kafka.c), carried by the engine and the commands, used by who makes clients (conf.h).
 */
#ifndef KAFKA_SETTINGS_H
#define KAFKA_SETTINGS_H

#include <weir/option.h>

#include "base/document.h"

/* Which clients a property is for: bits. */
enum { KAFKA_FOR_CONSUMER = 1, KAFKA_FOR_PRODUCER = 2 };

/* A property of librdkafka by its own name. */
struct kafka_property {
    const char *name;
    const char *value;
    uint8_t clients; /* KAFKA_FOR_...: both bits for one that all clients share */
    bool is_secret;
    struct place place; /* of the value in the file */
};

/* Where a group without a position in a partition begins; indexes of the option's names. */
enum kafka_reset { KAFKA_RESET_EARLIEST, KAFKA_RESET_LATEST, KAFKA_RESET_ERROR };
/* What is done where the messages at a position have been removed by the broker. */
enum kafka_lost { KAFKA_LOST_FAIL, KAFKA_LOST_EARLIEST, KAFKA_LOST_LATEST };

/* A pair of a topic's `config:`, by the broker's own name, such as retention.ms. */
struct kafka_topic_config {
    const char *name;
    const char *value;
};

/* How a topic is made where it is missing. name: in the log; replication 0: as the brokers have it. */
struct kafka_topic_plan {
    const char *name;
    int32_t replication;
    const struct kafka_topic_config *config;
    size_t config_count;
};

/* The members behind `topic_count` are described by kafka_options. */
struct kafka_settings {
    const struct kafka_property *properties;
    size_t property_count;
    const struct kafka_topic_plan
        *topics; /* those of which the file says more than their partitions */
    size_t topic_count;
    int64_t auto_offset_reset;              /* enum kafka_reset */
    int64_t lost_offsets;                   /* enum kafka_lost */
    int64_t broker_availability_timeout_ms; /* 0: for ever */
    int64_t request_timeout_ms;
    int64_t topic_create_timeout_ms;
    uint8_t create_topics;
};

/* weir's own options under `kafka:`, beside librdkafka's properties; by the order of the members. */
extern const weir_option kafka_options[];

/* No properties and the defaults of kafka_options. */
void kafka_settings_init(struct kafka_settings *settings);
/* NULL: the file does not set it. */
const struct kafka_property *kafka_property_get(const struct kafka_settings *settings,
                                                const char *name);
/* NULL: the file says nothing of it. name: in the log */
const struct kafka_topic_plan *kafka_topic_plan_find(const struct kafka_settings *settings,
                                                     const char *name);

#endif
