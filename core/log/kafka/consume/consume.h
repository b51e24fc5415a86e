/* SPDX-License-Identifier: MIT */
/*
 * Reading what is this process's own: from the partition's queue into a batch, without a copy and
 * without another thread in between.
 */
#ifndef LOG_KAFKA_CONSUME_H
#define LOG_KAFKA_CONSUME_H

#include "log/log.h"

/* As in log.h; what is not this process's own is browsed. */
weir_status kafka_log_read(struct log_topic *topic, uint32_t partition, int64_t offset,
                           uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                           struct log_batch *ret_batch, struct error *error);

#endif
