/* SPDX-License-Identifier: MIT */
/*
 * How far the groups of the cluster have read a topic.
 */
#ifndef LOG_KAFKA_READERS_H
#define LOG_KAFKA_READERS_H

#include "log/log.h"

/* As in log.h. */
weir_status kafka_log_readers(struct log_topic *topic, const char *group, struct arena *arena,
                              struct log_reader **ret_readers, size_t *ret_count,
                              struct error *error);

#endif
