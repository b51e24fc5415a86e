/* SPDX-License-Identifier: MIT */
/*
 * librdkafka's stand-in for a cluster as a program: there in some milliseconds, and it fails on demand.
 * It knows no transactions (what is aborted stays to be read), no administration, and keeps 5 MiB of a
 * partition; for all that take a real cluster.
 *
 *     mock [BROKERS]
 *
 * It prints "bootstrap HOST:PORT,...". Each line of its input tells it to do something, and is answered
 * by "ok" or by a reason. It ends with its input, so with the test that holds it.
 */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64 };

struct order {
    rd_kafka_mock_cluster_t *cluster;
    int count;
    char *word[MAX_WORDS];
    const char *fault; /* of the words; NULL: none */
};

/* The kinds of requests whose answers can be chosen, by the names and numbers of Kafka's protocol. */
static const struct {
    const char *name;
    int16_t key;
} requests[] = {
    { "Produce", 0 },
    { "Fetch", 1 },
    { "ListOffsets", 2 },
    { "Metadata", 3 },
    { "OffsetCommit", 8 },
    { "OffsetFetch", 9 },
    { "FindCoordinator", 10 },
    { "JoinGroup", 11 },
    { "Heartbeat", 12 },
    { "LeaveGroup", 13 },
    { "SyncGroup", 14 },
    { "InitProducerId", 22 },
    { "AddPartitionsToTxn", 24 },
    { "AddOffsetsToTxn", 25 },
    { "EndTxn", 26 },
    { "TxnOffsetCommit", 28 },
};

/* ---- words ------------------------------------------------------------------------------------- */

static const char *word_at(struct order *order, int at)
{
    if (at < order->count) {
        return order->word[at];
    }
    order->fault = "words are missing";
    return "";
}

static int number_at(struct order *order, int at)
{
    const char *text = word_at(order, at);
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0') {
        order->fault = "a number is wanted";
    }
    return (int)number;
}

static int16_t request_at(struct order *order, int at)
{
    const char *name = word_at(order, at);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].name, name) == 0) {
            return requests[i].key;
        }
    }
    order->fault = "no such request";
    return -1;
}

