/* SPDX-License-Identifier: MIT */
/*
 * The limit: what a careful programmer would write against librdkafka alone. Reads a topic, does the work,
 * writes to the same partition of another topic; every five seconds it commits what was delivered.
 *
 *     bench_kafka_loop BROKERS GROUP IN OUT bytes|json
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw_commit.h"
#include "raw_forward.h"
#include "raw_json.h"
#include "raw_wake.h"

enum { BATCH = 1000, POLL_MS = 100 };

static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char why[256];
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK) {
        fprintf(stderr, "bench_kafka_loop: %s\n", why);
        exit(1);
    }
}

static rd_kafka_t *create(rd_kafka_type_t type, rd_kafka_conf_t *conf, const char *brokers)
{
    char why[256];
    set(conf, "bootstrap.servers", brokers);
    rd_kafka_t *client = rd_kafka_new(type, conf, why, sizeof why);
    if (client == NULL) {
        fprintf(stderr, "bench_kafka_loop: could not make a client: %s\n", why);
        exit(1);
    }
    return client;
}

/* Small queues and raw_wake.c read as fast as queues of 256 MB, with less memory and CPU. */
static rd_kafka_t *create_consumer(const char *brokers, const char *group, const char *topic)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "group.id", group);
    set(conf, "auto.offset.reset", "earliest");
    set(conf, "enable.auto.commit", "false");
    set(conf, "enable.auto.offset.store", "false");
    set(conf, "queued.min.messages", "20000");
    set(conf, "queued.max.messages.kbytes", "8192");
    rd_kafka_t *consumer = create(RD_KAFKA_CONSUMER, conf, brokers);
    rd_kafka_poll_set_consumer(consumer);
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, topic, RD_KAFKA_PARTITION_UA);
    rd_kafka_resp_err_t err = rd_kafka_subscribe(consumer, topics);
    rd_kafka_topic_partition_list_destroy(topics);
    if (err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fprintf(stderr, "bench_kafka_loop: could not subscribe: %s\n", rd_kafka_err2str(err));
        exit(1);
    }
    return consumer;
}

static rd_kafka_t *create_producer(const char *brokers)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "enable.idempotence", "true");
    set(conf, "compression.type", "lz4");
    set(conf, "queue.buffering.max.messages", "30000"); /* as fast as the default, 200 MB less */
    rd_kafka_conf_set_dr_msg_cb(conf, forward_delivered);
    return create(RD_KAFKA_PRODUCER, conf, brokers);
}

static void run(rd_kafka_t *consumer, struct forward *forward, struct commit *commit, bool is_json)
{
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(consumer);
    rd_kafka_message_t *batch[BATCH];
    while (!is_stopped) {
        ssize_t count = rd_kafka_consume_batch_queue(queue, POLL_MS, batch, BATCH);
        for (ssize_t i = 0; i < count; i++) {
            if (batch[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
                struct bytes value = { batch[i]->payload, batch[i]->len };
                if (!is_json || json_work(value, &value)) {
                    forward_add(forward, batch[i], value);
                }
                commit_note(commit, batch[i]);
            } else if (batch[i]->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
                fprintf(stderr, "bench_kafka_loop: %s\n", rd_kafka_message_errstr(batch[i]));
            }
        }
        forward_send(forward);
        for (ssize_t i = 0; i < count; i++) {
            rd_kafka_message_destroy(batch[i]);
        }
        commit_if_due(commit, forward);
    }
    commit_now(commit, forward);
    rd_kafka_queue_destroy(queue);
}

int main(int argc, char **argv)
{
    if (argc != 6 || (strcmp(argv[5], "bytes") != 0 && strcmp(argv[5], "json") != 0)) {
        fprintf(stderr, "usage: bench_kafka_loop BROKERS GROUP IN OUT bytes|json\n");
        return 2;
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    rd_kafka_t *producer = create_producer(argv[1]);
    rd_kafka_t *consumer = create_consumer(argv[1], argv[2], argv[3]);
    struct forward forward;
    forward_init(&forward, producer, argv[4]);
    struct commit commit;
    commit_init(&commit, consumer, argv[3]);
    struct wake wake;
    wake_start(&wake, consumer, argv[3]);
    run(consumer, &forward, &commit, strcmp(argv[5], "json") == 0);
    wake_stop(&wake);
    forward_deinit(&forward);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_destroy(producer);
    return 0;
}
