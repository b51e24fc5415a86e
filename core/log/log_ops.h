/* SPDX-License-Identifier: MIT */
/*
 * What a kind of log does: one function for each of log.h. `struct log` is the first member of what they
 * work on.
 */
#ifndef LOG_LOG_OPS_H
#define LOG_LOG_OPS_H

#include "log/log.h"

struct log_ops {
    bool is_shared;
    void (*close)(struct log *log);
    struct log_topic *(*topic_find)(struct log *log, const char *name);
    /* models NULL: it is like no other */
    weir_status (*topic_create)(struct log *log, const char *name, uint32_t partitions,
                                const struct log_models *models, struct log_topic **ret_topic,
                                struct error *error);
    weir_status (*topic_empty)(struct log_topic *topic, struct error *error);
    weir_status (*topic_drop)(struct log_topic *topic, struct error *error);
    weir_status (*topic_options)(struct log_topic *topic, struct log_topic_options *ret_options,
                                 struct error *error);
    weir_status (*topic_configure)(struct log_topic *topic, const struct log_topic_options *options,
                                   struct error *error);
    /* NULL: one */
    weir_status (*default_partitions)(struct log *log, uint32_t *ret_count, struct error *error);
    /* NULL: it always could */
    weir_status (*topic_try)(struct log *log, const char *name, uint32_t partitions,
                             const struct log_models *models, struct error *error);
    /* NULL: there never are any */
    weir_status (*topic_differences)(struct log_topic *topic, struct arena *arena,
                                     const char **ret_text, struct error *error);
    /* NULL: it has nothing beside its options */
    weir_status (*topic_shape)(struct log_topic *topic, struct arena *arena,
                               struct log_topic_shape *ret_shape, struct error *error);
    weir_status (*topics)(struct log *log, struct arena *arena, struct log_topic ***ret_topics,
                          size_t *ret_count, struct error *error);
    weir_status (*partition_info)(struct log_topic *topic, uint32_t partition,
                                  struct log_partition_info *ret_info, struct error *error);
    struct log_terms (*topic_terms)(struct log_topic *topic);
    /* NULL: it refuses nothing that is within the terms */
    const char *(*refusal)(struct log_topic *topic, uint32_t partition,
                           const struct log_message *message);
    weir_status (*append)(struct log_topic *topic, uint32_t partition,
                          const struct log_message *messages, uint32_t count, struct error *error);
    weir_status (*read)(struct log_topic *topic, uint32_t partition, int64_t offset,
                        uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                        struct log_batch *ret_batch, struct error *error);
    weir_status (*offset_at)(struct log_topic *topic, uint32_t partition, int64_t timestamp,
                             int64_t *ret_offset, struct error *error);
    uint64_t (*pending_bytes)(struct log *log);
    /* NULL: it always is */
    bool (*is_settled)(struct log *log);
    weir_status (*commit)(struct log *log, const char *group, const struct log_epoch *epoch,
                          struct error *error);
    weir_status (*rollback)(struct log *log, struct error *error);
    weir_status (*fact_get)(struct log *log, const char *group, const char *key,
                            struct arena *arena, weir_slice *ret_value, struct error *error);
    weir_status (*facts)(struct log *log, const char *group, struct arena *arena,
                         struct log_fact **ret_facts, size_t *ret_count, struct error *error);
    /* NULL: every commit is atomic, and nobody else writes */
    weir_status (*claim)(struct log *log, const char *name, struct error *error);
    /* NULL: its facts are changed like any other */
    weir_status (*forget)(struct log *log, const char *group, struct error *error);
    weir_status (*readers)(struct log_topic *topic, const char *group, struct arena *arena,
                           struct log_reader **ret_readers, size_t *ret_count, struct error *error);
    /* NULL: it knows of none */
    weir_status (*group_look)(struct log *log, const char *group, struct arena *arena,
                              struct log_group *ret_group, struct error *error);
    /* NULL: it has no users */
    weir_status (*lacks)(struct log *log, const struct log_uses *uses, struct arena *arena,
                         struct log_lack **ret_lacks, size_t *ret_count, struct error *error);
    weir_status (*join)(struct log *log, const struct log_membership *membership,
                        struct error *error);
    weir_status (*next_change)(struct log *log, struct arena *arena, struct log_change *ret_change,
                               struct error *error);
    bool (*is_urged)(struct log *log);
    weir_status (*change_done)(struct log *log, const struct log_change *change,
                               struct error *error);
    /* NULL: what it tells is never outdated */
    weir_status (*change_put_off)(struct log *log, const struct error *why);
    weir_status (*confirm)(struct log *log, struct error *error);
    /* NULL: there never are any */
    weir_status (*stalls)(struct log *log, const struct log_look *look, struct arena *arena,
                          struct log_stall **ret_stalls, size_t *ret_count, struct error *error);
    void (*leave)(struct log *log, int64_t timeout_ms);
    weir_status (*tidy)(struct log *log, int64_t now_ms, int64_t budget_ms, bool *ret_is_done,
                        struct error *error);
    weir_status (*trim)(struct log_topic *topic, uint32_t partition, int64_t before,
                        struct error *error);
    weir_status (*refresh)(struct log *log, struct error *error);
    void (*on_append)(struct log *log, log_wake *wake, void *self);
};

/* ---- how each is opened ------------------------------------------------------------------------ */

/* url: "memory", or "local:" and a folder */
weir_status embedded_open(const char *url, const struct log_open_options *options,
                          struct log **ret_log, struct error *error);
/* url: "kafka://HOST:PORT,...". Reaches the brokers, or says why it cannot. */
weir_status kafka_open(const char *url, const struct log_open_options *options,
                       struct log **ret_log, struct error *error);

#endif
