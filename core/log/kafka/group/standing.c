/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/standing.h"

#include "base/clock.h"
#include "base/logger.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"

enum { REPEAT_MS = 30000, TEXT_ROOM = 512 };

void kafka_standing_init(struct kafka_standing *standing)
{
    *standing = (struct kafka_standing){ .told = RD_KAFKA_RESP_ERR_NO_ERROR };
    pthread_mutex_init(&standing->lock, NULL);
}

void kafka_standing_deinit(struct kafka_standing *standing)
{
    pthread_mutex_destroy(&standing->lock);
}

/* ---- what does not go away ------------------------------------------------------------------------- */

/* The library's consumer is of no use any more. */
static void judge_fatal(const struct kafka_member *member, struct error *error)
{
    char text[TEXT_ROOM] = "";
    char room[REDACT_ROOM];
    const struct kafka_settings *settings = member->log->settings;
    const struct kafka_property *instance = kafka_property_get(settings, "group.instance.id");
    rd_kafka_resp_err_t code = rd_kafka_fatal_error(member->consumer, text, sizeof text);
    if (code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID && instance != NULL) {
        error_set(
            error, WEIR_E_IO, WEIR_CLASS_CONFIG,
            "another process has taken the place of this one in the group '%s': both have the "
            "'group.instance.id' '%s'",
            member->group, instance->value);
        error_hint(error, "give each process one of its own, or none");
        return;
    }
    error_set(error, WEIR_E_IO, WEIR_CLASS_NETWORK,
              "Kafka has put this process out of the group '%s': %s", member->group,
              kafka_hide(settings, text, room));
    error_hint(error, "start it again: it goes on from the last checkpoint");
    error->asks_restart = true;
}

/* False: it may go away. */
static bool is_final(const struct kafka_member *member, rd_kafka_resp_err_t code,
                     struct error *error)
{
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        judge_fatal(member, error);
        return true;
    }
    (void)kafka_error(error, code, "read in the group '%s'", member->group);
    kafka_lack_if(member->log->settings, code, "Read", KAFKA_GROUP, member->group, error);
    return error->error_class == WEIR_CLASS_AUTH;
}

static void keep(struct kafka_standing *standing, const struct error *error)
{
    pthread_mutex_lock(&standing->lock);
    if (standing->fault.status == WEIR_OK) {
        standing->fault = *error;
    }
    pthread_mutex_unlock(&standing->lock);
}

weir_status kafka_standing_check(struct kafka_member *member, struct error *error)
{
    struct kafka_standing *standing = &member->standing;
    pthread_mutex_lock(&standing->lock);
    weir_status st = standing->fault.status;
    if (st != WEIR_OK && error != NULL) {
        *error = standing->fault;
    }
    pthread_mutex_unlock(&standing->lock);
    return st;
}

/* ---- what may go away ------------------------------------------------------------------------------ */

/* Of connections others tell, in words of their own; the end of a partition nobody reads is no news. */
static bool is_silent(rd_kafka_resp_err_t code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        return true;
    default:
        return false;
    }
}

static void tell(const struct kafka_member *member, enum logger_level level,
                 rd_kafka_resp_err_t code, const char *text)
{
    char room[REDACT_ROOM];
    if (code == RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL) {
        logger_write(
            level, "kafka",
            "the group '%s' has members that divide partitions in another way, such as those "
            "of another version of the pipeline; waits until they have left",
            member->group);
    } else {
        logger_write(level, "kafka", "group '%s': %s; tried again", member->group,
                     kafka_hide(member->log->settings, text, room));
    }
}

void kafka_standing_note(struct kafka_member *member, rd_kafka_resp_err_t code, const char *text)
{
    struct kafka_standing *standing = &member->standing;
    struct error error = { .status = WEIR_OK };
    int64_t now_ns = clock_monotonic_ns();
    if (is_silent(code)) {
        return;
    }
    if (is_final(member, code, &error)) {
        keep(standing, &error);
        return;
    }
    bool is_told =
        code == standing->told && now_ns - standing->told_ns < REPEAT_MS * INT64_C(1000000);
    tell(member, is_told ? LOGGER_DEBUG : LOGGER_WARNING, code, text);
    if (!is_told) {
        standing->told = code;
        standing->told_ns = now_ns;
    }
}
