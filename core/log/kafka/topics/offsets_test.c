/* SPDX-License-Identifier: MIT */
/* Offsets of a partition whose leader moves, on librdkafka's stand-in for a cluster of three brokers. */
#include "log/kafka/topics/offsets.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>

#include "log/kafka/kafka_log.h"
#include "unit.h"

enum { BROKERS = 3, PATIENCE_MS = 30000 };

static rd_kafka_t *host;
static rd_kafka_mock_cluster_t *cluster;
static struct log *kafka;
static struct error error;

static void start(void)
{
    char text[512];
    char address[600];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "log_level", "3", text,
                      sizeof text); /* it has no brokers, and says so */
    host = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    ck_assert_ptr_nonnull(host);
    cluster = rd_kafka_mock_cluster_new(host, BROKERS);
    ck_assert_ptr_nonnull(cluster);
    ck_assert_int_eq(rd_kafka_mock_topic_create(cluster, "orders", 1, BROKERS), 0);
    snprintf(address, sizeof address, "kafka://%s", rd_kafka_mock_cluster_bootstraps(cluster));
    require(log_open(address, ".", LOG_READ, &kafka, &error) == WEIR_OK, "%s", error.message);
}

static void finish(void)
{
    log_close(kafka);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(host);
}

static weir_status ask(void)
{
    int64_t low = -1;
    int64_t high = -1;
    weir_status st =
        kafka_ask_range(kafka_of(kafka), "orders", 0, PATIENCE_MS, &low, &high, &error);
    ck_assert(st != WEIR_OK || (low == 0 && high == 0));
    return st;
}

/* librdkafka 2.0 asks the leader of before for ever. */
START_TEST(every_leader_is_found)
{
    for (int32_t broker = 1; broker <= BROKERS; broker++) {
        rd_kafka_mock_partition_set_leader(cluster, "orders", 0, broker);
        require(ask() == WEIR_OK, "leader %d: %s", (int)broker, error.message);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("offsets");
    TCase *tests = tcase_create("offsets");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, every_leader_is_found);
    suite_add_tcase(made, tests);
    return made;
}
