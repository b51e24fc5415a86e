/* SPDX-License-Identifier: MIT */
/*
 * The library's codes are few and its texts tell more, so the texts are looked at; one that is not known
 * is passed on as it is.
 */
#include "log/kafka/client/trouble.h"

#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define SECONDS INT64_C(1000000000)

/* Of librdkafka before 2.6.1: it sends its nonce twice, which Kafka 4 refuses. */
#define FIRST_SCRAM_VERSION 0x02060100

struct explanation {
    const char *part; /* of the library's text */
    const char *why;  /* NULL: the text itself */
    const char *cure;
    uint32_t error_class;
    enum kafka_patience patience;
};

#define USER_CURE   "check 'sasl.username' and 'sasl.password' under 'kafka'"
#define SCRAM_CURE  USER_CURE "; this librdkafka cannot log in by SCRAM at Kafka 4, 2.6.1 can"
#define PLAIN_CURE  "take 'SASL_' away in 'security.protocol', or take the port that is for users"
#define CLIENT_CURE "write 'ssl.certificate.location' and 'ssl.key.location' under 'kafka'"
#define TLS_CURE    "write 'security.protocol: SSL' under 'kafka', or SASL_SSL"
#define NO_TLS_CURE "take another 'security.protocol', or the port that is for TLS"
#define SASL_CURE                                                                                  \
 "write 'security.protocol: SASL_SSL', 'sasl.mechanism', 'sasl.username' and 'sasl.password' "     \
 "under 'kafka'"

/* The first whose part stands in the text. */
static const struct explanation explanations[] = {
    { "Unsupported SASL mechanism", NULL, "write another 'sasl.mechanism' under 'kafka'",
      WEIR_CLASS_AUTH, KAFKA_HOPELESS },
    { "not valid in current SASL state", "the broker lets everybody in at this port", PLAIN_CURE,
      WEIR_CLASS_CONFIG, KAFKA_HOPELESS },
    { "SASL authentication error", NULL, USER_CURE, WEIR_CLASS_AUTH, KAFKA_HOPELESS },
    { "alert bad certificate", "the broker wants a certificate of the client", CLIENT_CURE,
      WEIR_CLASS_AUTH, KAFKA_HOPELESS },
    { "certificate required", "the broker wants a certificate of the client", CLIENT_CURE,
      WEIR_CLASS_AUTH, KAFKA_HOPELESS },
    { "alert unknown ca", "the broker does not know the authority of the client's certificate",
      "take one that the broker's administrator has signed", WEIR_CLASS_AUTH, KAFKA_HOPELESS },
    { "alert certificate", "the broker refuses the client's certificate", CLIENT_CURE,
      WEIR_CLASS_AUTH, KAFKA_HOPELESS },
    { "unexpected eof", "the broker speaks no TLS at this port", NO_TLS_CURE, WEIR_CLASS_CONFIG,
      KAFKA_IMPATIENT },
    { "wrong version number", "the broker speaks no TLS at this port", NO_TLS_CURE,
      WEIR_CLASS_CONFIG, KAFKA_IMPATIENT },
    { "connecting to a PLAINTEXT", "the broker speaks no TLS at this port", NO_TLS_CURE,
      WEIR_CLASS_CONFIG, KAFKA_IMPATIENT },
    { "connecting to a SSL listener", "the broker hangs up, as one does that expects TLS", TLS_CURE,
      WEIR_CLASS_CONFIG, KAFKA_IMPATIENT },
    { "might require SASL", "the broker hangs up, as one does that expects a user", SASL_CURE,
      WEIR_CLASS_CONFIG, KAFKA_IMPATIENT },
    { "Failed to resolve", NULL, "check the host in 'log'", WEIR_CLASS_NETWORK, KAFKA_IMPATIENT },
    { "ApiVersionRequest failed: Local: Timed out", "somebody listens there and does not answer",
      "check whether the broker runs, and whether it is one", WEIR_CLASS_NETWORK, KAFKA_PATIENT },
    { "Connection refused", "nobody listens there", "check 'log', and whether the broker runs",
      WEIR_CLASS_NETWORK, KAFKA_PATIENT },
};

