/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/reader_move.h"

#include "log/kafka/client/client.h"
#include "log/kafka/client/request.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/readers.h"

/* The first group of an answer; NULL: the fault is in `error`. */
static const rd_kafka_group_result_t *first_of(const rd_kafka_group_result_t **groups, size_t count,
                                               rd_kafka_event_t *event, const char *group,
                                               struct error *error)
{
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    const rd_kafka_error_t *fault = count > 0 ? rd_kafka_group_result_error(groups[0]) : NULL;
    const rd_kafka_topic_partition_list_t *list =
        count > 0 ? rd_kafka_group_result_partitions(groups[0]) : NULL;
    if (fault != NULL) {
        code = rd_kafka_error_code(fault);
    } else if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        code = list == NULL || list->cnt == 0 ? RD_KAFKA_RESP_ERR__BAD_MSG : list->elems[0].err;
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return groups[0];
    }
    (void)kafka_error(error, code, "move group '%s' over what is removed", group);
    if (code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID || code == RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP) {
        error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                  "cannot move group '%s' over what is removed while it has members", group);
        error_hint(error, "stop the processes of the group first");
    }
    return NULL;
}

static weir_status unanswered(const char *group, struct error *error)
{
    return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                     "could not move group '%s': Kafka does not answer", group);
}

/* Its position in the partition with the metadata; to be destroyed. NULL: the fault is in `error`. */
static rd_kafka_topic_partition_list_t *get_position(struct kafka_log *log, const char *group,
                                                     const struct log_topic *topic,
                                                     uint32_t partition, struct error *error)
{
    size_t count = 0;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic->name, (int32_t)partition);
    rd_kafka_ListConsumerGroupOffsets_t *wanted =
        rd_kafka_ListConsumerGroupOffsets_new(group, list);
    rd_kafka_topic_partition_list_destroy(list);
    struct kafka_request request =
        kafka_request_begin(log, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    rd_kafka_ListConsumerGroupOffsets(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
    if (event == NULL) {
        unanswered(group, error);
        return NULL;
    }
    const rd_kafka_group_result_t **groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    const rd_kafka_group_result_t *first = first_of(groups, count, event, group, error);
    list = first == NULL
               ? NULL
               : rd_kafka_topic_partition_list_copy(rd_kafka_group_result_partitions(first));
    rd_kafka_event_destroy(event);
    return list;
}

static weir_status set_position(struct kafka_log *log, const char *group,
                                const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    size_t count = 0;
    rd_kafka_AlterConsumerGroupOffsets_t *wanted =
        rd_kafka_AlterConsumerGroupOffsets_new(group, list);
    struct kafka_request request =
        kafka_request_begin(log, RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS);
    rd_kafka_AlterConsumerGroupOffsets(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_AlterConsumerGroupOffsets_destroy(wanted);
    if (event == NULL) {
        return unanswered(group, error);
    }
    const rd_kafka_group_result_t **groups = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
    bool is_moved = first_of(groups, count, event, group, error) != NULL;
    rd_kafka_event_destroy(event);
    return is_moved ? WEIR_OK : error->status;
}

static weir_status move(struct kafka_log *log, const char *group, const struct log_topic *topic,
                        uint32_t partition, int64_t offset, struct error *error)
{
    rd_kafka_topic_partition_list_t *list = get_position(log, group, topic, partition, error);
    if (list == NULL) {
        return error->status;
    }
    list->elems[0].offset = offset;
    weir_status st = set_position(log, group, list, error);
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}

weir_status kafka_readers_move(struct log_topic *topic, uint32_t partition, int64_t offset,
                               struct error *error)
{
    struct arena arena;
    struct log_reader *readers = NULL;
    size_t count = 0;
    arena_init(&arena, 0);
    weir_status st = kafka_log_readers(topic, &arena, &readers, &count, error);
    for (size_t i = 0; st == WEIR_OK && i < count; i++) {
        if (readers[i].partition == partition && readers[i].position < offset) {
            st = move(kafka_of(topic->log), readers[i].group, topic, partition, offset, error);
        }
    }
    arena_deinit(&arena);
    return st;
}
