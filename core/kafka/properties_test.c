/* SPDX-License-Identifier: MIT */
/* What any librdkafka of these years tells of itself; nothing here depends on one version. */
#include "kafka/properties.h"

#include <librdkafka/rdkafka.h>
#include <string.h>

#include "unit.h"

static struct arena arena;
static struct kafka_properties known;

static void start(void)
{
    struct error error = { 0 };
    arena_init(&arena, 0);
    ck_assert_msg(kafka_properties_read(&arena, &known, &error) == WEIR_OK, "%s", error.message);
}

static void finish(void)
{
    arena_deinit(&arena);
}

static const struct kafka_property_info *get(const char *name)
{
    const struct kafka_property_info *info = kafka_property_find(&known, name);
    ck_assert_msg(info != NULL, "there is no '%s'", name);
    return info;
}

/* Every row was cut right: the library itself knows each name. */
START_TEST(every_property_is_one_of_the_library)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    ck_assert_uint_gt(known.count, 100);
    for (size_t i = 0; i < known.count; i++) {
        const struct kafka_property_info *info = &known.items[i];
        char text[512];
        ck_assert_msg(rd_kafka_conf_set(conf, info->name, "", text, sizeof text) !=
                          RD_KAFKA_CONF_UNKNOWN,
                      "'%s' is unknown", info->name);
        ck_assert_msg(info->clients >= 1 && info->clients <= 3, "'%s' is nobody's", info->name);
        ck_assert_msg(strstr(info->about, "*Type") == NULL, "%s", info->about);
        ck_assert(info->about[0] != '\0' && info->about[0] != ' ');
    }
    rd_kafka_conf_destroy(conf);
}
END_TEST

START_TEST(columns_are_told_apart)
{
    const struct kafka_property_info *linger = get("linger.ms");
    ck_assert_str_eq(linger->range, "0 .. 900000");
    ck_assert_str_eq(linger->default_text, "5");
    ck_assert_str_eq(linger->alias, "queue.buffering.max.ms");
    ck_assert_msg(strncmp(linger->about, "Delay in milliseconds", 21) == 0, "%s", linger->about);
    ck_assert_int_eq(linger->type, KAFKA_FLOAT);
    ck_assert_uint_eq(linger->clients, KAFKA_FOR_PRODUCER);
    ck_assert_uint_eq(get("fetch.min.bytes")->clients, KAFKA_FOR_CONSUMER);
    ck_assert_uint_eq(get("security.protocol")->clients, 3);
    ck_assert_int_eq(get("fetch.min.bytes")->type, KAFKA_INTEGER);
    ck_assert_int_eq(get("socket.keepalive.enable")->type, KAFKA_BOOLEAN);
    ck_assert_int_eq(get("security.protocol")->type, KAFKA_ENUM);
    ck_assert_int_eq(get("dr_msg_cb")->type, KAFKA_POINTER);
    ck_assert_int_eq(get("client.id")->type, KAFKA_TEXT);
    ck_assert_ptr_null(get("client.id")->alias);
    ck_assert(!get("client.id")->is_deprecated);
    ck_assert(get("socket.blocking.max.ms")->is_deprecated);
    ck_assert_ptr_null(kafka_property_find(&known, "Property"));
    ck_assert_ptr_null(kafka_property_find(&known, "no.such.property"));
}
END_TEST

START_TEST(secrets_and_paths_are_told_by_their_names)
{
    static const char *const secrets[] = { "sasl.password",
                                           "ssl.key.password",
                                           "ssl.keystore.password",
                                           "ssl.key.pem",
                                           "ssl.ca.pem",
                                           "sasl.oauthbearer.client.secret",
                                           "sasl.oauthbearer.config" };
    static const char *const paths[] = { "ssl.ca.location",          "ssl.key.location",
                                         "ssl.certificate.location", "ssl.crl.location",
                                         "ssl.keystore.location",    "sasl.kerberos.keytab" };
    static const char *const neither[] = { "sasl.username", "client.id", "sasl.kerberos.kinit.cmd",
                                           "sasl.kerberos.principal" };
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        ck_assert_msg(get(secrets[i])->is_secret, "%s", secrets[i]);
    }
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        ck_assert_msg(get(paths[i])->is_path && !get(paths[i])->is_secret, "%s", paths[i]);
    }
    for (size_t i = 0; i < sizeof neither / sizeof neither[0]; i++) {
        ck_assert(!get(neither[i])->is_path && !get(neither[i])->is_secret);
    }
}
END_TEST

/* "weir sets 'x' itself; CURE" */
START_TEST(what_weir_sets_has_a_cure_and_is_offered_to_nobody)
{
    for (const struct kafka_owned *owned = kafka_owned_properties; owned->name != NULL; owned++) {
        struct nearest search;
        nearest_start(&search, owned->name, strlen(owned->name));
        kafka_properties_offer(&known, &search);
        const char *near = nearest_found(&search);
        ck_assert_msg(near == NULL || strcmp(near, owned->name) != 0, "%s", owned->name);
        ck_assert_ptr_eq(kafka_owned_find(owned->name), owned);
        ck_assert_msg(owned->cure[0] != '\0', "%s", owned->name);
    }
    ck_assert_ptr_null(kafka_owned_find("linger.ms"));
    ck_assert_ptr_null(kafka_owned_find("group.instance.id"));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("properties");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, every_property_is_one_of_the_library);
    tcase_add_test(tests, columns_are_told_apart);
    tcase_add_test(tests, secrets_and_paths_are_told_by_their_names);
    tcase_add_test(tests, what_weir_sets_has_a_cure_and_is_offered_to_nobody);
    Suite *made = suite_create("kafka properties");
    suite_add_tcase(made, tests);
    return made;
}
