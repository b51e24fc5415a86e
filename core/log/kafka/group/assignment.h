/* SPDX-License-Identifier: MIT */
/*
 * Carrying out what the group has told: the queues of partitions, their first positions, and the library's
 * own idea of what is assigned.
 */
#ifndef LOG_KAFKA_ASSIGNMENT_H
#define LOG_KAFKA_ASSIGNMENT_H

#include <librdkafka/rdkafka.h>

#include "log/log.h"

struct kafka_log;
struct kafka_member;

/* Where an entry of an assignment belongs to; NULL: to no topic that is known. */
struct kafka_partition *kafka_assignment_part(struct kafka_log *log,
                                              const rd_kafka_topic_partition_t *entry);
/* An entry stands for the group as a whole: it is the topic of its progress. */
bool kafka_assignment_is_group(const struct kafka_member *member,
                               const rd_kafka_topic_partition_t *entry);
/* Fetches partitions of the list anew from their `next` on, where the library has given them up. Nobody
 * reads. */
weir_status kafka_assignment_restart(struct kafka_member *member,
                                     rd_kafka_topic_partition_list_t *list, struct error *error);
/* No partition is this process's any more, and none wakes a reader. Nobody reads. */
void kafka_assignment_close(struct kafka_log *log);

/* As in log.h. By the thread that supervises, while nobody reads. */
weir_status kafka_log_change_done(struct log *log, const struct log_change *change,
                                  struct error *error);

#endif