static const struct explanation scram_of_old = { "with SASL mechanism SCRAM", NULL, SCRAM_CURE,
                                                 WEIR_CLASS_AUTH, KAFKA_HOPELESS };
static const struct explanation untrusted = {
    NULL, NULL, "write the authority that has signed it in 'ssl.ca.location' under 'kafka'",
    WEIR_CLASS_AUTH, KAFKA_HOPELESS
};
static const struct explanation overdue = { NULL, NULL,
                                            "the broker needs a new one; check the clock here too",
                                            WEIR_CLASS_AUTH, KAFKA_HOPELESS };
static const struct explanation misnamed = {
    NULL, NULL,
    "write the name that it is made for in 'log', or 'ssl.endpoint.identification.algorithm: none'",
    WEIR_CLASS_AUTH, KAFKA_HOPELESS
};
/* So does one that ends. */
static const struct explanation hung_up = { NULL, "the broker has hung up",
                                            "check whether the broker runs", WEIR_CLASS_NETWORK,
                                            KAFKA_PATIENT };
static const struct explanation unknown = { NULL, NULL, "check 'log', and whether the broker runs",
                                            WEIR_CLASS_NETWORK, KAFKA_PATIENT };

/* ---- explaining ---------------------------------------------------------------------------------- */

static const struct explanation *explain_certificate(int x509_error)
{
    switch (x509_error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return &overdue;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return &misnamed;
    default:
        return &untrusted;
    }
}

/* That a setting is wrong is concluded from how the broker hangs up. */
static bool is_conclusion(const struct explanation *explanation)
{
    return explanation->patience == KAFKA_IMPATIENT &&
           explanation->error_class == WEIR_CLASS_CONFIG;
}

static const struct explanation *explain(const struct kafka_trouble *trouble)
{
    if (strstr(trouble->reason, "certificate verify failed") != NULL) {
        return explain_certificate(trouble->certificate);
    }
    if (rd_kafka_version() < FIRST_SCRAM_VERSION &&
        strstr(trouble->reason, scram_of_old.part) != NULL) {
        return &scram_of_old;
    }
    for (size_t i = 0; i < sizeof explanations / sizeof explanations[0]; i++) {
        if (strstr(trouble->reason, explanations[i].part) != NULL) {
            return trouble->has_answered && is_conclusion(&explanations[i]) ? &hung_up
                                                                            : &explanations[i];
        }
    }
    return &unknown;
}

static void write_why(const struct kafka_trouble *trouble, const struct explanation *explanation,
                      char *room, size_t size)
{
    bool is_certificate = strstr(trouble->reason, "certificate verify failed") != NULL;
    if (explanation->why != NULL) {
        snprintf(room, size, "%s", explanation->why);
    } else if (is_certificate && trouble->certificate != 0) {
        snprintf(room, size, "the broker's certificate cannot be trusted: %s",
                 X509_verify_cert_error_string(trouble->certificate));
    } else {
        snprintf(room, size, "%s", trouble->reason);
    }
}

/* ---- noting -------------------------------------------------------------------------------------- */

/* "ssl://host:port/bootstrap: WHY (after 5ms in state CONNECT)" in its parts. */
static void take_reason(struct kafka_trouble *trouble, const char *reason)
{
    const char *scheme = strstr(reason, "://");
    const char *broker = scheme != NULL ? scheme + 3 : reason;
    const char *slash = strchr(broker, '/');
    const char *colon = strstr(reason, ": ");
    bool has_broker = slash != NULL && colon != NULL && slash < colon;
    const char *why = has_broker ? colon + 2 : reason;
    const char *end = strstr(why, " (after ");
    snprintf(trouble->broker, sizeof trouble->broker, "%.*s",
             has_broker ? (int)(slash - broker) : 0, broker);
    snprintf(trouble->reason, sizeof trouble->reason, "%.*s",
             end != NULL ? (int)(end - why) : (int)strlen(why), why);
}

