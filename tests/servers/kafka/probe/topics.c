/* SPDX-License-Identifier: MIT */
/* Commands about topics: create, delete, list, config, watermarks. */
#include <string.h>

#include "probe.h"

static const char *const no_defaults[] = { NULL };

static void check_topics(const rd_kafka_topic_result_t **results, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (rd_kafka_topic_result_error(results[i]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
            fail("could not %s topic '%s': %s", what, rd_kafka_topic_result_name(results[i]),
                 rd_kafka_topic_result_error_string(results[i]));
        }
    }
}

/* ---- create ------------------------------------------------------------------------------------ */

static void set_config(rd_kafka_NewTopic_t *topic, char *pair)
{
    char *equals = strchr(pair, '=');
    if (equals == NULL) {
        misused("a setting of a topic is NAME=VALUE");
    }
    *equals = '\0';
    rd_kafka_NewTopic_set_config(topic, pair, equals + 1);
}

static int partitions_known(rd_kafka_t *client, const char *topic)
{
    const struct rd_kafka_metadata *metadata;
    int count = 0;
    if (rd_kafka_metadata(client, 1, NULL, &metadata, WAIT_MS) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return 0;
    }
    for (int i = 0; i < metadata->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *found = &metadata->topics[i];
        if (strcmp(found->topic, topic) == 0 && found->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            count = found->partition_cnt;
        }
    }
    rd_kafka_metadata_destroy(metadata);
    return count;
}

/* A cluster has a topic some time after it says so; who creates one wants to work with it. */
static void wait_until_known(rd_kafka_t *client, const char *topic)
{
    for (int tries = 0; tries < WAIT_MS / 20; tries++) {
        if (partitions_known(client, topic) > 0) {
            return;
        }
        rd_kafka_poll(client, 20);
    }
    fail("topic '%s' was created and is not there", topic);
}

int create_topic(struct command_line *line)
{
    char reason[512];
    const char *replicas = take_option(line, "--replicas");
    const char *name = take_word(line, "create wants TOPIC");
    int partitions =
        (int)to_number(take_word(line, "create wants PARTITIONS"), "no number of partitions");
    rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(
        name, partitions, replicas != NULL ? (int)to_number(replicas, "--replicas") : -1, reason,
        sizeof reason);
    if (topic == NULL) {
        fail("%s", reason);
    }
    while (line->count > 0) {
        set_config(topic, line->word[0]);
        take_word(line, "");
    }
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_CreateTopics(client, &topic, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "create a topic");
    size_t count;
    check_topics(
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count), 1,
        "create");
    wait_until_known(client, name);
    rd_kafka_event_destroy(event);
    rd_kafka_NewTopic_destroy(topic);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- grow -------------------------------------------------------------------------------------- */

int grow_topic(struct command_line *line)
{
    char reason[512];
    const char *name = take_word(line, "grow wants TOPIC");
    size_t partitions =
        (size_t)to_number(take_word(line, "grow wants PARTITIONS"), "no number of partitions");
    rd_kafka_NewPartitions_t *wanted =
        rd_kafka_NewPartitions_new(name, partitions, reason, sizeof reason);
    if (wanted == NULL) {
        fail("%s", reason);
    }
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_CreatePartitions(client, &wanted, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "give a topic more partitions");
    size_t count;
    check_topics(rd_kafka_CreatePartitions_result_topics(
                     rd_kafka_event_CreatePartitions_result(event), &count),
                 1, "grow");
    rd_kafka_event_destroy(event);
    rd_kafka_NewPartitions_destroy(wanted);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- delete ------------------------------------------------------------------------------------ */

static void delete_topic(rd_kafka_t *client, rd_kafka_queue_t *queue, const char *name)
{
    rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(name);
    size_t count;
    rd_kafka_DeleteTopics(client, &topic, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "delete a topic");
    check_topics(
        rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &count), 1,
        "delete");
    rd_kafka_event_destroy(event);
    rd_kafka_DeleteTopic_destroy(topic);
}

