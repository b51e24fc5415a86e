/* SPDX-License-Identifier: MIT */
/*
 * The embedded log's functions behind log.h, each where its subject is: topics.c, remove.c, append.c,
 * read.c, commit.c, positions.c, group.c, tidy.c.
 */
#ifndef LOG_EMBEDDED_LOG_H
#define LOG_EMBEDDED_LOG_H

#include "log/log_ops.h"

struct log_topic *embedded_topic_find(struct log *log, const char *name);
weir_status embedded_topic_create(struct log *log, const char *name, uint32_t partitions,
                                  const struct log_models *models, struct log_topic **ret_topic,
                                  struct error *error);
weir_status embedded_topic_empty(struct log_topic *topic, struct error *error);
weir_status embedded_topic_drop(struct log_topic *topic, struct error *error);
weir_status embedded_topic_options(struct log_topic *topic, struct log_topic_options *ret_options,
                                   struct error *error);
weir_status embedded_topic_configure(struct log_topic *topic,
                                     const struct log_topic_options *options, struct error *error);
weir_status embedded_topics(struct log *log, struct arena *arena, struct log_topic ***ret_topics,
                            size_t *ret_count, struct error *error);
weir_status embedded_partition_info(struct log_topic *topic, uint32_t partition,
                                    struct log_partition_info *ret_info, struct error *error);
struct log_terms embedded_topic_terms(struct log_topic *topic);
weir_status embedded_append(struct log_topic *topic, uint32_t partition,
                            const struct log_message *messages, uint32_t count,
                            struct error *error);
weir_status embedded_read(struct log_topic *topic, uint32_t partition, int64_t offset,
                          uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                          struct log_batch *ret_batch, struct error *error);
weir_status embedded_offset_at(struct log_topic *topic, uint32_t partition, int64_t timestamp,
                               int64_t *ret_offset, struct error *error);
uint64_t embedded_pending_bytes(struct log *log);
weir_status embedded_commit(struct log *log, const char *group, const struct log_epoch *epoch,
                            struct error *error);
weir_status embedded_rollback(struct log *log, struct error *error);
weir_status embedded_fact_get(struct log *log, const char *group, const char *key,
                              struct arena *arena, weir_slice *ret_value, struct error *error);
weir_status embedded_facts(struct log *log, const char *group, struct arena *arena,
                           struct log_fact **ret_facts, size_t *ret_count, struct error *error);
weir_status embedded_readers(struct log_topic *topic, const char *group, struct arena *arena,
                             struct log_reader **ret_readers, size_t *ret_count,
                             struct error *error);
weir_status embedded_join(struct log *log, const struct log_membership *membership,
                          struct error *error);
weir_status embedded_next_change(struct log *log, struct arena *arena,
                                 struct log_change *ret_change, struct error *error);
bool embedded_is_urged(struct log *log);
weir_status embedded_change_done(struct log *log, const struct log_change *change,
                                 struct error *error);
weir_status embedded_confirm(struct log *log, struct error *error);
void embedded_leave(struct log *log, int64_t timeout_ms);
weir_status embedded_tidy(struct log *log, int64_t now_ms, int64_t budget_ms, bool *ret_is_done,
                          struct error *error);
weir_status embedded_trim(struct log_topic *topic, uint32_t partition, int64_t before,
                          struct error *error);
weir_status embedded_refresh(struct log *log, struct error *error);
void embedded_on_append(struct log *log, log_wake *wake, void *self);

#endif
