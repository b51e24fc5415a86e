/* SPDX-License-Identifier: MIT */
/*
 * Which offsets a partition has: asked for, found by time, and taken away from its beginning.
 */
#ifndef LOG_KAFKA_OFFSETS_H
#define LOG_KAFKA_OFFSETS_H

#include <librdkafka/rdkafka.h>

#include "log/kafka/client/place.h"
#include "log/log.h"

struct kafka_log;

/* How long whoever supervises asks at a time: it has more to do than to wait. */
enum { KAFKA_ASK_MS = 2000 };

/*
 * The offset at the beginning or the end. The library's own question for both knows no end where the partition's
 * leader is away.
 */
rd_kafka_resp_err_t kafka_place_ask(rd_kafka_t *client, const char *topic, int32_t partition,
                                    struct kafka_place place, int timeout_ms,
                                    struct kafka_place *ret_place);
/*
 * patience_ms  how long the partition's leader may be unknown or away
 * ret_low      the first offset of the partition
 * ret_high     the one behind its last
 */
weir_status kafka_ask_range(struct kafka_log *log, const char *topic, int32_t partition,
                            int64_t patience_ms, int64_t *ret_low, int64_t *ret_high,
                            struct error *error);

/* Removes the messages of a partition before a place, whoever has not read them. */
weir_status kafka_remove_before(struct log_topic *topic, uint32_t partition,
                                struct kafka_place before, struct error *error);

/* As in log.h. */
weir_status kafka_log_partition_info(struct log_topic *topic, uint32_t partition,
                                     struct log_partition_info *ret_info, struct error *error);
weir_status kafka_log_offset_at(struct log_topic *topic, uint32_t partition, int64_t timestamp,
                                int64_t *ret_offset, struct error *error);
weir_status kafka_log_trim(struct log_topic *topic, uint32_t partition, int64_t before,
                           struct error *error);
weir_status kafka_log_empty(struct log_topic *topic, struct error *error);

#endif
