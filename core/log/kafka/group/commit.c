/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/commit.h"

#include <string.h>
#include <time.h>

#include "log/kafka/client/client.h"
#include "log/kafka/client/health.h"
#include "log/kafka/group/claim.h"
#include "log/kafka/group/doubt.h"
#include "log/kafka/group/member.h"
#include "log/kafka/group/rollback.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/produce.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/topics.h"

enum { TURN_MS = 200, PAUSE_MS = 50 };

/*
 * What the broker's answer to a commit of positions means. It knows the member where only the generation is
 * of before: the group is being divided anew, and the next try bears the new one. What this process has by
 * then stays its own until it gives it away.
 */
static weir_status judge(rd_kafka_resp_err_t code, const struct kafka_member *member,
                         struct error *error)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
    case RD_KAFKA_RESP_ERR__NO_OFFSET:
        return WEIR_OK;
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
    case RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
        (void)kafka_error(error, code, "commit the positions of the group '%s'", member->group);
        return WEIR_AGAIN;
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE:
        return kafka_error(error, code, "commit the positions of the group '%s'", member->group);
    default:
        (void)kafka_error(error, code, "commit the positions of the group '%s'", member->group);
        error->is_retriable = true;
        return error->status;
    }
}

/*
 * The library has heard that the group goes on without this process. It forgets name and generation then until
 * the partitions are given back, and positions without both are taken by the broker from anybody: in a
 * transaction always, else where the group has no members. So nothing is sent any more.
 */
static weir_status check_membership(struct kafka_member *member, struct error *error)
{
    char *name = rd_kafka_memberid(member->consumer);
    bool is_out =
        name == NULL || name[0] == '\0' || rd_kafka_assignment_lost(member->consumer) != 0;
    if (name != NULL) {
        rd_kafka_mem_free(member->consumer, name);
    }
    return judge(is_out ? RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST : RD_KAFKA_RESP_ERR_NO_ERROR, member,
                 error);
}

/* False: no memory. */
static bool set_metadata(struct kafka_member *member, rd_kafka_topic_partition_t *entry,
                         struct arena *arena, const char *topic)
{
    const char *name = progress_scope_name(arena, topic, (uint32_t)entry->partition);
    const char *id = name == NULL ? "" : progress_id(&member->progress, name);
    size_t prefix = strlen(progress_mark);
    if (id[0] == '\0') {
        return name != NULL;
    }
    entry->metadata_size = prefix + strlen(id);
    entry->metadata = rd_kafka_mem_malloc(member->consumer, entry->metadata_size + 1);
    if (entry->metadata != NULL) {
        memcpy(entry->metadata, progress_mark, prefix);
        memcpy((char *)entry->metadata + prefix, id, strlen(id) + 1);
    }
    return entry->metadata != NULL;
}

static bool add_position(struct kafka_member *member, const struct log_position *position,
                         struct arena *arena, rd_kafka_topic_partition_list_t *list)
{
    const struct kafka_topic *topic = kafka_topic_of(position->topic);
    if (!topic->parts[position->partition].is_assigned) {
        return true;
    }
    rd_kafka_topic_partition_t *entry =
        rd_kafka_topic_partition_list_add(list, topic->face.name, (int32_t)position->partition);
    entry->offset = position->offset;
    return set_metadata(member, entry, arena, topic->face.name);
}

/* The position in the topic of positions itself means nothing; its metadata does. */
static bool add_leading(struct kafka_member *member, struct arena *arena,
                        rd_kafka_topic_partition_list_t *list)
{
    if (!member->leads) {
        return true;
    }
    rd_kafka_topic_partition_t *entry =
        rd_kafka_topic_partition_list_add(list, member->progress.topic->face.name, 0);
    entry->offset = 0;
    return set_metadata(member, entry, arena, NULL);
}

/* NULL: no memory. */
static rd_kafka_topic_partition_list_t *list_positions(struct kafka_member *member,
                                                       const struct log_epoch *epoch)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)epoch->position_count + 1);
    struct arena arena;
    arena_init(&arena, 0);
    bool is_right = add_leading(member, &arena, list);
    for (size_t i = 0; is_right && i < epoch->position_count; i++) {
        is_right = add_position(member, &epoch->positions[i], &arena, list);
    }
    arena_deinit(&arena);
    if (!is_right) {
        rd_kafka_topic_partition_list_destroy(list);
        list = NULL;
    }
    return list;
}

/* Sends them; the answer comes to the member's queue. */
static weir_status send_positions(struct kafka_member *member, const struct log_epoch *epoch,
                                  struct error *error)
{
    rd_kafka_topic_partition_list_t *list = list_positions(member, epoch);
    if (list == NULL) {
        return error_no_memory(error);
    }
    weir_status st = list->cnt == 0 ? WEIR_OK : check_membership(member, error);
    if (st == WEIR_OK && list->cnt > 0) {
        rd_kafka_resp_err_t code =
            rd_kafka_commit_queue(member->consumer, list, member->commits, NULL, NULL);
        member->is_committing = code == RD_KAFKA_RESP_ERR_NO_ERROR;
        st = judge(code, member, error);
    }
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}

