/* SPDX-License-Identifier: MIT */
/*
 * What is wrong between the clients and the brokers, as far as the library has told, in a sentence with a
 * cure. Clients note what they hear, whoever waits in vain tells it.
 */
#ifndef LOG_KAFKA_TROUBLE_H
#define LOG_KAFKA_TROUBLE_H

#include <pthread.h>

#include <librdkafka/rdkafka.h>

#include "base/error.h"

/* How long it is worth to wait for the trouble to go away by itself. */
enum kafka_patience {
    KAFKA_PATIENT,   /* a broker that is away may come back */
    KAFKA_IMPATIENT, /* the setting is wrong, most likely */
    KAFKA_HOPELESS   /* credentials or certificates are wrong */
};

enum { KAFKA_REASON_ROOM = 384, KAFKA_BROKER_ROOM = 128 };

/*
 * code         RD_KAFKA_RESP_ERR_NO_ERROR: nothing is wrong
 * certificate  why the last certificate was refused: X509_V_ERR_...; 0: none was
 * since_ns     when the first of it was noted, on the monotonic clock
 * has_answered a broker has, since the log was opened: the settings of the way there are right
 */
struct kafka_trouble {
    pthread_mutex_t lock;
    rd_kafka_resp_err_t code;
    int certificate;
    int64_t since_ns;
    bool has_answered;
    char broker[KAFKA_BROKER_ROOM]; /* "host:port" */
    char reason[KAFKA_REASON_ROOM];
};

void kafka_trouble_init(struct kafka_trouble *trouble);
void kafka_trouble_deinit(struct kafka_trouble *trouble);

/* What an error callback gets; reason: without secrets. What is less telling than what is known is
 * dropped. Any thread. */
void kafka_trouble_note(struct kafka_trouble *trouble, rd_kafka_resp_err_t code,
                        const char *reason);
void kafka_trouble_note_certificate(struct kafka_trouble *trouble, int x509_error);
/* A broker has answered. */
void kafka_trouble_clear(struct kafka_trouble *trouble);

/* True where nobody should wait any longer. */
bool kafka_trouble_is_over_patience(struct kafka_trouble *trouble, int64_t now_ns);
/*
 * "could not reach Kafka at BROKER: WHY" with a cure and its class; status WEIR_E_TIMEOUT where nothing
 * was noted; asks_restart where what is wrong may go away. brokers: stands there where no broker is known.
 */
weir_status kafka_trouble_tell(struct kafka_trouble *trouble, const char *brokers,
                               struct error *error);

#endif
