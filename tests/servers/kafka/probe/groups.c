/* SPDX-License-Identifier: MIT */
/* Commands about consumer groups: groups, offsets, commit. */
#include "probe.h"

#include <unistd.h>

enum { MAX_GROUPS = 256 };
enum { PAUSE_US = 200000, MOST_TRIES = 450 }; /* 90 s */

static const char *const no_defaults[] = { NULL };

/* [[topic, partition, offset], ...]; without offsets where they tell nothing. */
static yyjson_mut_val *partitions_json(yyjson_mut_doc *line,
                                       const rd_kafka_topic_partition_list_t *list)
{
    yyjson_mut_val *array = yyjson_mut_arr(line);
    for (int i = 0; i < list->cnt; i++) {
        yyjson_mut_val *pair = yyjson_mut_arr(line);
        yyjson_mut_arr_add_strcpy(line, pair, list->elems[i].topic);
        yyjson_mut_arr_add_int(line, pair, list->elems[i].partition);
        yyjson_mut_arr_append(array, pair);
    }
    return array;
}

static yyjson_mut_val *member_json(yyjson_mut_doc *line, const rd_kafka_MemberDescription_t *member)
{
    const rd_kafka_MemberAssignment_t *assignment = rd_kafka_MemberDescription_assignment(member);
    const rd_kafka_topic_partition_list_t *partitions =
        assignment != NULL ? rd_kafka_MemberAssignment_partitions(assignment) : NULL;
    yyjson_mut_val *object = yyjson_mut_obj(line);
    const char *instance = rd_kafka_MemberDescription_group_instance_id(member);
    yyjson_mut_obj_add_strcpy(line, object, "id", rd_kafka_MemberDescription_consumer_id(member));
    yyjson_mut_obj_add_strcpy(line, object, "client", rd_kafka_MemberDescription_client_id(member));
    if (instance != NULL) {
        yyjson_mut_obj_add_strcpy(line, object, "instance", instance);
    }
    yyjson_mut_obj_add_val(line, object, "partitions",
                           partitions != NULL ? partitions_json(line, partitions)
                                              : yyjson_mut_arr(line));
    return object;
}

static void print_group(const rd_kafka_ConsumerGroupDescription_t *group)
{
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_val *members = yyjson_mut_arr(line);
    const rd_kafka_error_t *error = rd_kafka_ConsumerGroupDescription_error(group);
    const char *name = rd_kafka_ConsumerGroupDescription_group_id(group);
    if (error != NULL) {
        fail("could not describe group '%s': %s", name, rd_kafka_error_string(error));
    }
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_strcpy(line, object, "group", name);
    yyjson_mut_obj_add_strcpy(
        line, object, "state",
        rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupDescription_state(group)));
    yyjson_mut_obj_add_strcpy(line, object, "assignor",
                              rd_kafka_ConsumerGroupDescription_partition_assignor(group));
    for (size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(group); i++) {
        yyjson_mut_arr_append(
            members, member_json(line, rd_kafka_ConsumerGroupDescription_member(group, i)));
    }
    yyjson_mut_obj_add_val(line, object, "members", members);
    print_line(line);
}

static void describe(rd_kafka_t *client, const char **names, size_t count)
{
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    size_t found_count = 0;
    rd_kafka_DescribeConsumerGroups(client, names, count, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "describe groups");
    const rd_kafka_ConsumerGroupDescription_t **found =
        rd_kafka_DescribeConsumerGroups_result_groups(
            rd_kafka_event_DescribeConsumerGroups_result(event), &found_count);
    for (size_t i = 0; i < found_count; i++) {
        print_group(found[i]);
    }
    rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
}

static void describe_all(rd_kafka_t *client)
{
    const struct rd_kafka_group_list *list;
    const char *names[MAX_GROUPS];
    size_t count = 0;
    rd_kafka_resp_err_t error = rd_kafka_list_groups(client, NULL, &list, WAIT_MS);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not list groups: %s", rd_kafka_err2str(error));
    }
    for (int i = 0; i < list->group_cnt && count < MAX_GROUPS; i++) {
        names[count++] = list->groups[i].group;
    }
    if (count > 0) {
        describe(client, names, count);
    }
    rd_kafka_group_list_destroy(list);
}

