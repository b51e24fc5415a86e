/* SPDX-License-Identifier: MIT */
/*
 * Messages that were to be read next and that the broker does not have any more: found where a partition
 * comes, and under a run that reads it. `lost_offsets` of the file decides what becomes of it.
 */
#ifndef LOG_KAFKA_GAP_H
#define LOG_KAFKA_GAP_H

#include "log/log.h"

struct kafka_log;
struct kafka_member;

/* What was to be read next, and what the broker has. */
struct kafka_gap {
    const char *topic;
    int32_t partition;
    int64_t wanted;
    int64_t low;
    int64_t high;
};

/* Where the share goes on: at what was wanted, if it is there. WEIR_E_DATA: it must not go on. */
weir_status kafka_gap_pass(const struct kafka_log *log, const struct kafka_gap *gap,
                           struct log_share *share, struct error *error);
/* As log_next_change, of partitions that readers have found to be in a gap. */
weir_status kafka_gap_next(struct kafka_member *member, struct arena *arena,
                           struct log_change *ret_change, struct error *error);
/* As log_change_done. */
weir_status kafka_gap_done(struct kafka_member *member, const struct log_change *change,
                           struct error *error);

#endif
