/* SPDX-License-Identifier: MIT */
#include "log/kafka/commit/absence.h"

#include <librdkafka/rdkafka.h>

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

enum { ANSWER_MS = 1000 };

static bool is_read(const struct kafka_topic *topic)
{
    for (uint32_t i = 0; i < topic->face.partitions; i++) {
        if (topic->parts[i].is_assigned) {
            return true;
        }
    }
    return false;
}

/* A topic that this process reads and the brokers do not have; NULL: there is none, or they do not answer. */
static const char *find_absent(const struct kafka_log *log)
{
    const struct rd_kafka_metadata *metadata = NULL;
    const char *absent = NULL;
    if (rd_kafka_metadata(log->admin, 1, NULL, &metadata, ANSWER_MS) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
        return NULL;
    }
    for (const struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        if (is_read(topic) && kafka_topic_in(metadata, topic->face.name) == NULL) {
            absent = topic->face.name;
        }
    }
    rd_kafka_metadata_destroy(metadata);
    return absent;
}

void kafka_absence_end(struct kafka_member *member)
{
    member->absent_ns = 0;
}

weir_status kafka_absence_judge(struct kafka_member *member, struct error *error)
{
    const char *topic = find_absent(member->log);
    int64_t now_ns = clock_monotonic_ns();
    if (topic == NULL) {
        member->absent_ns = 0;
        (void)kafka_error(error, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
                          "commit the positions of the group '%s'", member->group);
        error->is_retriable = true;
        return error->status;
    }
    member->absent_ns = member->absent_ns == 0 ? now_ns : member->absent_ns;
    error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
              "could not commit the positions of the group '%s': the topic '%s' is gone",
              member->group, topic);
    error_hint(error, "it was there at the start; who has removed it?");
    error->is_retriable =
        now_ns - member->absent_ns < member->log->settings->request_timeout_ms * INT64_C(1000000);
    return WEIR_E_NOT_FOUND;
}
