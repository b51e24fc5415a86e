/* SPDX-License-Identifier: MIT */
/*
 * A transaction that the library has given up after it was told to commit it: the answer may have been lost behind
 * a broker that has done it, as where another process has taken the name before the request came again. What is
 * done again then would be there twice. So the broker is asked what the group has committed: the positions of a
 * transaction that is over, one way or the other, tell which way.
 */
#ifndef LOG_KAFKA_DOUBT_H
#define LOG_KAFKA_DOUBT_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_member;

/*
 * sent  the positions that were sent into the transaction, which is over
 *
 * WEIR_OK: it was committed. WEIR_AGAIN: it was not, or nothing has changed with it. Retriable: nobody can tell
 * yet.
 */
weir_status kafka_doubt_end(struct kafka_member *member,
                            const rd_kafka_topic_partition_list_t *sent, struct error *error);

#endif
