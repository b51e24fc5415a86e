/* SPDX-License-Identifier: MIT */
/*
 * Topics made and removed, through the library's interface for administration.
 */
#ifndef LOG_KAFKA_ADMIN_H
#define LOG_KAFKA_ADMIN_H

#include "kafka/settings.h"
#include "log/log.h"

struct kafka_log;
struct kafka_topic;

/* Makes a topic as the plan says, or finds that another process was faster. */
weir_status kafka_topic_make(struct kafka_log *log, const char *name, uint32_t partitions,
                             const struct kafka_topic_plan *plan, struct kafka_topic **ret_topic,
                             struct error *error);

/* Brokers hear of a new topic one after the other: until the one that is asked has, or topic_create_timeout is over. */
weir_status kafka_topic_await(struct kafka_log *log, const char *name,
                              struct kafka_topic **ret_topic, struct error *error);

/* As in log.h. */
weir_status kafka_log_create(struct log *log, const char *name, uint32_t partitions,
                             const struct log_models *models, struct log_topic **ret_topic,
                             struct error *error);
weir_status kafka_log_try(struct log *log, const char *name, uint32_t partitions,
                          const struct log_models *models, struct error *error);
weir_status kafka_log_drop(struct log_topic *topic, struct error *error);

#endif
