/* SPDX-License-Identifier: MIT */
/*
 * The request that commits positions of a member: what it holds, whether it may be sent, and what the broker's
 * answer means.
 */
#ifndef LOG_KAFKA_COMMIT_REQUEST_H
#define LOG_KAFKA_COMMIT_REQUEST_H

#include <librdkafka/rdkafka.h>

#include "log/log.h"

struct kafka_member;

/* The positions of an epoch, with what becomes valid with each of them. To be destroyed; NULL: no memory. */
rd_kafka_topic_partition_list_t *kafka_commit_list(struct kafka_member *member,
                                                   const struct log_epoch *epoch);
/* Those of the last commit, once more. To be destroyed; NULL: no memory. */
rd_kafka_topic_partition_list_t *kafka_commit_list_again(struct kafka_member *member);

/*
 * What it is a member as, for a transaction; to be destroyed. WEIR_AGAIN: it is none any more, and the partitions are
 * others'.
 */
weir_status kafka_commit_membership(struct kafka_member *member,
                                    rd_kafka_consumer_group_metadata_t **ret_group,
                                    struct error *error);

/*
 * Sends the positions, if there are any; where it has, member->is_committing, until the answer is taken.
 * WEIR_AGAIN as above.
 */
weir_status kafka_commit_send(struct kafka_member *member,
                              const rd_kafka_topic_partition_list_t *list, struct error *error);
/* Waits for the answer for a turn. Retriable: it has not come yet, or the request may be sent again. */
weir_status kafka_commit_answer(struct kafka_member *member, struct error *error);

#endif
