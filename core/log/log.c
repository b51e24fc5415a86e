/* SPDX-License-Identifier: MIT */
/*
 * Opens a log by its URL; every other call goes to the kind of log that it is.
 */
#include "log/log_ops.h"

#include <string.h>

#include "kafka/address.h"

/* ---- opening ------------------------------------------------------------------------------------- */

static const char local_scheme[] = "local:";

static bool has_scheme(const char *url, const char *scheme)
{
    return strncmp(url, scheme, strlen(scheme)) == 0;
}

static weir_status refuse_url(struct error *error, const char *url, const char *fault)
{
    /* In front of an '@' there may be a password. */
    return error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG, "cannot use the log '%s': %s",
                     strchr(url, '@') != NULL ? "kafka://..." : url, fault);
}

struct address_faults {
    const char *url;
    struct error *error;
    bool is_told; /* the first */
};

static void take_fault(void *self, const char *message)
{
    struct address_faults *faults = self;
    if (!faults->is_told) {
        refuse_url(faults->error, faults->url, message);
    }
    faults->is_told = true;
}

static weir_status check_address(const char *url, struct error *error)
{
    struct address_faults faults = { .url = url, .error = error };
    struct arena arena;
    arena_init(&arena, 0);
    const char *brokers = kafka_brokers(url, &arena, take_fault, &faults);
    arena_deinit(&arena);
    if (brokers == NULL && !faults.is_told) {
        return error_no_memory(error);
    }
    return brokers != NULL ? WEIR_OK : WEIR_E_UNSUPPORTED;
}

weir_status log_url_check(const char *url, struct error *error)
{
    if (kafka_address_is_meant(url)) {
        return check_address(url, error);
    }
    if (strcmp(url, local_scheme) == 0) {
        return refuse_url(error, url, "it names no folder; write local:DIR");
    }
    if (has_scheme(url, local_scheme) || strcmp(url, "memory") == 0) {
        return WEIR_OK;
    }
    return refuse_url(
        error, url,
        "it is none of the logs that there are; use local:DIR, memory or kafka://HOST:PORT");
}

weir_status log_open_with(const char *url, const struct log_open_options *options,
                          struct log **ret_log, struct error *error)
{
    weir_status st = log_url_check(url, error);
    if (st != WEIR_OK) {
        return st;
    }
    return kafka_address_is_meant(url) ? kafka_open(url, options, ret_log, error)
                                       : embedded_open(url, options, ret_log, error);
}

weir_status log_open(const char *url, const char *folder, enum log_mode mode, struct log **ret_log,
                     struct error *error)
{
    struct log_open_options options = { .folder = folder, .mode = mode };
    return log_open_with(url, &options, ret_log, error);
}

void log_close(struct log *log)
{
    if (log != NULL) {
        log->ops->close(log);
    }
}

bool log_is_shared(const struct log *log)
{
    return log->ops->is_shared;
}

/* ---- the rest -------------------------------------------------------------------------------------- */

struct log_topic *log_topic_find(struct log *log, const char *name)
{
    return log->ops->topic_find(log, name);
}

weir_status log_topic_create(struct log *log, const char *name, uint32_t partitions,
                             struct log_topic **ret_topic, struct error *error)
{
    return log->ops->topic_create(log, name, partitions, NULL, ret_topic, error);
}

weir_status log_topic_create_between(struct log *log, const char *name, uint32_t partitions,
                                     const struct log_models *models, struct log_topic **ret_topic,
                                     struct error *error)
{
    return log->ops->topic_create(log, name, partitions, models, ret_topic, error);
}

weir_status log_default_partitions(struct log *log, uint32_t *ret_count, struct error *error)
{
    *ret_count = 1;
    return log->ops->default_partitions == NULL
               ? WEIR_OK
               : log->ops->default_partitions(log, ret_count, error);
}

weir_status log_topic_try(struct log *log, const char *name, uint32_t partitions,
                          const struct log_models *models, struct error *error)
{
    return log->ops->topic_try == NULL ? WEIR_OK
                                       : log->ops->topic_try(log, name, partitions, models, error);
}

weir_status log_topic_differences(struct log_topic *topic, struct arena *arena,
                                  const char **ret_text, struct error *error)
{
    *ret_text = NULL;
    return topic->log->ops->topic_differences == NULL
               ? WEIR_OK
               : topic->log->ops->topic_differences(topic, arena, ret_text, error);
}

weir_status log_topic_empty(struct log_topic *topic, struct error *error)
{
    return topic->log->ops->topic_empty(topic, error);
}

weir_status log_topic_drop(struct log_topic *topic, struct error *error)
{
    return topic->log->ops->topic_drop(topic, error);
}

weir_status log_topic_options(struct log_topic *topic, struct log_topic_options *ret_options,
                              struct error *error)
{
    return topic->log->ops->topic_options(topic, ret_options, error);
}

weir_status log_topic_shape(struct log_topic *topic, struct arena *arena,
                            struct log_topic_shape *ret_shape, struct error *error)
{
    *ret_shape = (struct log_topic_shape){ .replication = 0 };
    return topic->log->ops->topic_shape == NULL
               ? WEIR_OK
               : topic->log->ops->topic_shape(topic, arena, ret_shape, error);
}

weir_status log_topic_configure(struct log_topic *topic, const struct log_topic_options *options,
                                struct error *error)
{
    return topic->log->ops->topic_configure(topic, options, error);
}

weir_status log_topics(struct log *log, struct arena *arena, struct log_topic ***ret_topics,
                       size_t *ret_count, struct error *error)
{
    return log->ops->topics(log, arena, ret_topics, ret_count, error);
}

