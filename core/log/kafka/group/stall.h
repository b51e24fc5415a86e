/* SPDX-License-Identifier: MIT */
/*
 * Partitions of which nothing comes although the broker has more: found by looking from time to time whether
 * the next offset has moved, and where it has not by asking where the partition ends. What the library meets
 * on its way to one partition's broker it tries again for ever, and says nothing.
 */
#ifndef LOG_KAFKA_STALL_H
#define LOG_KAFKA_STALL_H

#include "log/log.h"

/* As in log.h. */
weir_status kafka_log_stalls(struct log *log, const struct log_look *look, struct arena *arena,
                             struct log_stall **ret_stalls, size_t *ret_count, struct error *error);

#endif
