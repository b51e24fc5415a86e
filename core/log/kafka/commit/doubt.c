/* SPDX-License-Identifier: MIT */
#include "log/kafka/commit/doubt.h"

#include <string.h>

#include "base/logger.h"
#include "log/kafka/client/client.h"
#include "log/kafka/group/assignment.h"
#include "log/kafka/group/member.h"
#include "log/kafka/group/position.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

/* The same partitions, with what the group has committed. NULL with a status: not known. */
static rd_kafka_topic_partition_list_t *ask(struct kafka_member *member,
                                            const rd_kafka_topic_partition_list_t *sent,
                                            struct error *error)
{
    rd_kafka_topic_partition_list_t *found = rd_kafka_topic_partition_list_new(sent->cnt);
    for (int i = 0; i < sent->cnt; i++) {
        rd_kafka_topic_partition_list_add(found, sent->elems[i].topic, sent->elems[i].partition);
    }
    weir_status st = kafka_position_ask(member, found, error);
    for (int i = 0; st == WEIR_OK && i < found->cnt; i++) {
        if (found->elems[i].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            st = kafka_error(error, found->elems[i].err, "ask for the positions of the group '%s'",
                             member->group);
        }
    }
    if (st != WEIR_OK) {
        error->is_retriable = error->error_class == WEIR_CLASS_NETWORK;
        rd_kafka_topic_partition_list_destroy(found);
        found = NULL;
    }
    return found;
}

static bool is_same(const rd_kafka_topic_partition_t *a, const rd_kafka_topic_partition_t *b)
{
    char id_of_a[PROGRESS_ID_ROOM];
    char id_of_b[PROGRESS_ID_ROOM];
    progress_id_read(a, id_of_a);
    progress_id_read(b, id_of_b);
    return a->offset == b->offset && strcmp(id_of_a, id_of_b) == 0;
}

/* It differs from what the last commit has left. The position in the topic of positions means nothing. */
static bool is_new(const struct kafka_member *member, const rd_kafka_topic_partition_t *entry)
{
    const struct kafka_partition *part = kafka_assignment_part(member->log, entry);
    bool is_group = kafka_assignment_is_group(member, entry);
    return (part != NULL && !is_group && part->committed != entry->offset) ||
           progress_is_new(&member->progress, is_group ? NULL : entry->topic,
                           (uint32_t)entry->partition);
}

static bool is_there(const struct kafka_member *member, const rd_kafka_topic_partition_list_t *sent,
                     rd_kafka_topic_partition_list_t *found)
{
    bool has_new = false;
    for (int i = 0; i < sent->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &sent->elems[i];
        if (!is_new(member, entry)) {
            continue;
        }
        has_new = true;
        if (!is_same(entry,
                     rd_kafka_topic_partition_list_find(found, entry->topic, entry->partition))) {
            return false;
        }
    }
    return has_new;
}

weir_status kafka_doubt_end(struct kafka_member *member,
                            const rd_kafka_topic_partition_list_t *sent, struct error *error)
{
    struct error reason = *error;
    rd_kafka_topic_partition_list_t *found = ask(member, sent, error);
    if (found == NULL) {
        return error->status;
    }
    bool is_committed = is_there(member, sent, found);
    rd_kafka_topic_partition_list_destroy(found);
    if (is_committed) {
        logger_write(LOGGER_INFO, "kafka",
                     "the transaction was committed all the same: what it held is not done again");
        return WEIR_OK;
    }
    *error = reason;
    return WEIR_AGAIN;
}
