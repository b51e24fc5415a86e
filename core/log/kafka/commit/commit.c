/* SPDX-License-Identifier: MIT */
#include "log/kafka/commit/commit.h"

#include "log/kafka/client/client.h"
#include "log/kafka/client/health.h"
#include "log/kafka/commit/commit_request.h"
#include "log/kafka/commit/doubt.h"
#include "log/kafka/commit/rollback.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/outside/claim.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/topics.h"

enum { TURN_MS = 200 };

/* Facts that have changed are produced as well. */
static bool has_moved(const struct kafka_log *log, const struct log_epoch *epoch)
{
    bool has_moved = atomic_load(&log->deliveries.handed) != log->deliveries.before;
    for (size_t i = 0; i < epoch->position_count && !has_moved; i++) {
        const struct log_position *position = &epoch->positions[i];
        const struct kafka_topic *topic = kafka_topic_of(position->topic);
        has_moved = topic->parts[position->partition].committed != position->offset;
    }
    return has_moved;
}

static void note_committed(struct kafka_log *log, const struct log_epoch *epoch)
{
    kafka_refusals_clear(&log->refusals, has_moved(log, epoch));
    log->deliveries.before = atomic_load(&log->deliveries.handed);
    for (size_t i = 0; i < epoch->position_count; i++) {
        const struct log_position *position = &epoch->positions[i];
        kafka_topic_of(position->topic)->parts[position->partition].committed = position->offset;
    }
}

/* Facts are written once, however often the commit is tried. */
static weir_status write_facts(struct kafka_member *member, const struct log_epoch *epoch,
                               struct error *error)
{
    if (member == NULL || member->is_written) {
        return WEIR_OK;
    }
    weir_status st = progress_write(&member->progress, epoch, error);
    member->is_written = st == WEIR_OK;
    return st;
}

/* A message has failed in a way that another try may not. */
static weir_status tell_doomed(struct error *error)
{
    error_set(error, WEIR_E_IO, WEIR_CLASS_NETWORK, "what was produced cannot be finished");
    return WEIR_AGAIN;
}

static weir_status send_positions(struct kafka_member *member, const struct log_epoch *epoch,
                                  struct error *error)
{
    rd_kafka_topic_partition_list_t *list = kafka_commit_list(member, epoch);
    if (list == NULL) {
        return error_no_memory(error);
    }
    weir_status st = kafka_commit_send(member, list, error);
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}

/* At least once: everything is delivered first, and only then it is known whether it can be. */
static weir_status try_positions(struct kafka_member *member, const struct log_epoch *epoch,
                                 struct error *error)
{
    weir_status st = kafka_flush(member->log, TURN_MS, error);
    if (st == WEIR_OK && atomic_load(&member->log->is_doomed)) {
        return tell_doomed(error);
    }
    if (st == WEIR_OK && !member->is_committing) {
        st = send_positions(member, epoch, error);
    }
    return st == WEIR_OK && member->is_committing ? kafka_commit_answer(member, error) : st;
}

/* A broker that is silent for longer than a session gives the partitions to others: so nobody waits for it. */
static weir_status commit_positions(struct kafka_member *member, const struct log_epoch *epoch,
                                    struct error *error)
{
    weir_status st = try_positions(member, epoch, error);
    if (st != WEIR_OK && error->is_retriable && rd_kafka_assignment_lost(member->consumer) != 0) {
        (void)kafka_error(error, RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST,
                          "commit the positions of the group '%s'", member->group);
        return WEIR_AGAIN;
    }
    return st;
}

/* Once the positions are on their way, it is the transaction alone that can fail. */
static weir_status send_as_member(struct kafka_member *member,
                                  const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    struct kafka_log *log = member->log;
    rd_kafka_consumer_group_metadata_t *group = NULL;
    weir_status st = WEIR_OK;
    if (log->end != KAFKA_END_SENDING) {
        st = kafka_transaction_begin(log, error);
        st = st == WEIR_OK ? kafka_commit_membership(member, &group, error) : st;
    }
    return st == WEIR_OK ? kafka_transaction_send(log, group, list, error) : st;
}

static weir_status commit_as_member(struct kafka_member *member,
                                    const rd_kafka_topic_partition_list_t *list,
                                    struct error *error)
{
    bool is_sent = list->cnt == 0 || member->log->are_positions_sent;
    weir_status st = is_sent ? WEIR_OK : send_as_member(member, list, error);
    return st == WEIR_OK ? kafka_transaction_commit(member->log, error) : st;
}

/* Messages also wait in a transaction that has failed, which only its next step tells. */
static weir_status try_transaction(struct kafka_member *member,
                                   const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    weir_status st = kafka_flush(member->log, TURN_MS, error);
    if (st == WEIR_OK || error->is_retriable) {
        error->is_retriable = false;
        st = commit_as_member(member, list, error);
    }
    if (st == WEIR_AGAIN) {
        kafka_note_loss(member->log, error);
    }
    return st;
}

/* It is aborted, or the broker has ended it before another producer bears its name: so its end is final then. */
static weir_status end_doubt(struct kafka_member *member,
                             const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    struct kafka_log *log = member->log;
    struct error reason = *error;
    weir_status st = kafka_rollback_produced(log, error);
    if (st == WEIR_OK) {
        *error = reason;
        st = kafka_doubt_end(member, list, error);
    }
    if (st == WEIR_OK || st == WEIR_AGAIN) {
        log->end = KAFKA_END_OPEN;
    }
    return st;
}

static weir_status commit_transaction(struct kafka_member *member, const struct log_epoch *epoch,
                                      struct error *error)
{
    rd_kafka_topic_partition_list_t *list = kafka_commit_list(member, epoch);
    if (list == NULL) {
        return error_no_memory(error);
    }
    weir_status st = WEIR_AGAIN;
    if (member->log->end != KAFKA_END_IN_DOUBT) {
        st = try_transaction(member, list, error);
    }
    if (member->log->end == KAFKA_END_IN_DOUBT) {
        st = end_doubt(member, list, error);
    }
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}

static weir_status commit_epoch(struct kafka_member *member, const struct log_epoch *epoch,
                                struct error *error)
{
    weir_status st = kafka_health_check(member->log, error);
    if (st == WEIR_OK) {
        st = kafka_standing_check(member, error);
    }
    if (st == WEIR_OK) {
        st = write_facts(member, epoch, error);
    }
    /* What the library was told to commit, it has to end: what is spoiled it does not commit. */
    if (member->log->end == KAFKA_END_OPEN && atomic_load(&member->log->is_doomed)) {
        return tell_doomed(error);
    }
    if (st == WEIR_OK) {
        st = member->log->is_transactional ? commit_transaction(member, epoch, error)
                                           : commit_positions(member, epoch, error);
    }
    if (st == WEIR_OK) {
        note_committed(member->log, epoch);
        progress_committed(&member->progress);
        member->is_written = false;
    }
    return st;
}

weir_status kafka_log_commit(struct log *face, const char *group, const struct log_epoch *epoch,
                             struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    (void)group;
    if (log->member != NULL) {
        return commit_epoch(log->member, epoch, error);
    }
    if (log->claim.name != NULL) {
        return kafka_claim_commit(log, epoch, error);
    }
    weir_status st = kafka_flush(log, TURN_MS, error);
    return st == WEIR_OK && atomic_load(&log->is_doomed) ? tell_doomed(error) : st;
}