/* That all brokers are away follows from what was said of each. */
static bool is_telling(rd_kafka_resp_err_t code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
        return true;
    default:
        return false;
    }
}

void kafka_trouble_init(struct kafka_trouble *trouble)
{
    *trouble = (struct kafka_trouble){ 0 };
    pthread_mutex_init(&trouble->lock, NULL);
}

void kafka_trouble_deinit(struct kafka_trouble *trouble)
{
    pthread_mutex_destroy(&trouble->lock);
}

void kafka_trouble_note(struct kafka_trouble *trouble, rd_kafka_resp_err_t code, const char *reason)
{
    if (!is_telling(code)) {
        return;
    }
    pthread_mutex_lock(&trouble->lock);
    struct kafka_trouble next = { .code = code,
                                  .certificate = trouble->certificate,
                                  .has_answered = trouble->has_answered };
    take_reason(&next, reason);
    bool is_first = trouble->code == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (is_first || explain(&next)->patience >= explain(trouble)->patience) {
        trouble->code = code;
        memcpy(trouble->broker, next.broker, sizeof next.broker);
        memcpy(trouble->reason, next.reason, sizeof next.reason);
    }
    if (is_first) {
        trouble->since_ns = clock_monotonic_ns();
    }
    pthread_mutex_unlock(&trouble->lock);
}

void kafka_trouble_note_certificate(struct kafka_trouble *trouble, int x509_error)
{
    pthread_mutex_lock(&trouble->lock);
    trouble->certificate = x509_error;
    pthread_mutex_unlock(&trouble->lock);
}

void kafka_trouble_clear(struct kafka_trouble *trouble)
{
    pthread_mutex_lock(&trouble->lock);
    trouble->code = RD_KAFKA_RESP_ERR_NO_ERROR;
    trouble->certificate = 0;
    trouble->has_answered = true;
    pthread_mutex_unlock(&trouble->lock);
}

/* ---- telling ------------------------------------------------------------------------------------- */

bool kafka_trouble_is_over_patience(struct kafka_trouble *trouble, int64_t now_ns)
{
    /* Of several brokers another one may let us in. */
    static const int64_t patience_ns[] = {
        [KAFKA_PATIENT] = INT64_MAX, [KAFKA_IMPATIENT] = 5 * SECONDS, [KAFKA_HOPELESS] = 2 * SECONDS
    };
    pthread_mutex_lock(&trouble->lock);
    bool is_over = trouble->code != RD_KAFKA_RESP_ERR_NO_ERROR &&
                   now_ns - trouble->since_ns >= patience_ns[explain(trouble)->patience];
    pthread_mutex_unlock(&trouble->lock);
    return is_over;
}

weir_status kafka_trouble_tell(struct kafka_trouble *trouble, const char *brokers,
                               struct error *error)
{
    char why[KAFKA_REASON_ROOM];
    pthread_mutex_lock(&trouble->lock);
    const struct explanation *explanation = explain(trouble);
    bool is_known = trouble->code != RD_KAFKA_RESP_ERR_NO_ERROR;
    write_why(trouble, explanation, why, sizeof why);
    weir_status st = error_set(error, is_known ? WEIR_E_IO : WEIR_E_TIMEOUT,
                               is_known ? explanation->error_class : WEIR_CLASS_NETWORK,
                               "could not reach Kafka at %s: %s",
                               is_known && trouble->broker[0] != '\0' ? trouble->broker : brokers,
                               is_known ? why : "no broker answers");
    error_hint(error, "%s", is_known ? explanation->cure : unknown.cure);
    error->asks_restart = !is_known || explanation->patience == KAFKA_PATIENT;
    pthread_mutex_unlock(&trouble->lock);
    return st;
}
