/* SPDX-License-Identifier: MIT */
/*
 * The order of records within a partition counts, that between partitions does not. Engines write the same
 * number in different ways (12.30, 12.3), so results in JSON are compared by value.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <yyjson.h>

#include "topic.h"

enum { POLL_MS = 20000, POOL = 64 * 1024, LINE = 512, MEMBERS = 5 };

struct sum {
    XXH3_state_t *state; /* NULL: no record */
    uint64_t count;
};

static const char *const names[MEMBERS] = { "device", "ts", "temperature", "fahrenheit", "load" };

/* As many digits as all engines agree on. */
static int write_line(char *line, const char *device, const double numbers[MEMBERS - 1])
{
    return snprintf(line, LINE, "%s %.12g %.12g %.12g %.12g\n", device, numbers[0], numbers[1],
                    numbers[2], numbers[3]);
}

static double number_of(yyjson_val *root, const char *name)
{
    yyjson_val *number = yyjson_obj_get(root, name);
    if (!yyjson_is_num(number)) {
        topic_fail("sum a record", "a number is missing");
    }
    return yyjson_get_num(number);
}

/* 0: the record is to be dropped. */
static int compute_line(yyjson_val *root, char *line)
{
    double temperature = number_of(root, "temperature");
    if (temperature < 0) {
        return 0;
    }
    double numbers[] = { number_of(root, "ts"), temperature, temperature * 9 / 5 + 32,
                         number_of(root, "humidity") * 2.5 };
    return write_line(line, yyjson_get_str(yyjson_obj_get(root, "device")), numbers);
}

static int read_line(yyjson_val *root, char *line)
{
    if (yyjson_obj_size(root) != MEMBERS || !yyjson_is_str(yyjson_obj_get(root, names[0]))) {
        topic_fail("sum a record", "it has not the members of a result");
    }
    double numbers[MEMBERS - 1];
    for (int i = 1; i < MEMBERS; i++) {
        numbers[i - 1] = number_of(root, names[i]);
    }
    return write_line(line, yyjson_get_str(yyjson_obj_get(root, names[0])), numbers);
}

static int line_of(const rd_kafka_message_t *message, enum form form, char *line)
{
    static char pool[POOL];
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, pool, sizeof pool);
    yyjson_doc *doc = yyjson_read_opts(message->payload, message->len, 0, &alc, NULL);
    if (doc == NULL) {
        topic_fail("sum a record", "it is no JSON");
    }
    yyjson_val *root = yyjson_doc_get_root(doc);
    return form == FORM_JSON ? read_line(root, line) : compute_line(root, line);
}

static void add_bytes(struct sum *sum, const void *data, size_t size)
{
    XXH3_64bits_update(sum->state, &size, sizeof size);
    XXH3_64bits_update(sum->state, data, size);
}

static void add(struct sum *sum, const rd_kafka_message_t *message, enum form form)
{
    char line[LINE];
    const void *value = message->payload;
    size_t size = message->len;
    if (form != FORM_BYTES) {
        int length = line_of(message, form, line);
        if (length == 0) {
            return;
        }
        value = line;
        size = (size_t)length;
    }
    if (sum->state == NULL) {
        sum->state = XXH3_createState();
        XXH3_64bits_reset(sum->state);
    }
    add_bytes(sum, message->key, message->key_len);
    add_bytes(sum, value, size);
    sum->count++;
}

/* All partitions from their beginning. Returns how many there are. */
static int assign(rd_kafka_t *consumer, const char *topic)
{
    const struct rd_kafka_metadata *metadata;
    rd_kafka_topic_t *handle = rd_kafka_topic_new(consumer, topic, NULL);
    rd_kafka_resp_err_t err = rd_kafka_metadata(consumer, 0, handle, &metadata, POLL_MS);
    if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        topic_fail("see the topic", rd_kafka_err2str(err));
    }
    int count = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
    rd_kafka_topic_destroy(handle);
    if (count == 0 || count > PARTITIONS) {
        topic_fail("see the topic", "it is not there, or has more than 64 partitions");
    }
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(count);
    for (int partition = 0; partition < count; partition++) {
        rd_kafka_topic_partition_list_add(list, topic, partition)->offset =
            RD_KAFKA_OFFSET_BEGINNING;
    }
    rd_kafka_assign(consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
    return count;
}

static rd_kafka_t *create_consumer(rd_kafka_conf_t *conf)
{
    topic_set(conf, "group.id", "sums"); /* asked for, but never joined */
    topic_set(conf, "enable.auto.commit", "false");
    topic_set(conf, "enable.partition.eof", "true");
    topic_set(conf, "queued.min.messages", "1000000"); /* raw_wake.h tells why */
    topic_set(conf, "queued.max.messages.kbytes", "262144");
    char why[256];
    rd_kafka_t *consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (consumer == NULL) {
        topic_fail("make a consumer", why);
    }
    rd_kafka_poll_set_consumer(consumer);
    return consumer;
}

static void read_all(rd_kafka_t *consumer, int partitions, enum form form, struct sum *sums)
{
    while (partitions > 0) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, POLL_MS);
        if (message == NULL) {
            topic_fail("read the topic", "the broker was too slow");
        }
        if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            partitions--;
        } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            topic_fail("read the topic", rd_kafka_message_errstr(message));
        } else {
            add(&sums[message->partition], message, form);
        }
        rd_kafka_message_destroy(message);
    }
}

void topic_sums(rd_kafka_conf_t *conf, const char *topic, enum form form)
{
    struct sum sums[PARTITIONS] = { 0 };
    rd_kafka_t *consumer = create_consumer(conf);
    read_all(consumer, assign(consumer, topic), form, sums);
    for (int partition = 0; partition < PARTITIONS; partition++) {
        if (sums[partition].state != NULL) {
            printf("%d %" PRIu64 " %016" PRIx64 "\n", partition, sums[partition].count,
                   (uint64_t)XXH3_64bits_digest(sums[partition].state));
            XXH3_freeState(sums[partition].state);
        }
    }
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
}
