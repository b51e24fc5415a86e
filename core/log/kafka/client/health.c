/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/health.h"

#include "base/clock.h"
#include "base/logger.h"
#include "log/kafka/kafka_log.h"

enum { LOOK_MS = 2000, ANSWER_MS = 1000 };

static bool has_trouble(struct kafka_log *log, int64_t *ret_since_ns)
{
    pthread_mutex_lock(&log->trouble.lock);
    bool has_trouble = log->trouble.code != RD_KAFKA_RESP_ERR_NO_ERROR;
    *ret_since_ns = log->trouble.since_ns;
    pthread_mutex_unlock(&log->trouble.lock);
    return has_trouble;
}

static bool do_answer(rd_kafka_t *client)
{
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_resp_err_t code = rd_kafka_metadata(client, 0, NULL, &metadata, ANSWER_MS);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_metadata_destroy(metadata);
    }
    return code == RD_KAFKA_RESP_ERR_NO_ERROR;
}

static void note_back(struct kafka_log *log, int64_t now_ns)
{
    int64_t away_ns = atomic_exchange(&log->away_ns, 0);
    kafka_trouble_clear(&log->trouble);
    if (away_ns != 0) {
        logger_write(LOGGER_INFO, "kafka", "the brokers answer again, after %.1f s",
                     (double)(now_ns - away_ns) / 1e9);
    }
}

static void note_away(struct kafka_log *log, int64_t since_ns)
{
    struct error error = { 0 };
    if (atomic_load(&log->away_ns) == 0) {
        atomic_store(&log->away_ns, since_ns);
        (void)kafka_trouble_tell(&log->trouble, log->brokers, &error);
        logger_write(LOGGER_WARNING, "kafka", "%s; tried again and again, nothing is lost",
                     error.message);
    }
}

void kafka_health_look(struct kafka_log *log, rd_kafka_t *client)
{
    int64_t now_ns = clock_monotonic_ns();
    int64_t since_ns = 0;
    if (now_ns - log->looked_ns < LOOK_MS * INT64_C(1000000) || !has_trouble(log, &since_ns)) {
        return;
    }
    if (do_answer(client)) {
        note_back(log, now_ns);
    } else {
        note_away(log, since_ns);
    }
    log->looked_ns = clock_monotonic_ns();
}

weir_status kafka_health_check(struct kafka_log *log, struct error *error)
{
    int64_t away_ns = atomic_load(&log->away_ns);
    int64_t limit_ms = log->settings->broker_availability_timeout_ms;
    int64_t now_ns = clock_monotonic_ns();
    if (away_ns == 0 || limit_ms == 0 || now_ns - away_ns < limit_ms * INT64_C(1000000)) {
        return WEIR_OK;
    }
    struct error trouble = { 0 };
    (void)kafka_trouble_tell(&log->trouble, log->brokers, &trouble);
    error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK, "Kafka has been away for %.0f s: %s",
              (double)(now_ns - away_ns) / 1e9, trouble.message);
    error_hint(error, "start it again when the brokers are back; 'broker_availability_timeout' "
                      "under 'kafka' says how long it waits");
    if (error != NULL) {
        error->asks_restart = true;
    }
    return WEIR_E_TIMEOUT;
}
