/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/group_position.h"

#include "log/kafka/client/client.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"

static weir_status unanswered(const struct kafka_group_deed *deed, struct error *error)
{
    return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                     "could not %s: Kafka does not answer", deed->doing);
}

static bool has_members(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID || code == RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP;
}

static weir_status refused(struct kafka_log *log, const struct kafka_group_deed *deed,
                           rd_kafka_resp_err_t code, struct error *error)
{
    weir_status st = kafka_error(error, code, "%s", deed->doing);
    kafka_lack_if(log->settings, code, "Read", KAFKA_GROUP, deed->group, error);
    if (has_members(code)) {
        st = error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "cannot %s while it has members",
                       deed->doing);
        error_hint(error, "stop the processes of the group first");
    }
    return st;
}

/* An answer about one group and one partition: of the request, of the group, or of the partition. */
static weir_status judge(struct kafka_log *log, const struct kafka_group_deed *deed,
                         rd_kafka_event_t *event, const rd_kafka_group_result_t *group,
                         struct error *error)
{
    const rd_kafka_error_t *fault = group != NULL ? rd_kafka_group_result_error(group) : NULL;
    const rd_kafka_topic_partition_list_t *list =
        group != NULL ? rd_kafka_group_result_partitions(group) : NULL;
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    if (fault != NULL) {
        code = rd_kafka_error_code(fault);
    } else if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        code = list == NULL || list->cnt == 0 ? RD_KAFKA_RESP_ERR__BAD_MSG : list->elems[0].err;
    }
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? WEIR_OK : refused(log, deed, code, error);
}

static rd_kafka_event_t *ask(struct kafka_log *log, const struct kafka_group_deed *deed,
                             const char *topic, uint32_t partition)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, (int32_t)partition);
    rd_kafka_ListConsumerGroupOffsets_t *wanted =
        rd_kafka_ListConsumerGroupOffsets_new(deed->group, list);
    rd_kafka_topic_partition_list_destroy(list);
    struct kafka_request request =
        kafka_request_begin(log, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    rd_kafka_ListConsumerGroupOffsets(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
    return event;
}

weir_status kafka_group_position(struct kafka_log *log, const struct kafka_group_deed *deed,
                                 const char *topic, uint32_t partition,
                                 rd_kafka_topic_partition_list_t **ret_position,
                                 struct error *error)
{
    size_t count = 0;
    *ret_position = NULL;
    rd_kafka_event_t *event = ask(log, deed, topic, partition);
    if (event == NULL) {
        return unanswered(deed, error);
    }
    const rd_kafka_group_result_t **groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    const rd_kafka_group_result_t *group = count > 0 ? groups[0] : NULL;
    weir_status st = judge(log, deed, event, group, error);
    if (st == WEIR_OK) {
        *ret_position = rd_kafka_topic_partition_list_copy(rd_kafka_group_result_partitions(group));
    }
    rd_kafka_event_destroy(event);
    return st;
}

weir_status kafka_group_position_set(struct kafka_log *log, const struct kafka_group_deed *deed,
                                     const rd_kafka_topic_partition_list_t *position,
                                     struct error *error)
{
    size_t count = 0;
    rd_kafka_AlterConsumerGroupOffsets_t *wanted =
        rd_kafka_AlterConsumerGroupOffsets_new(deed->group, position);
    struct kafka_request request =
        kafka_request_begin(log, RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS);
    rd_kafka_AlterConsumerGroupOffsets(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_AlterConsumerGroupOffsets_destroy(wanted);
    if (event == NULL) {
        return unanswered(deed, error);
    }
    const rd_kafka_group_result_t **groups = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
    weir_status st = judge(log, deed, event, count > 0 ? groups[0] : NULL, error);
    rd_kafka_event_destroy(event);
    return st;
}
