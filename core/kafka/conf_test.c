/* SPDX-License-Identifier: MIT */
#include "kafka/conf.h"

#include <string.h>

#include "kafka/properties.h"
#include "unit.h"

static const struct kafka_property given[] = {
    { .name = "security.protocol", .value = "sasl_ssl", .clients = 3 },
    { .name = "sasl.mechanisms", .value = "PLAIN", .clients = 3 },
    { .name = "sasl.username", .value = "someone", .clients = 3 },
    { .name = "sasl.password", .value = "hunter22", .clients = 3, .is_secret = true },
    { .name = "fetch.min.bytes", .value = "77", .clients = KAFKA_FOR_CONSUMER },
    { .name = "linger.ms", .value = "7", .clients = KAFKA_FOR_PRODUCER },
};
static const struct kafka_settings settings = { .properties = given,
                                                .property_count = sizeof given / sizeof given[0] };

static void check(const rd_kafka_conf_t *conf, const char *name, const char *wanted)
{
    char value[256] = "";
    size_t size = sizeof value;
    ck_assert_int_eq(rd_kafka_conf_get(conf, name, value, &size), RD_KAFKA_CONF_OK);
    ck_assert_msg(strcmp(value, wanted) == 0, "%s is '%s'", name, value);
}

static rd_kafka_conf_t *make(enum kafka_role role, const struct kafka_default *defaults)
{
    rd_kafka_conf_t *conf = NULL;
    struct error error = { 0 };
    ck_assert_msg(kafka_conf_make(&settings, "a:1,b:2", role, defaults, &conf, &error) == WEIR_OK,
                  "%s", error.message);
    return conf;
}

START_TEST(all_clients_get_brokers_and_security)
{
    for (int role = KAFKA_CONSUMER; role <= KAFKA_ADMIN; role++) {
        rd_kafka_conf_t *conf = make((enum kafka_role)role, NULL);
        check(conf, "bootstrap.servers", "a:1,b:2");
        check(conf, "client.id", "weir");
        check(conf, "security.protocol", "sasl_ssl");
        check(conf, "sasl.mechanism", "PLAIN");
        check(conf, "sasl.username", "someone");
        check(conf, "sasl.password", "hunter22");
        rd_kafka_conf_destroy(conf);
    }
}
END_TEST

START_TEST(a_property_goes_to_the_client_that_it_is_for)
{
    rd_kafka_conf_t *consumer = make(KAFKA_CONSUMER, NULL);
    rd_kafka_conf_t *producer = make(KAFKA_PRODUCER, NULL);
    rd_kafka_conf_t *admin = make(KAFKA_ADMIN, NULL);
    check(consumer, "fetch.min.bytes", "77");
    check(consumer, "linger.ms", "5");
    check(producer, "fetch.min.bytes", "1");
    check(producer, "linger.ms", "7");
    check(admin, "fetch.min.bytes", "1");
    check(admin, "linger.ms", "5");
    rd_kafka_conf_destroy(consumer);
    rd_kafka_conf_destroy(producer);
    rd_kafka_conf_destroy(admin);
}
END_TEST

START_TEST(the_user_replaces_defaults_and_weir_keeps_its_own)
{
    static const struct kafka_default defaults[] = { { "linger.ms", "50" },
                                                     { "batch.size", "4711" },
                                                     { "enable.auto.commit", "true" },
                                                     { NULL, NULL } };
    rd_kafka_conf_t *producer = make(KAFKA_PRODUCER, defaults);
    rd_kafka_conf_t *consumer = make(KAFKA_CONSUMER, defaults);
    check(producer, "linger.ms", "7");
    check(producer, "batch.size", "4711");
    check(producer, "enable.idempotence", "true");
    check(consumer, "enable.auto.commit", "false");
    check(consumer, "enable.auto.offset.store", "false");
    check(consumer, "isolation.level", "read_committed");
    rd_kafka_conf_destroy(producer);
    rd_kafka_conf_destroy(consumer);
}
END_TEST

START_TEST(what_the_library_refuses_is_told_without_secrets)
{
    struct kafka_property wrong[] = {
        { .name = "security.protocol", .value = "hunter22", .clients = 3 },
        { .name = "sasl.password", .value = "hunter22", .clients = 3, .is_secret = true },
    };
    struct kafka_settings bad = { .properties = wrong, .property_count = 2 };
    rd_kafka_conf_t *conf = NULL;
    struct error error = { 0 };
    ck_assert_int_eq(kafka_conf_make(&bad, "a:1", KAFKA_ADMIN, NULL, &conf, &error),
                     WEIR_E_INVALID);
    ck_assert_ptr_null(conf);
    ck_assert_msg(strstr(error.message, "'security.protocol'") != NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, "Invalid value \"***\"") != NULL, "%s", error.message);
}
END_TEST

START_TEST(secrets_are_hidden_and_nothing_else)
{
    char room[REDACT_ROOM];
    ck_assert_str_eq(kafka_hide(&settings, "someone says hunter22, hunter22", room),
                     "someone says ***, ***");
    ck_assert_str_eq(kafka_hide(&settings, "nothing", room), "nothing");
}
END_TEST

START_TEST(defaults_are_those_of_the_table)
{
    struct kafka_settings defaults;
    kafka_settings_init(&defaults);
    ck_assert_int_eq(defaults.auto_offset_reset, KAFKA_RESET_EARLIEST);
    ck_assert_int_eq(defaults.lost_offsets, KAFKA_LOST_FAIL);
    ck_assert_int_eq(defaults.broker_availability_timeout_ms, 120000);
    ck_assert_int_eq(defaults.request_timeout_ms, 30000);
    ck_assert_int_eq(defaults.topic_create_timeout_ms, 60000);
    ck_assert_int_eq(defaults.create_topics, 1);
    ck_assert_uint_eq(defaults.property_count, 0);
}
END_TEST

START_TEST(a_topic_is_found_by_its_name_in_the_log)
{
    static const struct kafka_topic_plan topics[] = { { .name = "a", .replication = 3 },
                                                      { .name = "b" } };
    const struct kafka_settings with = { .topics = topics, .topic_count = 2 };
    ck_assert_ptr_eq(kafka_topic_plan_find(&with, "b"), &topics[1]);
    ck_assert_ptr_null(kafka_topic_plan_find(&with, "c"));
    ck_assert_ptr_null(kafka_topic_plan_find(&settings, "a"));
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("kafka conf");
    TCase *tests = tcase_create("conf");
    tcase_add_test(tests, all_clients_get_brokers_and_security);
    tcase_add_test(tests, a_property_goes_to_the_client_that_it_is_for);
    tcase_add_test(tests, the_user_replaces_defaults_and_weir_keeps_its_own);
    tcase_add_test(tests, what_the_library_refuses_is_told_without_secrets);
    tcase_add_test(tests, secrets_are_hidden_and_nothing_else);
    tcase_add_test(tests, defaults_are_those_of_the_table);
    tcase_add_test(tests, a_topic_is_found_by_its_name_in_the_log);
    suite_add_tcase(suite, tests);
    return suite;
}
