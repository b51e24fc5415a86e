/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/position.h"

#include <inttypes.h>

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/place.h"
#include "log/kafka/group/gap.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/offsets.h"

/*
 * In short attempts: a request that was sent to a coordinator that does not know its groups yet may be
 * left without an answer.
 */
weir_status kafka_position_ask(struct kafka_member *member, rd_kafka_topic_partition_list_t *list,
                               struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(member->log) * INT64_C(1000000);
    rd_kafka_resp_err_t code;
    do {
        code = rd_kafka_committed(member->consumer, list, KAFKA_ASK_MS);
    } while (code == RD_KAFKA_RESP_ERR__TIMED_OUT && kafka_goes_on(member->log) &&
             clock_monotonic_ns() < end_ns);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : kafka_error(error, code, "ask for the positions of the group '%s'", member->group);
}

static weir_status begin_anew(const struct kafka_log *log, const rd_kafka_topic_partition_t *entry,
                              int64_t low, int64_t high, int64_t *ret_position, struct error *error)
{
    *ret_position = log->settings->auto_offset_reset == KAFKA_RESET_LATEST ? high : low;
    if (log->settings->auto_offset_reset != KAFKA_RESET_ERROR) {
        return WEIR_OK;
    }
    error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_CONFIG,
              "topic '%s' partition %" PRId32 ": the group has no position in it, and "
              "'auto_offset_reset' is 'error'",
              entry->topic, entry->partition);
    error_hint(error, "write 'auto_offset_reset: earliest' or 'latest' under 'kafka'");
    return WEIR_E_NOT_FOUND;
}

weir_status kafka_position_find(struct kafka_log *log, const rd_kafka_topic_partition_t *entry,
                                struct log_share *share, struct error *error)
{
    struct kafka_gap gap = { .topic = entry->topic, .partition = entry->partition };
    if (entry->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return kafka_error(error, entry->err,
                           "ask for the position in topic '%s' partition %" PRId32, entry->topic,
                           entry->partition);
    }
    weir_status st = kafka_ask_range(log, entry->topic, entry->partition, KAFKA_ASK_MS, &gap.low,
                                     &gap.high, error);
    if (st != WEIR_OK) {
        return st;
    }
    share->has_position = kafka_place_offset(kafka_place_read(entry->offset), &gap.wanted);
    return share->has_position ? kafka_gap_pass(log, &gap, share, error)
                               : begin_anew(log, entry, gap.low, gap.high, &share->position, error);
}
