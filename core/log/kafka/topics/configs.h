/* SPDX-License-Identifier: MIT */
/*
 * What the brokers have configured for a topic: as options of the log, and against what the file says.
 * Nothing is changed: others rely on it.
 */
#ifndef LOG_KAFKA_CONFIGS_H
#define LOG_KAFKA_CONFIGS_H

#include "log/log.h"

/* As in log.h. */
weir_status kafka_log_topic_options(struct log_topic *topic, struct log_topic_options *ret_options,
                                    struct error *error);
weir_status kafka_log_configure(struct log_topic *topic, const struct log_topic_options *options,
                                struct error *error);
weir_status kafka_log_default_partitions(struct log *log, uint32_t *ret_count, struct error *error);
struct log_terms kafka_log_topic_terms(struct log_topic *topic);
weir_status kafka_log_differences(struct log_topic *topic, struct arena *arena,
                                  const char **ret_text, struct error *error);
weir_status kafka_log_shape(struct log_topic *topic, struct arena *arena,
                            struct log_topic_shape *ret_shape, struct error *error);

#endif
