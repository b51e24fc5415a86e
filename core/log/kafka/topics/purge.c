/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/purge.h"

#include <string.h>

#include "base/logger.h"
#include "log/kafka/client/place.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

enum { PAUSE_MS = 30000, LEAST_MESSAGES = 1000 };

bool kafka_is_between(const char *topic)
{
    static const char *const prefixes[] = { "source__", "repartition__" };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(topic, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* What the last commit has let go, as far as it is worth a request. */
static rd_kafka_topic_partition_list_t *list_processed(struct kafka_log *log)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; kafka_is_between(topic->face.name) && i < topic->face.partitions;
             i++) {
            struct kafka_partition *part = &topic->parts[i];
            if (part->is_assigned && part->committed - part->purged >= LEAST_MESSAGES) {
                kafka_place_add(list, topic->face.name, i, kafka_place(part->committed));
                part->purged = part->committed;
            }
        }
    }
    return list;
}

/* The topics would grow for ever, so that is told; once, since it stays so. */
static void tell_denial(struct kafka_log *log, rd_kafka_event_t *answer)
{
    const rd_kafka_DeleteRecords_result_t *result = rd_kafka_event_DeleteRecords_result(answer);
    const rd_kafka_topic_partition_list_t *list =
        result == NULL || rd_kafka_event_error(answer) != RD_KAFKA_RESP_ERR_NO_ERROR
            ? NULL
            : rd_kafka_DeleteRecords_result_offsets(result);
    for (int i = 0; list != NULL && i < list->cnt && !log->is_purge_denied; i++) {
        struct error lack;
        if (kafka_is_denied(list->elems[i].err, KAFKA_TOPIC)) {
            log->is_purge_denied = true;
            (void)kafka_lack(log->settings, "Delete", KAFKA_TOPIC, list->elems[i].topic, &lack);
            logger_write(LOGGER_WARNING, "kafka", "%s, so what is processed stays in it; %s",
                         lack.message, lack.hint);
        }
    }
}

/* Nobody waits for the answer: what was not removed now goes with what comes later. */
static void send_request(struct kafka_log *log, const rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_DeleteRecords_t *wanted = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(log->admin, &wanted, 1, NULL, log->purges);
    rd_kafka_DeleteRecords_destroy(wanted);
}

static void take_answers(struct kafka_log *log)
{
    rd_kafka_event_t *answer;
    while (log->purges != NULL && (answer = rd_kafka_queue_poll(log->purges, 0)) != NULL) {
        tell_denial(log, answer);
        rd_kafka_event_destroy(answer);
    }
}

void kafka_purge(struct kafka_log *log, int64_t now_ms)
{
    if (log->member == NULL || now_ms - log->purged_ms < PAUSE_MS) {
        return;
    }
    take_answers(log);
    bool is_first = log->purged_ms == 0;
    log->purged_ms = now_ms;
    if (log->purges == NULL) {
        log->purges = rd_kafka_queue_new(log->admin);
    }
    rd_kafka_topic_partition_list_t *list =
        is_first ? NULL : list_processed(log); /* a start has other things to do */
    if (list != NULL && list->cnt > 0) {
        send_request(log, list);
    }
    if (list != NULL) {
        rd_kafka_topic_partition_list_destroy(list);
    }
}
