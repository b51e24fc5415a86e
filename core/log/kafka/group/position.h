/* SPDX-License-Identifier: MIT */
/*
 * Where to begin in a partition that came: at what the group has committed, if the broker still has it, and
 * otherwise where the file says.
 */
#ifndef LOG_KAFKA_POSITION_H
#define LOG_KAFKA_POSITION_H

#include <librdkafka/rdkafka.h>

#include "log/log.h"

struct kafka_log;
struct kafka_member;

/* What the group has committed, into the list. WEIR_CLASS_NETWORK: the brokers could not say in time. */
weir_status kafka_position_ask(struct kafka_member *member, rd_kafka_topic_partition_list_t *list,
                               struct error *error);
/* From an entry that was asked for: the position of a share, and whether the group had one. */
weir_status kafka_position_find(struct kafka_log *log, const rd_kafka_topic_partition_t *entry,
                                struct log_share *share, struct error *error);

#endif
