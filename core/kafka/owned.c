/* SPDX-License-Identifier: MIT */
/*
 * What weir sets itself, since its promises rest on it or because it has an own word for it.
 */
#include <string.h>

#include "kafka/properties.h"

#define BROKERS "write the brokers in 'log: kafka://HOST:PORT,HOST:PORT'"
#define COMMITS                                                                                    \
 "positions are committed with each checkpoint, so write 'checkpoint: {interval: ...}'"
#define POSITIONS  "positions are kept in the group on the brokers, so remove it"
#define ASSIGNMENT "partitions of equal number must stay together, so remove it"
#define DELIVERIES "every delivery is watched, so remove it"

const struct kafka_owned kafka_owned_properties[] = {
    { "bootstrap.servers", NULL, NULL, BROKERS },
    { "metadata.broker.list", NULL, NULL, BROKERS },
    { "group.id", NULL, NULL, "the group is the pipeline's name, so write 'pipeline: NAME'" },
    { "group.protocol", NULL, NULL, ASSIGNMENT },
    { "group.protocol.type", NULL, NULL, ASSIGNMENT },
    { "group.remote.assignor", NULL, NULL, ASSIGNMENT },
    { "partition.assignment.strategy", NULL, NULL, ASSIGNMENT },
    { "enable.auto.commit", "false", NULL, COMMITS },
    { "auto.commit.enable", NULL, NULL, COMMITS },
    { "auto.commit.interval.ms", NULL, NULL, COMMITS },
    { "enable.auto.offset.store", "false", NULL, COMMITS },
    { "offset.store.method", NULL, NULL, POSITIONS },
    { "offset.store.path", NULL, NULL, POSITIONS },
    { "offset.store.sync.interval.ms", NULL, NULL, POSITIONS },
    { "auto.offset.reset", NULL, NULL,
      "write 'auto_offset_reset: earliest', and 'lost_offsets' for messages that are gone" },
    { "isolation.level", "read_committed", NULL, "only what is committed is read, so remove it" },
    { "enable.partition.eof", NULL, NULL,
      "the ends of partitions are watched anyway, so remove it" },
    { "consume.callback.max.messages", NULL, NULL, "it is for callbacks, so remove it" },
    { "transactional.id", NULL, NULL,
      "transactions are named after the pipeline, so write 'guarantee: exactly-once'" },
    { "enable.idempotence", NULL, "true", "producers are always idempotent, so remove it" },
    { "delivery.report.only.error", NULL, "false", DELIVERIES },
    { "produce.offset.report", NULL, NULL, DELIVERIES },
    { "partitioner", NULL, NULL, "write 'partitioner' at the topic that it is for" },
    { "allow.auto.create.topics", NULL, NULL,
      "topics are created with the partitions that the file gives them, or not at all with "
      "'create_topics: false'" },
    { "enabled_events", NULL, NULL, "it is for programs, so remove it" },
    { "log.queue", NULL, NULL, "the library's log goes into weir's, so remove it" },
    { "statistics.interval.ms", NULL, NULL, "nobody reads the library's statistics, so remove it" },
    { "plugin.library.paths", NULL, NULL, "no code is loaded into librdkafka, so remove it" },
    { NULL, NULL, NULL, NULL },
};

const struct kafka_owned *kafka_owned_find(const char *name)
{
    for (const struct kafka_owned *owned = kafka_owned_properties; owned->name != NULL; owned++) {
        if (strcmp(owned->name, name) == 0) {
            return owned;
        }
    }
    return NULL;
}
