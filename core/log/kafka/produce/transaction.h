/* SPDX-License-Identifier: MIT */
/*
 * Exactly once: everything that an epoch produces is one transaction, and the positions are sent into it.
 * What the library says of an error decides: it may pass, the transaction is to be aborted, or the
 * producer is useless and another one takes its place. In the last two cases the epoch is doomed: it is
 * dropped, and the run goes on from the last commit.
 */
#ifndef LOG_KAFKA_TRANSACTION_H
#define LOG_KAFKA_TRANSACTION_H

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_log;

/* The name of this process's transactions, in the log's arena. NULL: no memory. */
const char *kafka_transaction_name(struct kafka_log *log, const char *group);
/* Another one, since somebody else bears it too; it is told. False: no memory. */
bool kafka_transaction_rename(struct kafka_log *log);
/* Ends what a predecessor of the same name has left open. */
weir_status kafka_transactions_init(struct kafka_log *log, struct error *error);
/* The first in an epoch begins it; nothing where there are no transactions. WEIR_AGAIN: as log_commit. */
weir_status kafka_transaction_begin(struct kafka_log *log, struct error *error);
/* Why nothing more can be produced in it. WEIR_AGAIN: the epoch is doomed; else the run is to end. */
weir_status kafka_transaction_refusal(struct kafka_log *log, struct error *error);
/* One turn of sending positions into the one that is begun, as kafka_sending_turn; as log_commit. */
weir_status kafka_transaction_send(struct kafka_log *log, rd_kafka_consumer_group_metadata_t *group,
                                   const rd_kafka_topic_partition_list_t *positions,
                                   struct error *error);
/*
 * One turn of committing it; as log_commit. Where it is WEIR_AGAIN and the end is in doubt, the broker may have
 * done it.
 */
weir_status kafka_transaction_commit(struct kafka_log *log, struct error *error);
weir_status kafka_transaction_abort(struct kafka_log *log, struct error *error);

#endif
