/* SPDX-License-Identifier: MIT */
/*
 * What a group has committed of one partition, asked and set by who is no member of it: the position with its
 * metadata, which name what the group keeps beside it (progress.h).
 */
#ifndef LOG_KAFKA_GROUP_POSITION_H
#define LOG_KAFKA_GROUP_POSITION_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_log;

/* Whose position, where, and what for: a fault is "could not DOING: REASON", where a right is missing that. */
struct kafka_group_deed {
    const char *group;
    const char *doing;
};

/* *ret_position: a list of one, to be destroyed; NULL beside a fault. */
weir_status kafka_group_position(struct kafka_log *log, const struct kafka_group_deed *deed,
                                 const char *topic, uint32_t partition,
                                 rd_kafka_topic_partition_list_t **ret_position,
                                 struct error *error);
/* Refused where the group has members. */
weir_status kafka_group_position_set(struct kafka_log *log, const struct kafka_group_deed *deed,
                                     const rd_kafka_topic_partition_list_t *position,
                                     struct error *error);

#endif
