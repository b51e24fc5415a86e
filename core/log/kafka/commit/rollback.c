/* SPDX-License-Identifier: MIT */
#include "log/kafka/commit/rollback.h"

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/place.h"
#include "log/kafka/commit/confirm.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/topics.h"

enum { TURN_MS = 10 };

/* ---- what was read -------------------------------------------------------------------------------- */

/* Where the library is to go on. What has been read further than that has its partition as opaque. */
static rd_kafka_topic_partition_list_t *list_committed(struct kafka_log *log)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            struct kafka_partition *part = &topic->parts[i];
            if (part->is_assigned) {
                rd_kafka_topic_partition_t *entry =
                    kafka_place_add(list, topic->face.name, i, kafka_place(part->committed));
                entry->opaque = part->next != part->committed ? part : NULL;
                part->next = part->committed;
                part->is_at_end = false;
            }
        }
    }
    return list;
}

/*
 * A partition that the library has not begun to fetch cannot be moved, and need not: it begins at the last commit.
 * Nor one in a gap, which is moved when the gap is passed.
 */
static weir_status judge_moves(const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &list->elems[i];
        const struct kafka_partition *part = entry->opaque;
        if (entry->err != RD_KAFKA_RESP_ERR_NO_ERROR && part != NULL &&
            !atomic_load(&part->is_in_gap)) {
            return kafka_error(error, entry->err,
                               "go back to the last commit in topic '%s' partition %d",
                               entry->topic, (int)entry->partition);
        }
    }
    return WEIR_OK;
}

static weir_status read_again(struct kafka_member *member, struct error *error)
{
    rd_kafka_topic_partition_list_t *list = list_committed(member->log);
    rd_kafka_error_t *fault = list->cnt == 0 ? NULL
                                             : rd_kafka_seek_partitions(member->consumer, list,
                                                                        kafka_timeout(member->log));
    weir_status st = fault == NULL ? judge_moves(list, error)
                                   : kafka_error(error, rd_kafka_error_code(fault),
                                                 "go back to the last commit");
    rd_kafka_error_destroy(fault);
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}

/* ---- what was produced ---------------------------------------------------------------------------- */

/* Before the epoch is done again. */
static void rest(const struct kafka_log *log, int64_t time_ms)
{
    int64_t end_ns = clock_monotonic_ns() + time_ms * INT64_C(1000000);
    while (kafka_goes_on(log) && clock_monotonic_ns() < end_ns) {
        clock_rest(TURN_MS);
    }
}

weir_status kafka_rollback_produced(struct kafka_log *log, struct error *error)
{
    weir_status st = WEIR_OK;
    if (log->is_transactional) {
        st = kafka_transaction_abort(log, error);
    } else if (log->producer != NULL) {
        (void)rd_kafka_purge(log->producer, RD_KAFKA_PURGE_F_QUEUE);
        (void)rd_kafka_poll(log->producer, 0);
        st = atomic_load(&log->is_broken) ? kafka_producer_renew(log, error) : WEIR_OK;
    }
    pthread_mutex_lock(&log->deliveries.lock);
    log->deliveries.fault.status = WEIR_OK;
    pthread_mutex_unlock(&log->deliveries.lock);
    log->deliveries.before = atomic_load(&log->deliveries.handed);
    atomic_store(&log->is_doomed, false);
    int64_t rest_ms = 0;
    if (st == WEIR_OK && !kafka_refusals_settle(&log->refusals, &rest_ms, error)) {
        return error->status;
    }
    rest(log, rest_ms);
    return st;
}

/* ---- both ---------------------------------------------------------------------------------------- */

weir_status kafka_log_rollback(struct log *face, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    struct kafka_member *member = log->member;
    weir_status st = member == NULL ? WEIR_OK : kafka_standing_check(member, error);
    if (st == WEIR_OK) {
        st = kafka_rollback_produced(log, error);
    }
    if (st != WEIR_OK || member == NULL) {
        return st;
    }
    member->is_written = false;
    member->is_committing = false;
    st = kafka_log_confirm(face, error);
    return st == WEIR_OK ? read_again(member, error) : st;
}
