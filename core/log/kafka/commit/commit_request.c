/* SPDX-License-Identifier: MIT */
#include "log/kafka/commit/commit_request.h"

#include <string.h>

#include "log/kafka/client/client.h"
#include "log/kafka/client/place.h"
#include "log/kafka/commit/absence.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

enum { TURN_MS = 200 };

/*
 * What the broker's answer to a commit of positions means. It knows the member where only the generation is
 * of before: the group is being divided anew, and the next try bears the new one. What this process has by
 * then stays its own until it gives it away.
 */
static weir_status judge(rd_kafka_resp_err_t code, struct kafka_member *member, struct error *error)
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
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        return kafka_absence_judge(member, error);
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
static weir_status check_member(struct kafka_member *member, struct error *error)
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

/* What it is a member as is asked before whether it is one: so what is sent was right then. */
weir_status kafka_commit_membership(struct kafka_member *member,
                                    rd_kafka_consumer_group_metadata_t **ret_group,
                                    struct error *error)
{
    rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata(member->consumer);
    weir_status st = check_member(member, error);
    if (st != WEIR_OK && group != NULL) {
        rd_kafka_consumer_group_metadata_destroy(group);
        group = NULL;
    }
    *ret_group = group;
    return st;
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
        kafka_place_add(list, topic->face.name, position->partition, kafka_place(position->offset));
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
        kafka_place_add(list, member->progress.topic->face.name, 0, kafka_place(0));
    return set_metadata(member, entry, arena, NULL);
}

rd_kafka_topic_partition_list_t *kafka_commit_list(struct kafka_member *member,
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

rd_kafka_topic_partition_list_t *kafka_commit_list_again(struct kafka_member *member)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    struct arena arena;
    bool is_right = true;
    arena_init(&arena, 0);
    for (struct kafka_topic *topic = member->log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; is_right && i < topic->face.partitions; i++) {
            if (topic->parts[i].is_assigned) {
                rd_kafka_topic_partition_t *entry = kafka_place_add(
                    list, topic->face.name, i, kafka_place(topic->parts[i].committed));
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

weir_status kafka_commit_send(struct kafka_member *member,
                              const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    if (list->cnt == 0) {
        return WEIR_OK;
    }
    weir_status st = check_member(member, error);
    if (st != WEIR_OK) {
        return st;
    }
    rd_kafka_resp_err_t code = rd_kafka_commit_queue(member->consumer, list, member->commits, NULL,
                                                     (void *)++member->commit);
    member->is_committing = code == RD_KAFKA_RESP_ERR_NO_ERROR;
    return judge(code, member, error);
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

/* Where a request was given up its answer may come all the same, and is not that of the next one. */
static rd_kafka_event_t *next_answer(struct kafka_member *member)
{
    rd_kafka_event_t *event = rd_kafka_queue_poll(member->commits, TURN_MS);
    while (event != NULL && (uintptr_t)rd_kafka_event_opaque(event) != member->commit) {
        rd_kafka_event_destroy(event);
        event = rd_kafka_queue_poll(member->commits, TURN_MS);
    }
    return event;
}

weir_status kafka_commit_answer(struct kafka_member *member, struct error *error)
{
    rd_kafka_event_t *event = next_answer(member);
    if (event == NULL) {
        error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                  "Kafka has not yet answered to a commit of positions");
        error->is_retriable = true;
        return WEIR_E_TIMEOUT;
    }
    member->is_committing = false;
    weir_status st = judge(answer_of(event), member, error);
    if (st == WEIR_OK) {
        kafka_absence_end(member);
    }
    rd_kafka_event_destroy(event);
    return st;
}