weir_status log_partition_info(struct log_topic *topic, uint32_t partition,
                               struct log_partition_info *ret_info, struct error *error)
{
    return topic->log->ops->partition_info(topic, partition, ret_info, error);
}

struct log_terms log_topic_terms(struct log_topic *topic)
{
    return topic->log->ops->topic_terms(topic);
}

const char *log_refusal(struct log_topic *topic, uint32_t partition,
                        const struct log_message *message)
{
    const struct log_ops *ops = topic->log->ops;
    return ops->refusal == NULL ? NULL : ops->refusal(topic, partition, message);
}

weir_status log_append(struct log_topic *topic, uint32_t partition,
                       const struct log_message *messages, uint32_t count, struct error *error)
{
    return topic->log->ops->append(topic, partition, messages, count, error);
}

weir_status log_read(struct log_topic *topic, uint32_t partition, int64_t offset,
                     uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                     struct log_batch *ret_batch, struct error *error)
{
    return topic->log->ops->read(topic, partition, offset, max_count, max_bytes, arena, ret_batch,
                                 error);
}

weir_status log_offset_at(struct log_topic *topic, uint32_t partition, int64_t timestamp,
                          int64_t *ret_offset, struct error *error)
{
    return topic->log->ops->offset_at(topic, partition, timestamp, ret_offset, error);
}

uint64_t log_pending_bytes(struct log *log)
{
    return log->ops->pending_bytes(log);
}

bool log_is_settled(struct log *log)
{
    return log->ops->is_settled == NULL || log->ops->is_settled(log);
}

weir_status log_commit(struct log *log, const char *group, const struct log_epoch *epoch,
                       struct error *error)
{
    return log->ops->commit(log, group, epoch, error);
}

weir_status log_rollback(struct log *log, struct error *error)
{
    return log->ops->rollback(log, error);
}

weir_status log_fact_get(struct log *log, const char *group, const char *key, struct arena *arena,
                         weir_slice *ret_value, struct error *error)
{
    return log->ops->fact_get(log, group, key, arena, ret_value, error);
}

weir_status log_facts(struct log *log, const char *group, struct arena *arena,
                      struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    return log->ops->facts(log, group, arena, ret_facts, ret_count, error);
}

weir_status log_forget(struct log *log, const char *group, struct error *error)
{
    return log->ops->forget == NULL
               ? error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_BUG,
                           "what '%s' keeps is forgotten by a commit in this log", group)
               : log->ops->forget(log, group, error);
}

weir_status log_readers(struct log_topic *topic, const char *group, struct arena *arena,
                        struct log_reader **ret_readers, size_t *ret_count, struct error *error)
{
    return topic->log->ops->readers(topic, group, arena, ret_readers, ret_count, error);
}

weir_status log_claim(struct log *log, const char *name, struct error *error)
{
    return log->ops->claim == NULL ? WEIR_OK : log->ops->claim(log, name, error);
}

weir_status log_group_look(struct log *log, const char *group, struct arena *arena,
                           struct log_group *ret_group, struct error *error)
{
    *ret_group = (struct log_group){ .state = NULL };
    return log->ops->group_look == NULL ? WEIR_OK
                                        : log->ops->group_look(log, group, arena, ret_group, error);
}

weir_status log_lacks(struct log *log, const struct log_uses *uses, struct arena *arena,
                      struct log_lack **ret_lacks, size_t *ret_count, struct error *error)
{
    *ret_lacks = NULL;
    *ret_count = 0;
    return log->ops->lacks == NULL ? WEIR_OK
                                   : log->ops->lacks(log, uses, arena, ret_lacks, ret_count, error);
}

weir_status log_join(struct log *log, const struct log_membership *membership, struct error *error)
{
    return log->ops->join(log, membership, error);
}

weir_status log_next_change(struct log *log, struct arena *arena, struct log_change *ret_change,
                            struct error *error)
{
    return log->ops->next_change(log, arena, ret_change, error);
}

bool log_is_urged(struct log *log)
{
    return log->ops->is_urged(log);
}

weir_status log_change_done(struct log *log, const struct log_change *change, struct error *error)
{
    return log->ops->change_done(log, change, error);
}

weir_status log_change_put_off(struct log *log, const struct error *why)
{
    if (why == NULL) {
        return WEIR_OK;
    }
    return log->ops->change_put_off == NULL ? why->status : log->ops->change_put_off(log, why);
}

weir_status log_confirm(struct log *log, struct error *error)
{
    return log->ops->confirm(log, error);
}

weir_status log_stalls(struct log *log, const struct log_look *look, struct arena *arena,
                       struct log_stall **ret_stalls, size_t *ret_count, struct error *error)
{
    *ret_stalls = NULL;
    *ret_count = 0;
    return log->ops->stalls == NULL
               ? WEIR_OK
               : log->ops->stalls(log, look, arena, ret_stalls, ret_count, error);
}

void log_leave(struct log *log, int64_t timeout_ms)
{
    log->ops->leave(log, timeout_ms);
}

weir_status log_tidy(struct log *log, int64_t now_ms, int64_t budget_ms, bool *ret_is_done,
                     struct error *error)
{
    return log->ops->tidy(log, now_ms, budget_ms, ret_is_done, error);
}

weir_status log_trim(struct log_topic *topic, uint32_t partition, int64_t before,
                     struct error *error)
{
    return topic->log->ops->trim(topic, partition, before, error);
}

weir_status log_refresh(struct log *log, struct error *error)
{
    return log->ops->refresh(log, error);
}

void log_on_append(struct log *log, log_wake *wake, void *self)
{
    log->ops->on_append(log, wake, self);
}
