/* SPDX-License-Identifier: MIT */
#include "log/kafka/outside/look.h"

#include <string.h>

#include "log/kafka/client/client.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/group/progress.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

/* Partitions of a topic stand together. False: no memory. */
static bool copy_topics(const rd_kafka_MemberDescription_t *found, struct arena *arena,
                        struct log_group_member *to)
{
    const rd_kafka_MemberAssignment_t *assignment = rd_kafka_MemberDescription_assignment(found);
    const rd_kafka_topic_partition_list_t *parts =
        assignment == NULL ? NULL : rd_kafka_MemberAssignment_partitions(assignment);
    size_t count = parts == NULL ? 0 : (size_t)parts->cnt;
    to->topics = arena_alloc(arena, (count + 1) * sizeof *to->topics);
    for (size_t i = 0; to->topics != NULL && i < count; i++) {
        const char *topic = parts->elems[i].topic;
        if (to->topic_count > 0 && strcmp(to->topics[to->topic_count - 1], topic) == 0) {
            continue;
        }
        to->topics[to->topic_count] = arena_copy(arena, topic, strlen(topic));
        if (to->topics[to->topic_count++] == NULL) {
            return false;
        }
    }
    return to->topics != NULL;
}

/* False: no memory. */
static bool copy_members(const rd_kafka_ConsumerGroupDescription_t *found, struct arena *arena,
                         struct log_group *ret_group)
{
    size_t count = rd_kafka_ConsumerGroupDescription_member_count(found);
    ret_group->members = arena_zeroed(arena, (count + 1) * sizeof *ret_group->members);
    for (size_t i = 0; ret_group->members != NULL && i < count; i++) {
        const rd_kafka_MemberDescription_t *from =
            rd_kafka_ConsumerGroupDescription_member(found, i);
        struct log_group_member *to = &ret_group->members[ret_group->member_count++];
        const char *name = rd_kafka_MemberDescription_consumer_id(from);
        const char *host = rd_kafka_MemberDescription_host(from);
        to->name = arena_copy(arena, name, strlen(name));
        to->host = arena_copy(arena, host, strlen(host));
        if (to->name == NULL || to->host == NULL || !copy_topics(from, arena, to)) {
            return false;
        }
    }
    return ret_group->members != NULL;
}

static weir_status take_group(struct kafka_log *log, rd_kafka_event_t *event, const char *group,
                              struct arena *arena, struct log_group *ret_group, struct error *error)
{
    size_t count = 0;
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    const rd_kafka_ConsumerGroupDescription_t **found =
        rd_kafka_DescribeConsumerGroups_result_groups(
            rd_kafka_event_DescribeConsumerGroups_result(event), &count);
    const rd_kafka_error_t *fault =
        count == 0 ? NULL : rd_kafka_ConsumerGroupDescription_error(found[0]);
    code = fault == NULL ? code : rd_kafka_error_code(fault);
    ret_group->state = "not there yet";
    if (code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND ||
        (code == RD_KAFKA_RESP_ERR_NO_ERROR && count == 0)) {
        return WEIR_OK;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        weir_status st = kafka_error(error, code, "describe the group '%s'", group);
        kafka_lack_if(log->settings, code, "Describe", KAFKA_GROUP, group, error);
        return st;
    }
    rd_kafka_consumer_group_state_t state = rd_kafka_ConsumerGroupDescription_state(found[0]);
    if (state == RD_KAFKA_CONSUMER_GROUP_STATE_DEAD) {
        return WEIR_OK; /* the word of older brokers for one that is not there */
    }
    ret_group->state = rd_kafka_consumer_group_state_name(state);
    return copy_members(found[0], arena, ret_group) ? WEIR_OK : error_no_memory(error);
}

weir_status kafka_log_group_look(struct log *face, const char *group, struct arena *arena,
                                 struct log_group *ret_group, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    *ret_group = (struct log_group){ .topic = progress_topic_name(arena, group) };
    if (ret_group->topic == NULL) {
        return error_no_memory(error);
    }
    ret_group->is_topic_there = kafka_topic_find(log, ret_group->topic) != NULL;
    struct kafka_request request =
        kafka_request_begin(log, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS);
    rd_kafka_DescribeConsumerGroups(log->admin, &group, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    if (event == NULL) {
        return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                         "could not describe the group '%s': Kafka does not answer", group);
    }
    weir_status st = take_group(log, event, group, arena, ret_group, error);
    rd_kafka_event_destroy(event);
    return st;
}