int list_groups(struct command_line *line)
{
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    if (line->count == 0) {
        describe_all(client);
    }
    while (line->count > 0) {
        const char *name = take_word(line, "");
        describe(client, &name, 1);
    }
    rd_kafka_destroy(client);
    return 0;
}

/* ---- offsets ----------------------------------------------------------------------------------- */

static void print_offset(const rd_kafka_topic_partition_t *partition)
{
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_str(line, object, "topic", partition->topic);
    yyjson_mut_obj_add_int(line, object, "partition", partition->partition);
    yyjson_mut_obj_add_sint(line, object, "offset", partition->offset);
    yyjson_mut_obj_add_val(line, object, "metadata",
                           bytes_to_json(line, partition->metadata, partition->metadata_size));
    print_line(line);
}

static void print_offsets(rd_kafka_event_t *event)
{
    size_t count = 0;
    const rd_kafka_group_result_t **groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    const rd_kafka_error_t *error = rd_kafka_group_result_error(groups[0]);
    if (error != NULL) {
        fail("could not list offsets: %s", rd_kafka_error_string(error));
    }
    const rd_kafka_topic_partition_list_t *list = rd_kafka_group_result_partitions(groups[0]);
    for (int i = 0; i < list->cnt; i++) {
        print_offset(&list->elems[i]);
    }
}

/* [TOPIC PARTITIONS]: of these partitions. NULL: of all that the group has; not every broker can tell. */
static rd_kafka_topic_partition_list_t *take_partitions(struct command_line *line)
{
    if (line->count == 0) {
        return NULL;
    }
    const char *topic = take_word(line, "offsets wants TOPIC");
    int count = (int)to_number(take_word(line, "offsets wants PARTITIONS"), "no number");
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(count);
    rd_kafka_topic_partition_list_add_range(list, topic, 0, count - 1);
    return list;
}

int list_offsets(struct command_line *line)
{
    const char *group = take_word(line, "offsets wants GROUP");
    rd_kafka_topic_partition_list_t *partitions = take_partitions(line);
    rd_kafka_ListConsumerGroupOffsets_t *wanted =
        rd_kafka_ListConsumerGroupOffsets_new(group, partitions);
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_ListConsumerGroupOffsets(client, &wanted, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "list offsets");
    print_offsets(event);
    rd_kafka_event_destroy(event);
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
    if (partitions != NULL) {
        rd_kafka_topic_partition_list_destroy(partitions);
    }
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- commit ------------------------------------------------------------------------------------ */

/* While the brokers make the topic of positions, or one has taken over what another had. */
static bool lacks_coordinator(rd_kafka_resp_err_t error)
{
    return error == RD_KAFKA_RESP_ERR_NOT_COORDINATOR ||
           error == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE ||
           error == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS;
}

int commit_offset(struct command_line *line)
{
    const char *defaults[] = { "group.id", take_word(line, "commit wants GROUP"), NULL };
    const char *topic = take_word(line, "commit wants TOPIC");
    int32_t partition =
        (int32_t)to_number(take_word(line, "commit wants PARTITION"), "no partition");
    int64_t offset = to_number(take_word(line, "commit wants OFFSET"), "no offset");
    rd_kafka_t *client = client_create(RD_KAFKA_CONSUMER, defaults);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, partition)->offset = offset;
    rd_kafka_resp_err_t error = rd_kafka_commit(client, list, 0);
    for (int i = 0; lacks_coordinator(error) && i < MOST_TRIES; i++) {
        usleep(PAUSE_US);
        error = rd_kafka_commit(client, list, 0);
    }
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not commit: %s", rd_kafka_err2str(error));
    }
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy(client);
    return 0;
}
