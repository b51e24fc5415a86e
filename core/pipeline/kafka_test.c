/* SPDX-License-Identifier: MIT */
/* What a file says about its Kafka cluster, as the log gets it; mistakes stand in tests/check. */
#include "kafka/settings.h"
#include "pipeline/pipeline_fixture.h"

#define REST "topics: [t]\nstreams: {a: {from: {topic: t}, to: print}}\n"

START_TEST(a_file_without_kafka_has_its_defaults)
{
    struct kafka_settings wanted;
    const struct pipeline *pipeline = fixture_load_right("pipeline: p\nlog: kafka://a,b:1\n" REST);
    kafka_settings_init(&wanted);
    ck_assert_str_eq(pipeline->log_url, "kafka://a,b:1");
    ck_assert(!pipeline->is_exactly_once);
    ck_assert_uint_eq(pipeline->kafka.property_count, 0);
    ck_assert_uint_eq(pipeline->kafka.topic_count, 0);
    ck_assert_int_eq(pipeline->kafka.auto_offset_reset, wanted.auto_offset_reset);
    ck_assert_int_eq(pipeline->kafka.request_timeout_ms, wanted.request_timeout_ms);
}
END_TEST

static void check_property(const struct pipeline *pipeline, size_t index, const char *name,
                           const char *value, unsigned clients, bool is_secret)
{
    const struct kafka_property *property = &pipeline->kafka.properties[index];
    ck_assert_str_eq(property->name, name);
    ck_assert_str_eq(property->value, value);
    ck_assert_uint_eq(property->clients, clients);
    ck_assert_int_eq(property->is_secret, is_secret);
}

START_TEST(properties_are_texts_for_their_clients)
{
    setenv("WEIR_TEST_PASSWORD", "hunter22", 1);
    const struct pipeline *pipeline =
        fixture_load_right("pipeline: p\nlog: kafka://a\nguarantee: exactly-once\n"
                           "kafka:\n"
                           "  linger.ms: 5\n"
                           "  check.crcs: true\n"
                           "  sasl.password: ${WEIR_TEST_PASSWORD}\n"
                           "  client.id: '7'\n"
                           "  lost_offsets: latest\n"
                           "  auto_offset_reset: error\n"
                           "  create_topics: false\n"
                           "  broker_availability_timeout: 0\n" REST);
    ck_assert(pipeline->is_exactly_once);
    ck_assert_uint_eq(pipeline->kafka.property_count, 4);
    check_property(pipeline, 0, "linger.ms", "5", KAFKA_FOR_PRODUCER, false);
    check_property(pipeline, 1, "check.crcs", "true", KAFKA_FOR_CONSUMER, false);
    check_property(pipeline, 2, "sasl.password", "hunter22", 3, true);
    check_property(pipeline, 3, "client.id", "7", 3, false);
    ck_assert_int_eq(pipeline->kafka.lost_offsets, KAFKA_LOST_LATEST);
    ck_assert_int_eq(pipeline->kafka.auto_offset_reset, KAFKA_RESET_ERROR);
    ck_assert_uint_eq(pipeline->kafka.create_topics, 0);
    ck_assert_int_eq(pipeline->kafka.broker_availability_timeout_ms, 0);
}
END_TEST

START_TEST(a_path_hangs_on_the_folder_of_the_file)
{
    char wanted[128];
    const struct pipeline *pipeline =
        fixture_load_right("pipeline: p\nlog: kafka://a\nkafka: {ssl.ca.location: p.yaml}\n" REST);
    snprintf(wanted, sizeof wanted, "%s/p.yaml", fixture.folder);
    ck_assert_str_eq(pipeline->kafka.properties[0].value, wanted);
}
END_TEST

START_TEST(a_topic_says_how_it_is_made)
{
    const struct pipeline *pipeline =
        fixture_load_right("pipeline: p\nlog: kafka://a\n"
                           "topics:\n"
                           "  t: {name: readings, replication: 3,\n"
                           "      config: {max.message.bytes: 2000000, preallocate: true}}\n"
                           "  u:\n"
                           "streams: {a: {from: {topic: t}, to: {topic: u}}}\n");
    const struct kafka_topic_plan *topic = kafka_topic_plan_find(&pipeline->kafka, "readings");
    ck_assert_ptr_nonnull(topic);
    ck_assert_int_eq(topic->replication, 3);
    ck_assert_uint_eq(topic->config_count, 2);
    ck_assert_str_eq(topic->config[0].name, "max.message.bytes");
    ck_assert_str_eq(topic->config[0].value, "2000000");
    ck_assert_str_eq(topic->config[1].name, "preallocate");
    ck_assert_str_eq(topic->config[1].value, "true");
    ck_assert_ptr_null(kafka_topic_plan_find(&pipeline->kafka, "u"));
}
END_TEST

START_TEST(a_misspelt_config_is_judged_too)
{
    fixture_load("pipeline: p\nlog: kafka://a\n"
                 "topics:\n"
                 "  t: {confg: {retention_ms: 5}}\n"
                 "streams: {a: {from: {topic: t}, to: print}}\n");
    fixture_expect(0, SEVERITY_ERROR, 4, 3, "'retention_ms' is no name");
    fixture_expect(1, SEVERITY_ERROR, 4, 7, "did you mean 'config'?");
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("kafka");
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_test(cases, a_file_without_kafka_has_its_defaults);
    tcase_add_test(cases, properties_are_texts_for_their_clients);
    tcase_add_test(cases, a_path_hangs_on_the_folder_of_the_file);
    tcase_add_test(cases, a_topic_says_how_it_is_made);
    tcase_add_test(cases, a_misspelt_config_is_judged_too);
    Suite *made = suite_create("kafka of a file");
    suite_add_tcase(made, cases);
    return made;
}