/* By name, as librdkafka calls it: NOT_LEADER_FOR_PARTITION, _TRANSPORT (drops the connection). */
static rd_kafka_resp_err_t error_at(struct order *order, int at)
{
    const struct rd_kafka_err_desc *known;
    const char *name = word_at(order, at);
    size_t count;
    rd_kafka_get_err_descs(&known, &count);
    for (size_t i = 0; i < count; i++) {
        if (known[i].name != NULL && strcmp(known[i].name, name) == 0) {
            return known[i].code;
        }
    }
    order->fault = "no such error";
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t push_one(struct order *order, int broker, int16_t request,
                                    rd_kafka_resp_err_t error)
{
    return rd_kafka_mock_broker_push_request_error_rtts(order->cluster, broker, request, 1, error,
                                                        0);
}

/* ---- orders ------------------------------------------------------------------------------------ */

static rd_kafka_resp_err_t create_topic(struct order *order)
{
    const char *name = word_at(order, 1);
    int partitions = number_at(order, 2), replicas = order->count > 3 ? number_at(order, 3) : 1;
    return order->fault ? 0
                        : rd_kafka_mock_topic_create(order->cluster, name, partitions, replicas);
}

static rd_kafka_resp_err_t fail_topic(struct order *order)
{
    const char *name = word_at(order, 1);
    rd_kafka_resp_err_t error = error_at(order, 2);
    if (!order->fault) {
        rd_kafka_mock_topic_set_error(order->cluster, name, error);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t take_down(struct order *order)
{
    int broker = number_at(order, 1);
    return order->fault ? 0 : rd_kafka_mock_broker_set_down(order->cluster, broker);
}

static rd_kafka_resp_err_t bring_up(struct order *order)
{
    int broker = number_at(order, 1);
    return order->fault ? 0 : rd_kafka_mock_broker_set_up(order->cluster, broker);
}

static rd_kafka_resp_err_t slow_down(struct order *order)
{
    int broker = number_at(order, 1), milliseconds = number_at(order, 2);
    return order->fault ? 0 : rd_kafka_mock_broker_set_rtt(order->cluster, broker, milliseconds);
}

static rd_kafka_resp_err_t set_leader(struct order *order)
{
    const char *topic = word_at(order, 1);
    int partition = number_at(order, 2), broker = number_at(order, 3);
    return order->fault
               ? 0
               : rd_kafka_mock_partition_set_leader(order->cluster, topic, partition, broker);
}

static rd_kafka_resp_err_t set_coordinator(struct order *order)
{
    const char *kind = word_at(order, 1), *name = word_at(order, 2);
    int broker = number_at(order, 3);
    return order->fault ? 0 : rd_kafka_mock_coordinator_set(order->cluster, kind, name, broker);
}

static rd_kafka_resp_err_t push_errors(struct order *order)
{
    rd_kafka_resp_err_t errors[MAX_WORDS];
    int16_t request = request_at(order, 1);
    size_t count = 0;
    for (int at = 2; at < order->count; at++) {
        errors[count++] = error_at(order, at);
    }
    if (!order->fault) {
        rd_kafka_mock_push_request_errors_array(order->cluster, request, count, errors);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t push_broker_errors(struct order *order)
{
    int broker = number_at(order, 1);
    int16_t request = request_at(order, 2);
    rd_kafka_resp_err_t failure = RD_KAFKA_RESP_ERR_NO_ERROR;
    for (int at = 3; failure == RD_KAFKA_RESP_ERR_NO_ERROR && at < order->count; at++) {
        rd_kafka_resp_err_t error = error_at(order, at);
        failure =
            order->fault ? RD_KAFKA_RESP_ERR_NO_ERROR : push_one(order, broker, request, error);
    }
    return failure;
}

static rd_kafka_resp_err_t expect_none_left(struct order *order)
{
    int broker = number_at(order, 1);
    int16_t request = request_at(order, 2);
    size_t count = 0;
    rd_kafka_resp_err_t failure =
        order->fault
            ? RD_KAFKA_RESP_ERR_NO_ERROR
            : rd_kafka_mock_broker_error_stack_cnt(order->cluster, broker, request, &count);
    if (count > 0) {
        order->fault = "errors are left";
    }
    return failure;
}

static rd_kafka_resp_err_t clear_errors(struct order *order)
{
    int16_t request = request_at(order, 1);
    if (!order->fault) {
        rd_kafka_mock_clear_request_errors(order->cluster, request);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static const struct {
    const char *name;
    rd_kafka_resp_err_t (*run)(struct order *order);
} orders[] = {
    { "topic", create_topic }, /* NAME PARTITIONS [REPLICAS] */
    { "topic-error",
      fail_topic },           /* NAME ERROR: whoever asks for the topic gets it; NO_ERROR ends it */
    { "down", take_down },    /* BROKER */
    { "up", bring_up },       /* BROKER */
    { "rtt", slow_down },     /* BROKER MILLISECONDS: how long each answer takes */
    { "leader", set_leader }, /* TOPIC PARTITION BROKER; -1: nobody leads */
    { "coordinator", set_coordinator },      /* group|transaction NAME BROKER */
    { "errors", push_errors },               /* REQUEST ERROR...: answers of the next requests */
    { "clear", clear_errors },               /* REQUEST: no more of them */
    { "broker-errors", push_broker_errors }, /* BROKER REQUEST ERROR...: of one broker */
    { "none-left", expect_none_left }, /* BROKER REQUEST: refused while some of these are left */
};

/* ---- the program ------------------------------------------------------------------------------- */

static void answer(struct order *order)
{
    rd_kafka_resp_err_t error;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (strcmp(orders[i].name, order->word[0]) == 0) {
            error = orders[i].run(order);
            puts(order->fault ? order->fault : error ? rd_kafka_err2str(error) : "ok");
            return;
        }
    }
    puts("no such order");
}

static void take_line(rd_kafka_mock_cluster_t *cluster, char *line)
{
    struct order order = { .cluster = cluster };
    char *rest = line, *word;
    while (order.count < MAX_WORDS && (word = strtok_r(NULL, " \n", &rest)) != NULL) {
        order.word[order.count++] = word;
    }
    if (order.count > 0) {
        answer(&order);
        fflush(stdout);
    }
}

static rd_kafka_t *make_client(void)
{
    char reason[512];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "log_level", "0", reason, sizeof reason);
    return rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
}

int main(int count, char **word)
{
    int brokers = count > 1 ? (int)strtol(word[1], NULL, 10) : 1;
    rd_kafka_t *client = make_client();
    rd_kafka_mock_cluster_t *cluster =
        client != NULL && brokers > 0 ? rd_kafka_mock_cluster_new(client, brokers) : NULL;
    char *line = NULL;
    size_t room = 0;
    if (cluster == NULL) {
        fputs("mock: could not make a cluster\n", stderr);
        return 1;
    }
    printf("bootstrap %s\n", rd_kafka_mock_cluster_bootstraps(cluster));
    fflush(stdout);
    while (getline(&line, &room, stdin) > 0) {
        take_line(cluster, line);
    }
    free(line);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(client);
    return 0;
}