int delete_topics(struct command_line *line)
{
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    do {
        delete_topic(client, queue, take_word(line, "delete wants TOPIC"));
    } while (line->count > 0);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- alter ------------------------------------------------------------------------------------- */

/* From now on the topic has these settings, and otherwise those of the broker. */
int alter_topic(struct command_line *line)
{
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_ConfigResource_t *topic =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, take_word(line, "alter wants TOPIC"));
    size_t count = 0;
    do {
        char *value = line->word[0];
        const char *name = strsep(&value, "=");
        (void)take_word(line, "alter wants NAME=VALUE");
        rd_kafka_ConfigResource_set_config(topic, name, value);
    } while (line->count > 0);
    rd_kafka_AlterConfigs(client, &topic, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "alter a topic");
    const rd_kafka_ConfigResource_t **done =
        rd_kafka_AlterConfigs_result_resources(rd_kafka_event_AlterConfigs_result(event), &count);
    if (rd_kafka_ConfigResource_error(done[0]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not alter the topic: %s", rd_kafka_ConfigResource_error_string(done[0]));
    }
    rd_kafka_event_destroy(event);
    rd_kafka_ConfigResource_destroy(topic);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- trim -------------------------------------------------------------------------------------- */

/* Records before an offset are gone, as if the broker's retention had removed them. */
int trim_topic(struct command_line *line)
{
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    const char *topic = take_word(line, "trim wants TOPIC");
    int32_t partition = (int32_t)to_number(take_word(line, "trim wants PARTITION"), "no partition");
    rd_kafka_topic_partition_list_add(list, topic, partition)->offset =
        to_number(take_word(line, "trim wants OFFSET"), "no offset");
    rd_kafka_DeleteRecords_t *wanted = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(client, &wanted, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "remove records");
    const rd_kafka_topic_partition_list_t *done =
        rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event));
    if (done->elems[0].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not remove records: %s", rd_kafka_err2str(done->elems[0].err));
    }
    rd_kafka_event_destroy(event);
    rd_kafka_DeleteRecords_destroy(wanted);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- list -------------------------------------------------------------------------------------- */

static yyjson_mut_val *partition_json(yyjson_mut_doc *line,
                                      const rd_kafka_metadata_partition_t *partition)
{
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_obj_add_int(line, object, "partition", partition->id);
    yyjson_mut_obj_add_int(line, object, "leader", partition->leader);
    yyjson_mut_obj_add_val(
        line, object, "replicas",
        yyjson_mut_arr_with_sint32(line, partition->replicas, (size_t)partition->replica_cnt));
    yyjson_mut_obj_add_val(
        line, object, "in_sync",
        yyjson_mut_arr_with_sint32(line, partition->isrs, (size_t)partition->isr_cnt));
    return object;
}

static void print_topic(const rd_kafka_metadata_topic_t *topic)
{
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_val *partitions = yyjson_mut_arr(line);
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_str(line, object, "topic", topic->topic);
    for (int i = 0; i < topic->partition_cnt; i++) {
        yyjson_mut_arr_append(partitions, partition_json(line, &topic->partitions[i]));
    }
    yyjson_mut_obj_add_val(line, object, "partitions", partitions);
    print_line(line);
}

int list_topics(struct command_line *line)
{
    const struct rd_kafka_metadata *metadata;
    (void)line;
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_resp_err_t error = rd_kafka_metadata(client, 1, NULL, &metadata, WAIT_MS);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not list topics: %s", rd_kafka_err2str(error));
    }
    for (int i = 0; i < metadata->topic_cnt; i++) {
        print_topic(&metadata->topics[i]);
    }
    rd_kafka_metadata_destroy(metadata);
    rd_kafka_destroy(client);
    return 0;
}

int partition_count(rd_kafka_t *client, const char *topic)
{
    int count = partitions_known(client, topic);
    if (count == 0) {
        fail("there is no topic '%s'", topic);
    }
    return count;
}

/* ---- config ------------------------------------------------------------------------------------ */

static void print_config(const rd_kafka_ConfigResource_t *resource)
{
    size_t count;
    const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(resource, &count);
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_doc_set_root(line, object);
    for (size_t i = 0; i < count; i++) {
        const char *value = rd_kafka_ConfigEntry_value(entries[i]);
        yyjson_mut_obj_add(object, yyjson_mut_str(line, rd_kafka_ConfigEntry_name(entries[i])),
                           value != NULL ? yyjson_mut_str(line, value) : yyjson_mut_null(line));
    }
    print_line(line);
}

int show_config(struct command_line *line)
{
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, no_defaults);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
    rd_kafka_ConfigResource_t *topic =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, take_word(line, "config wants TOPIC"));
    size_t count;
    rd_kafka_DescribeConfigs(client, &topic, 1, NULL, queue);
    rd_kafka_event_t *event = wait_for(queue, "ask for settings");
    const rd_kafka_ConfigResource_t **found = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    if (rd_kafka_ConfigResource_error(found[0]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not ask for settings: %s", rd_kafka_ConfigResource_error_string(found[0]));
    }
    print_config(found[0]);
    rd_kafka_event_destroy(event);
    rd_kafka_ConfigResource_destroy(topic);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(client);
    return 0;
}

/* ---- watermarks -------------------------------------------------------------------------------- */

static void print_watermarks(rd_kafka_t *client, const char *topic, int32_t partition)
{
    struct extent extent = partition_extent(client, topic, partition);
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_int(line, object, "partition", partition);
    yyjson_mut_obj_add_sint(line, object, "low", extent.first);
    yyjson_mut_obj_add_sint(line, object, "high", extent.end);
    print_line(line);
}

int show_watermarks(struct command_line *line)
{
    const char *level = take_flag(line, "--committed") ? "read_committed" : "read_uncommitted";
    const char *defaults[] = { "isolation.level", level, NULL };
    const char *topic = take_word(line, "watermarks wants TOPIC");
    rd_kafka_t *client = client_create(RD_KAFKA_CONSUMER, defaults);
    int count = partition_count(client, topic);
    for (int32_t i = 0; i < count; i++) {
        print_watermarks(client, topic, i);
    }
    rd_kafka_destroy(client);
    return 0;
}
