/* SPDX-License-Identifier: MIT */
/* Sentences for what librdkafka 2.0 has told of a Kafka 4.4 in each of these cases. */
#include "log/kafka/client/trouble.h"

#include <openssl/x509_vfy.h>
#include <string.h>

#include "unit.h"

#define AT    "sasl_ssl://b:9/bootstrap: "
#define AFTER " (after 301ms in state AUTH_REQ, 1 identical error(s) suppressed)"
#define UNVERIFIED                                                                                 \
 AT "SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: broker "        \
    "certificate could not be verified, verify that ssl.ca.location is correctly configured" AFTER
#define HANG_UP    "b:9/bootstrap: Disconnected while requesting ApiVersion: might be caused by "
#define NEVER_ENDS (INT64_MAX / 2)

static struct kafka_trouble trouble;

static void start(void)
{
    kafka_trouble_init(&trouble);
}

static void finish(void)
{
    kafka_trouble_deinit(&trouble);
}

static const struct {
    rd_kafka_resp_err_t code;
    int certificate;
    const char *reason;
    const char *message; /* behind "could not reach Kafka at b:9: " */
    const char *cure;    /* part of it */
    uint32_t error_class;
    int patience_s; /* 0: for ever */
} cases[] = {
    { RD_KAFKA_RESP_ERR__AUTHENTICATION, 0,
      AT "SASL authentication error: Authentication failed: Invalid username or password" AFTER,
      "SASL authentication error: Authentication failed: Invalid username or password",
      "'sasl.password'", WEIR_CLASS_AUTH, 2 },
    { RD_KAFKA_RESP_ERR__AUTHENTICATION, 0,
      AT
      "SASL OAUTHBEARER mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's "
      "supported mechanisms: PLAIN" AFTER,
      "SASL OAUTHBEARER mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's "
      "supported mechanisms: PLAIN",
      "'sasl.mechanism'", WEIR_CLASS_AUTH, 2 },
    { RD_KAFKA_RESP_ERR__AUTHENTICATION, 0,
      AT "SASL PLAIN mechanism handshake failed: Broker: Request not valid in current SASL state: "
         "broker's supported mechanisms: " AFTER,
      "the broker lets everybody in at this port", "'SASL_' away", WEIR_CLASS_CONFIG, 2 },
    { RD_KAFKA_RESP_ERR__SSL, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, UNVERIFIED,
      "the broker's certificate cannot be trusted: unable to get local issuer certificate",
      "'ssl.ca.location'", WEIR_CLASS_AUTH, 2 },
    { RD_KAFKA_RESP_ERR__SSL, X509_V_ERR_CERT_HAS_EXPIRED, UNVERIFIED,
      "the broker's certificate cannot be trusted: certificate has expired", "needs a new one",
      WEIR_CLASS_AUTH, 2 },
    { RD_KAFKA_RESP_ERR__SSL, X509_V_ERR_HOSTNAME_MISMATCH, UNVERIFIED,
      "the broker's certificate cannot be trusted: hostname mismatch",
      "ssl.endpoint.identification.algorithm", WEIR_CLASS_AUTH, 2 },
    { RD_KAFKA_RESP_ERR__TRANSPORT, 0,
      AT "Receive failed: error:0A000412:SSL routines::sslv3 alert bad certificate: SSL alert "
         "number 42" AFTER,
      "the broker wants a certificate of the client", "'ssl.key.location'", WEIR_CLASS_AUTH, 2 },
    { RD_KAFKA_RESP_ERR__SSL, 0,
      AT "SSL handshake failed: error:0A000126:SSL routines::unexpected eof while reading" AFTER,
      "the broker speaks no TLS at this port", "'security.protocol'", WEIR_CLASS_CONFIG, 5 },
    { RD_KAFKA_RESP_ERR__TRANSPORT, 0,
      HANG_UP "incorrect security.protocol configuration (connecting to a SSL listener?)" AFTER,
      "the broker hangs up, as one does that expects TLS", "SASL_SSL", WEIR_CLASS_CONFIG, 5 },
    { RD_KAFKA_RESP_ERR__TRANSPORT, 0,
      "b:9/1: Disconnected: verify that security.protocol is correctly configured, broker might "
      "require SASL authentication" AFTER,
      "the broker hangs up, as one does that expects a user", "'sasl.username'", WEIR_CLASS_CONFIG,
      5 },
    { RD_KAFKA_RESP_ERR__RESOLVE, 0,
      "b:9/bootstrap: Failed to resolve 'b:9': Name or service not known" AFTER,
      "Failed to resolve 'b:9': Name or service not known", "the host in 'log'", WEIR_CLASS_NETWORK,
      5 },
    { RD_KAFKA_RESP_ERR__TRANSPORT, 0,
      "b:9/bootstrap: Connect to ipv4#1.2.3.4:9 failed: Connection refused" AFTER,
      "nobody listens there", "whether the broker runs", WEIR_CLASS_NETWORK, 0 },
    { RD_KAFKA_RESP_ERR__TRANSPORT, 0,
      "b:9/bootstrap: ApiVersionRequest failed: Local: Timed out: probably due to broker version < "
      "0.10 (see api.version.request configuration)" AFTER,
      "somebody listens there and does not answer", "whether the broker runs", WEIR_CLASS_NETWORK,
      0 },
    { RD_KAFKA_RESP_ERR__TRANSPORT, 0, "b:9/7: Something new" AFTER, "Something new",
      "whether the broker runs", WEIR_CLASS_NETWORK, 0 },
};

