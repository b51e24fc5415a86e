/* SPDX-License-Identifier: MIT */
/* The command consume: what topics hold, from where to the end, without a group. */
#include <string.h>
#include <time.h>

#include "probe.h"

struct reading {
    rd_kafka_t *client;
    int64_t wanted; /* -1: what is there */
    int64_t seen;
    int ends_missing; /* partitions whose end has not been met */
    int64_t deadline_ms;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static yyjson_mut_val *headers_json(yyjson_mut_doc *line, const rd_kafka_message_t *message)
{
    yyjson_mut_val *array = yyjson_mut_arr(line);
    rd_kafka_headers_t *headers;
    const char *name;
    const void *value;
    size_t size;
    if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return array;
    }
    for (size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         i++) {
        yyjson_mut_val *pair = yyjson_mut_arr(line);
        yyjson_mut_arr_add_strcpy(line, pair, name);
        yyjson_mut_arr_append(pair, bytes_to_json(line, value, size));
        yyjson_mut_arr_append(array, pair);
    }
    return array;
}

static void print_message(const rd_kafka_message_t *message)
{
    rd_kafka_timestamp_type_t type;
    int64_t timestamp = rd_kafka_message_timestamp(message, &type);
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_str(line, object, "topic", rd_kafka_topic_name(message->rkt));
    yyjson_mut_obj_add_int(line, object, "partition", message->partition);
    yyjson_mut_obj_add_sint(line, object, "offset", message->offset);
    yyjson_mut_obj_add_sint(line, object, "timestamp", timestamp);
    yyjson_mut_obj_add_val(line, object, "key",
                           bytes_to_json(line, message->key, message->key_len));
    yyjson_mut_obj_add_val(line, object, "value",
                           bytes_to_json(line, message->payload, message->len));
    yyjson_mut_obj_add_val(line, object, "headers", headers_json(line, message));
    print_line(line);
}

static void take_message(struct reading *reading, const rd_kafka_message_t *message)
{
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        reading->ends_missing--;
    } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not consume: %s", rd_kafka_message_errstr(message));
    } else {
        print_message(message);
        reading->seen++;
    }
}

static bool is_done(const struct reading *reading)
{
    return reading->wanted >= 0 ? reading->seen >= reading->wanted : reading->ends_missing <= 0;
}

static void read_all(struct reading *reading)
{
    while (!is_done(reading)) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(reading->client, 100);
        if (message != NULL) {
            take_message(reading, message);
            rd_kafka_message_destroy(message);
        }
        if (!is_done(reading) && now_ms() > reading->deadline_ms) {
            fail("%lld records came in time, %lld were wanted", (long long)reading->seen,
                 (long long)reading->wanted);
        }
    }
}

/* The beginning is asked for: librdkafka, told of it, may wait half a second before it asks. */
static void assign_topic(struct reading *reading, rd_kafka_topic_partition_list_t *list,
                         const char *topic, const char *partition, const char *from)
{
    int count = partition_count(reading->client, topic);
    for (int32_t i = 0; i < count; i++) {
        if (partition == NULL || to_number(partition, "--partition wants a number") == i) {
            rd_kafka_topic_partition_list_add(list, topic, i)->offset =
                from != NULL ? to_number(from, "--from wants an offset")
                             : partition_extent(reading->client, topic, i).first;
        }
    }
}

int consume(struct command_line *line)
{
    const char *level = take_flag(line, "--uncommitted") ? "read_uncommitted" : "read_committed";
    const char *partition = take_option(line, "--partition");
    const char *from = take_option(line, "--from");
    const char *count = take_option(line, "--count");
    const char *wait = take_option(line, "--wait");
    const char *defaults[] = { "isolation.level",
                               level,
                               "group.id",
                               "probe",
                               "enable.partition.eof",
                               "true",
                               "enable.auto.commit",
                               "false",
                               "auto.offset.reset",
                               "error",
                               "fetch.wait.max.ms",
                               "10",
                               NULL };
    struct reading reading = { .client = client_create(RD_KAFKA_CONSUMER, defaults),
                               .wanted = count != NULL ? to_number(count, "--count wants a number")
                                                       : -1 };
    int64_t wait_ms = wait != NULL ? 1000 * to_number(wait, "--wait wants seconds") : 2 * WAIT_MS;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    do {
        assign_topic(&reading, list, take_word(line, "consume wants TOPIC"), partition, from);
    } while (line->count > 0);
    rd_kafka_poll_set_consumer(reading.client);
    rd_kafka_assign(reading.client, list);
    reading.ends_missing = list->cnt;
    reading.deadline_ms = now_ms() + wait_ms;
    rd_kafka_topic_partition_list_destroy(list);
    read_all(&reading);
    rd_kafka_consumer_close(reading.client);
    rd_kafka_destroy(reading.client);
    return 0;
}
