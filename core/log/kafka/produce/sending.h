/* SPDX-License-Identifier: MIT */
/*
 * Positions on their way into a transaction. While the group's coordinator is away the library's call does not
 * come back, whatever time it is given; so it has a thread of its own, and whoever commits looks after it in turns.
 */
#ifndef LOG_KAFKA_SENDING_H
#define LOG_KAFKA_SENDING_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_log;
struct kafka_sending;

/*
 * Sends them as a member of the group, or where they are on their way waits on for them, for one turn.
 *
 * group      is taken over; NULL where they are on their way
 * ret_fault  the library's own judgement, where it is WEIR_OK
 *
 * Retriable: they are still on their way.
 */
weir_status kafka_sending_turn(struct kafka_log *log, rd_kafka_consumer_group_metadata_t *group,
                               const rd_kafka_topic_partition_list_t *positions,
                               rd_kafka_error_t **ret_fault, struct error *error);
/* False: the library does not come back, and its producer must be left alone. */
bool kafka_sending_end(struct kafka_log *log);

#endif