/* Of the whole and of each partition: the first that is wrong. */
static rd_kafka_resp_err_t answer_of(rd_kafka_event_t *event)
{
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    const rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(event);
    for (int i = 0; code == RD_KAFKA_RESP_ERR_NO_ERROR && list != NULL && i < list->cnt; i++) {
        code = list->elems[i].err;
    }
    return code;
}

static weir_status take_answer(struct kafka_member *member, struct error *error)
{
    rd_kafka_event_t *event = rd_kafka_queue_poll(member->commits, TURN_MS);
    if (event == NULL) {
        error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                  "Kafka has not yet answered to a commit of positions");
        error->is_retriable = true;
        return WEIR_E_TIMEOUT;
    }
    member->is_committing = false;
    weir_status st = judge(answer_of(event), member, error);
    rd_kafka_event_destroy(event);
    return st;
}

static void note_committed(const struct log_epoch *epoch)
{
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

/* At least once: everything is delivered first, and only then it is known whether it can be. */
static weir_status commit_positions(struct kafka_member *member, const struct log_epoch *epoch,
                                    struct error *error)
{
    weir_status st = kafka_flush(member->log, TURN_MS, error);
    if (st == WEIR_OK && atomic_load(&member->log->is_doomed)) {
        return tell_doomed(error);
    }
    if (st == WEIR_OK && !member->is_committing) {
        st = send_positions(member, epoch, error);
    }
    return st == WEIR_OK && member->is_committing ? take_answer(member, error) : st;
}

/*
 * What it is a member as is asked before whether it is one: so what is sent was right then. Once the positions
 * are on their way, it is the transaction alone that can fail.
 */
static weir_status send_as_member(struct kafka_member *member,
                                  const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    struct kafka_log *log = member->log;
    if (log->end == KAFKA_END_SENDING) {
        return kafka_transaction_send(log, NULL, list, error);
    }
    rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata(member->consumer);
    weir_status st = check_membership(member, error);
    if (st == WEIR_OK) {
        return kafka_transaction_send(log, group, list, error);
    }
    if (group != NULL) {
        rd_kafka_consumer_group_metadata_destroy(group);
    }
    return st;
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
    rd_kafka_topic_partition_list_t *list = list_positions(member, epoch);
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
        note_committed(epoch);
        progress_committed(&member->progress);
        kafka_refusals_clear(&member->log->refusals);
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

/* ---- still a member? -------------------------------------------------------------------------------- */

/* The positions of the last commit, once more. NULL: no memory. */
static rd_kafka_topic_partition_list_t *list_committed(struct kafka_member *member)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    struct arena arena;
    bool is_right = true;
    arena_init(&arena, 0);
    for (struct kafka_topic *topic = member->log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; is_right && i < topic->face.partitions; i++) {
            if (topic->parts[i].is_assigned) {
                rd_kafka_topic_partition_t *entry =
                    rd_kafka_topic_partition_list_add(list, topic->face.name, (int32_t)i);
                entry->offset = topic->parts[i].committed;
                is_right = set_metadata(member, entry, &arena, topic->face.name);
            }
        }
    }
    arena_deinit(&arena);
    if (!is_right) {
        rd_kafka_topic_partition_list_destroy(list);
        list = NULL;
    }
    return list;
}

/* One try, or one turn of waiting for its answer. */
static weir_status ask_again(struct kafka_member *member,
                             const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    error->is_retriable = false;
    if (!member->is_committing) {
        weir_status st = check_membership(member, error);
        if (st != WEIR_OK) {
            return st;
        }
        rd_kafka_resp_err_t code =
            rd_kafka_commit_queue(member->consumer, list, member->commits, NULL, NULL);
        member->is_committing = code == RD_KAFKA_RESP_ERR_NO_ERROR;
        return member->is_committing ? take_answer(member, error) : judge(code, member, error);
    }
    return take_answer(member, error);
}

/* As long as the run goes on and neither the brokers nor the group have given this process up. */
static bool may_ask_again(struct kafka_member *member, weir_status st, struct error *error)
{
    if (st == WEIR_OK || st == WEIR_AGAIN || !error->is_retriable || !kafka_goes_on(member->log)) {
        return false;
    }
    if (!member->is_committing) {
        struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
        nanosleep(&pause, NULL);
    }
    return kafka_health_check(member->log, error) == WEIR_OK &&
           kafka_standing_check(member, error) == WEIR_OK;
}

/*
 * Commits what is committed once more: the broker takes it from a member of the present generation only,
 * and as long as it does nobody else has the partitions.
 */
weir_status kafka_log_confirm(struct log *face, struct error *error)
{
    struct kafka_member *member = kafka_of(face)->member;
    weir_status st = WEIR_OK;
    if (member == NULL || member->is_committing) {
        return WEIR_OK;
    }
    progress_keep(&member->progress);
    rd_kafka_topic_partition_list_t *list = list_committed(member);
    if (list == NULL) {
        return error_no_memory(error);
    }
    if (list->cnt > 0) {
        do {
            st = ask_again(member, list, error);
        } while (may_ask_again(member, st, error));
        member->is_committing = false;
    }
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}
