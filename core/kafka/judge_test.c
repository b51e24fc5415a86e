/* SPDX-License-Identifier: MIT */
#include "kafka/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static struct arena arena;
static struct kafka_properties known;

static void start(void)
{
    struct error error = { 0 };
    arena_init(&arena, 0);
    ck_assert_int_eq(kafka_properties_read(&arena, &known, &error), WEIR_OK);
}

static void finish(void)
{
    arena_deinit(&arena);
}

/* ---- one value ----------------------------------------------------------------------------------- */

/* message NULL: right */
static const struct {
    const char *name;
    const char *value;
    const char *message;
} values[] = {
    { "linger.ms", "5", NULL },
    { "linger.ms", "0.5", NULL },
    { "acks", "all", NULL },
    { "acks", "-1", NULL },
    { "security.protocol", "SASL_SSL", NULL },
    { "socket.keepalive.enable", "true", NULL },
    { "client.id", "5s", NULL },
    { "linger.ms", "5ms", "it is no number" },
    { "fetch.min.bytes", "1KiB", "it is no number" },
    { "fetch.min.bytes", "1.5", "it is no number" },
    { "fetch.min.bytes", "0", "outside allowed range 1..100000000" },
    { "fetch.min.bytes", "many", "Invalid value" },
    { "socket.keepalive.enable", "2", "Expected bool" },
    { "security.protocol", "tls", "Invalid value \"tls\"" },
    { "debug", "brokr", "Invalid value" },
};

START_TEST(the_library_judges_a_value)
{
    struct error error = { 0 };
    weir_status st = kafka_property_judge(kafka_property_find(&known, values[_i].name),
                                          values[_i].value, &error);
    if (values[_i].message == NULL) {
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        return;
    }
    ck_assert_int_eq(st, WEIR_E_INVALID);
    ck_assert_msg(strstr(error.message, values[_i].message) != NULL, "%s", error.message);
    ck_assert_msg(strchr(error.message, '\n') == NULL, "%s", error.message);
}
END_TEST

START_TEST(a_range_is_the_cure)
{
    struct error error = { 0 };
    (void)kafka_property_judge(kafka_property_find(&known, "security.protocol"), "tls", &error);
    ck_assert_str_eq(error.hint, "it takes plaintext, ssl, sasl_plaintext, sasl_ssl");
}
END_TEST

/* ---- all together -------------------------------------------------------------------------------- */

enum { MOST = 4 };

static weir_status judge(const char *const *pairs, bool is_transactional, const char **ret_culprit,
                         struct error *error)
{
    struct kafka_property given[MOST];
    struct kafka_settings settings = { .properties = given };
    for (; *pairs != NULL; pairs += 2) {
        const struct kafka_property_info *info = kafka_property_find(&known, pairs[0]);
        given[settings.property_count++] = (struct kafka_property){ .name = pairs[0],
                                                                    .value = pairs[1],
                                                                    .clients = info->clients,
                                                                    .is_secret = info->is_secret };
    }
    const struct kafka_property *culprit = NULL;
    weir_status st = kafka_settings_judge(&settings, is_transactional, &culprit, error);
    *ret_culprit = culprit != NULL ? culprit->name : NULL;
    return st;
}

static const struct {
    const char *pairs[2 * MOST + 1];
    const char *culprit;
    const char *message;
    bool is_transactional;
} settings[] = {
    { .pairs = { NULL } },
    { .pairs = { NULL }, .is_transactional = true },
    { .pairs = { "security.protocol", "sasl_plaintext", "sasl.mechanism", "PLAIN", "sasl.username",
                 "a", "sasl.password", "b" } },
    { .pairs = { "acks", "1" }, .culprit = "acks", .message = "must be set to `all`" },
    { .pairs = { "fetch.max.bytes", "1000" },
      .culprit = "fetch.max.bytes",
      .message = "must be >= `message.max.bytes`" },
    { .pairs = { "security.protocol", "sasl_plaintext", "sasl.mechanism", "PLAIN" },
      .message = "sasl.username and sasl.password must be set" },
    { .pairs = { "security.protocol", "sasl_plaintext", "sasl.mechanism", "plain" },
      .culprit = "sasl.mechanism",
      .message = "Unsupported SASL mechanism: plain" },
    { .pairs = { "security.protocol", "sasl_plaintext", "sasl.username", "SCRAM-SHA",
                 "sasl.password", "b", "sasl.mechanisms", "SCRAM-SHA-257" },
      .culprit = "sasl.mechanisms",
      .message = "Unsupported hash function: SCRAM-SHA-257" },
    { .pairs = { "security.protocol", "ssl", "ssl.key.pem", "hunter22" },
      .culprit = "ssl.key.pem",
      .message = "not in PEM format" },
    { .pairs = { "transaction.timeout.ms", "2000", "message.timeout.ms", "5000" } },
    { .pairs = { "transaction.timeout.ms", "2000", "message.timeout.ms", "5000" },
      .is_transactional = true,
      .culprit = "transaction.timeout.ms",
      .message = "`message.timeout.ms` must be set <=" },
};

START_TEST(the_library_judges_all_together)
{
    struct error error = { 0 };
    const char *culprit = NULL;
    weir_status st = judge(settings[_i].pairs, settings[_i].is_transactional, &culprit, &error);
    if (settings[_i].message == NULL) {
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        return;
    }
    ck_assert_int_eq(st, WEIR_E_INVALID);
    ck_assert_msg(strstr(error.message, settings[_i].message) != NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, "hunter22") == NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, "::") == NULL, "%s", error.message);
    ck_assert_pstr_eq(culprit, settings[_i].culprit);
}
END_TEST

/* A key whose password is missing: what the library logs says more than its error. */
START_TEST(the_log_of_the_library_says_why)
{
    static const char *const pairs[] = { "security.protocol", "ssl", "ssl.key.location",
                                         "/dev/null", NULL };
    struct error error = { 0 };
    const char *culprit = NULL;
    ck_assert_int_eq(judge(pairs, false, &culprit, &error), WEIR_E_INVALID);
    ck_assert_pstr_eq(culprit, "ssl.key.location");
    ck_assert_msg(strchr(error.message, '(') != NULL, "%s", error.message);
}
END_TEST

/* Kerberos would ask for a ticket as soon as there is a client. */
START_TEST(nobody_is_asked_for_a_ticket)
{
    char path[] = "/tmp/weir-judge-XXXXXX";
    char command[64];
    struct error error = { 0 };
    const char *culprit = NULL;
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    snprintf(command, sizeof command, "rm %s", path);
    const char *const pairs[] = { "security.protocol",
                                  "sasl_plaintext",
                                  "sasl.mechanism",
                                  "GSSAPI",
                                  "sasl.kerberos.kinit.cmd",
                                  command,
                                  NULL };
    weir_status st = judge(pairs, false, &culprit, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("judge");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_loop_test(tests, the_library_judges_a_value, 0, sizeof values / sizeof values[0]);
    tcase_add_test(tests, a_range_is_the_cure);
    tcase_add_loop_test(tests, the_library_judges_all_together, 0,
                        sizeof settings / sizeof settings[0]);
    tcase_add_test(tests, the_log_of_the_library_says_why);
    tcase_add_test(tests, nobody_is_asked_for_a_ticket);
    Suite *made = suite_create("kafka judge");
    suite_add_tcase(made, tests);
    return made;
}