START_TEST(what_the_library_tells_becomes_a_sentence_with_a_cure)
{
    struct error error = { 0 };
    char wanted[512];
    snprintf(wanted, sizeof wanted, "could not reach Kafka at b:9: %s", cases[_i].message);
    kafka_trouble_note_certificate(&trouble, cases[_i].certificate);
    kafka_trouble_note(&trouble, cases[_i].code, cases[_i].reason);
    ck_assert_int_eq(kafka_trouble_tell(&trouble, "a:1,b:9", &error), WEIR_E_IO);
    ck_assert_str_eq(error.message, wanted);
    ck_assert_msg(strstr(error.hint, cases[_i].cure) != NULL, "%s", error.hint);
    ck_assert_uint_eq(error.error_class, cases[_i].error_class);
    ck_assert(error.asks_restart == (cases[_i].patience_s == 0));
}
END_TEST

START_TEST(nobody_waits_for_what_does_not_go_away)
{
    int64_t patience_ns = cases[_i].patience_s * INT64_C(1000000000);
    kafka_trouble_note_certificate(&trouble, cases[_i].certificate);
    kafka_trouble_note(&trouble, cases[_i].code, cases[_i].reason);
    if (patience_ns == 0) {
        ck_assert(!kafka_trouble_is_over_patience(&trouble, NEVER_ENDS));
        return;
    }
    ck_assert(!kafka_trouble_is_over_patience(&trouble, trouble.since_ns + patience_ns - 1));
    ck_assert(kafka_trouble_is_over_patience(&trouble, trouble.since_ns + patience_ns));
}
END_TEST

START_TEST(settings_are_not_suspected_once_a_broker_has_answered)
{
    struct error error = { 0 };
    kafka_trouble_clear(&trouble);
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__TRANSPORT,
                       HANG_UP "incorrect security.protocol configuration (connecting to a SSL "
                               "listener?)" AFTER);
    ck_assert(!kafka_trouble_is_over_patience(&trouble, NEVER_ENDS));
    (void)kafka_trouble_tell(&trouble, "a:1,b:9", &error);
    ck_assert_str_eq(error.message, "could not reach Kafka at b:9: the broker has hung up");
    ck_assert_str_eq(error.hint, "check whether the broker runs");
    ck_assert_uint_eq(error.error_class, WEIR_CLASS_NETWORK);
}
END_TEST

START_TEST(what_follows_from_others_is_not_told)
{
    struct error error = { 0 };
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "1/1 brokers are down");
    ck_assert(!kafka_trouble_is_over_patience(&trouble, NEVER_ENDS));
    ck_assert_int_eq(kafka_trouble_tell(&trouble, "a:1,b:9", &error), WEIR_E_TIMEOUT);
    ck_assert_str_eq(error.message, "could not reach Kafka at a:1,b:9: no broker answers");
    ck_assert_str_ne(error.hint, "");
    ck_assert(error.asks_restart);
}
END_TEST

START_TEST(the_worst_of_several_is_told_and_an_answer_ends_it)
{
    struct error error = { 0 };
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__TRANSPORT, "a:1/bootstrap: Connection refused");
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__AUTHENTICATION,
                       "b:9/bootstrap: SASL authentication error: no" AFTER);
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__TRANSPORT, "a:1/bootstrap: Connection refused");
    (void)kafka_trouble_tell(&trouble, "a:1,b:9", &error);
    ck_assert_str_eq(error.message, "could not reach Kafka at b:9: SASL authentication error: no");
    kafka_trouble_clear(&trouble);
    ck_assert(!kafka_trouble_is_over_patience(&trouble, NEVER_ENDS));
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__TRANSPORT, "a:1/bootstrap: Connection refused");
    (void)kafka_trouble_tell(&trouble, "a:1,b:9", &error);
    ck_assert_str_eq(error.message, "could not reach Kafka at a:1: nobody listens there");
}
END_TEST

START_TEST(a_long_text_is_cut_and_one_without_a_broker_is_whole)
{
    static char reason[4 * KAFKA_REASON_ROOM];
    struct error error = { 0 };
    memset(reason, 'x', sizeof reason - 1);
    kafka_trouble_note(&trouble, RD_KAFKA_RESP_ERR__TRANSPORT, reason);
    (void)kafka_trouble_tell(&trouble, "a:1", &error);
    ck_assert_msg(strncmp(error.message, "could not reach Kafka at a:1: xxx", 33) == 0, "%s",
                  error.message);
}
END_TEST

Suite *suite(void)
{
    enum { CASES = sizeof cases / sizeof cases[0] };
    TCase *tests = tcase_create("trouble");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_loop_test(tests, what_the_library_tells_becomes_a_sentence_with_a_cure, 0, CASES);
    tcase_add_loop_test(tests, nobody_waits_for_what_does_not_go_away, 0, CASES);
    tcase_add_test(tests, settings_are_not_suspected_once_a_broker_has_answered);
    tcase_add_test(tests, what_follows_from_others_is_not_told);
    tcase_add_test(tests, the_worst_of_several_is_told_and_an_answer_ends_it);
    tcase_add_test(tests, a_long_text_is_cut_and_one_without_a_broker_is_whole);
    Suite *made = suite_create("kafka trouble");
    suite_add_tcase(made, tests);
    return made;
}
