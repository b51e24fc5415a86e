/* SPDX-License-Identifier: MIT */
/*
 * The topics of a log: finding, creating, taking over what the store has. A topic that is dropped
 * (remove.c) stays in memory until the log is closed, since handles may point to it; every use of it is
 * then an error.
 */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/store.h"

enum { MOST_PARTITIONS = 100000, LONGEST_NAME = 4096 };

/* ---- the table ------------------------------------------------------------------------------------ */

/* Like strcmp with a name that has no NUL. */
static int compare_name(const struct topic *topic, const char *name, size_t len)
{
    int order = strncmp(topic->face.name, name, len);
    return order != 0 || topic->face.name[len] == '\0' ? order : 1;
}

/* Position of the first topic whose name is not before `name`. */
static size_t position_of(const struct embedded_log *log, const char *name, size_t len)
{
    size_t low = 0;
    size_t high = log->topic_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_name(log->topics[middle], name, len) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct topic *find_topic(const struct embedded_log *log, const char *name, size_t len)
{
    size_t at = position_of(log, name, len);
    bool is_found = at < log->topic_count && compare_name(log->topics[at], name, len) == 0;
    return is_found ? log->topics[at] : NULL;
}

static bool reserve_one(struct topic ***topics, size_t *capacity, size_t count)
{
    if (count < *capacity) {
        return true;
    }
    size_t grown = *capacity == 0 ? 16 : *capacity * 2;
    struct topic **memory = memory_resize(*topics, grown * sizeof(struct topic *));
    if (memory == NULL) {
        return false;
    }
    *topics = memory;
    *capacity = grown;
    return true;
}

bool topics_reserve(struct embedded_log *log)
{
    return reserve_one(&log->topics, &log->topic_capacity, log->topic_count) &&
           reserve_one(&log->dropped, &log->dropped_capacity, log->dropped_count);
}

/* The room was reserved. */
static void insert_topic(struct embedded_log *log, struct topic *topic)
{
    size_t at = position_of(log, topic->face.name, strlen(topic->face.name));
    memmove(log->topics + at + 1, log->topics + at,
            (log->topic_count - at) * sizeof(struct topic *));
    log->topics[at] = topic;
    log->topic_count++;
}

static struct topic *create_topic(struct embedded_log *log, const char *name, size_t name_len,
                                  uint32_t id, uint32_t partitions)
{
    size_t parts_size = partitions * sizeof(struct partition);
    struct topic *topic = memory_zeroed(1, sizeof *topic + parts_size + name_len + 1);
    if (topic == NULL) {
        return NULL;
    }
    char *name_copy = (char *)topic->parts + parts_size;
    memcpy(name_copy, name, name_len);
    topic->face.name = name_copy;
    topic->face.partitions = partitions;
    topic->face.log = &log->face;
    topic->id = id;
    for (uint32_t p = 0; p < partitions; p++) {
        topic->parts[p].kept.peak = INT64_MIN;
        topic->parts[p].peak = INT64_MIN;
        pthread_mutex_init(&topic->parts[p].loading, NULL);
    }
    return topic;
}

static void destroy_topic(struct topic *topic, struct chunk_pool *pool)
{
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        chunk_list_deinit(&topic->parts[p].chunks, pool);
        chunk_pool_give(pool, topic->parts[p].cached);
        pthread_mutex_destroy(&topic->parts[p].loading);
    }
    memory_free(topic);
}

void topics_deinit(struct embedded_log *log)
{
    for (size_t i = 0; i < log->topic_count; i++) {
        destroy_topic(log->topics[i], &log->pool);
    }
    for (size_t i = 0; i < log->dropped_count; i++) {
        destroy_topic(log->dropped[i], &log->pool);
    }
    memory_free(log->topics);
    memory_free(log->dropped);
}

void topics_retire(struct embedded_log *log, struct topic *topic)
{
    size_t at = position_of(log, topic->face.name, strlen(topic->face.name));
    log->topic_count--;
    memmove(log->topics + at, log->topics + at + 1,
            (log->topic_count - at) * sizeof(struct topic *));
    log->dropped[log->dropped_count++] = topic;
    topic->is_dropped = true;
    for (uint32_t p = 0; p < topic->face.partitions; p++) {
        struct partition *part = &topic->parts[p];
        partition_truncate(log, part, INT64_MIN, INT64_MIN);
        atomic_fetch_sub_explicit(&log->pending_bytes, part->pending, memory_order_relaxed);
        part->pending = 0;
    }
}

weir_status topics_check(const struct topic *topic, uint32_t partition, struct error *error)
{
    if (topic->is_dropped) {
        return error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
                         "the topic '%s' was dropped", topic->face.name);
    }
    if (partition >= topic->face.partitions) {
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                         "the topic '%s' has no partition %u; it has %u, counted from 0",
                         topic->face.name, partition, topic->face.partitions);
    }
    return WEIR_OK;
}

weir_status topics_begin_change(struct topic *topic, uint32_t partition, struct error *error)
{
    struct embedded_log *log = embedded_of(topic->face.log);
    weir_status st = embedded_check_writable(log, error);
    if (st != WEIR_OK) {
        return st;
    }
    pthread_mutex_lock(&log->writing);
    pthread_mutex_lock(&log->lock);
    st = topics_check(topic, partition, error);
    pthread_mutex_unlock(&log->lock);
    if (st != WEIR_OK) {
        topics_end_change(topic);
    }
    return st;
}

void topics_end_change(struct topic *topic)
{
    pthread_mutex_unlock(&embedded_of(topic->face.log)->writing);
}

/* ---- what the store has --------------------------------------------------------------------------- */

/* Finds the topic or makes it; one of the same name that is another is retired. */
static struct topic *restore_topic(struct embedded_log *log, const struct stored_topic *stored)
{
    struct topic *fresh = NULL;
    if (!topics_reserve(log)) {
        return NULL;
    }
    struct topic *topic = find_topic(log, stored->name, stored->name_len);
    if (topic != NULL && topic->id == stored->id && topic->face.partitions == stored->partitions) {
        return topic;
    }
    fresh = create_topic(log, stored->name, stored->name_len, stored->id, stored->partitions);
    if (fresh == NULL) {
        return NULL;
    }
    if (topic != NULL) {
        topics_retire(log, topic);
    }
    insert_topic(log, fresh);
    return fresh;
}

weir_status topics_restore(struct embedded_log *log, const struct stored_topic *stored,
                           struct error *error)
{
    weir_status st = WEIR_OK;
    pthread_mutex_lock(&log->lock);
    struct topic *topic = restore_topic(log, stored);
    if (topic == NULL) {
        st = error_no_memory(error);
        goto out;
    }
    topic->is_seen = true;
    topic->options = stored->options;
    for (uint32_t p = 0; p < stored->partitions; p++) {
        topic->parts[p].kept = stored->states[p];
        topic->parts[p].end = stored->states[p].end;
        topic->parts[p].peak = stored->states[p].peak;
    }
    if (stored->id >= log->next_topic_id) {
        log->next_topic_id = stored->id + 1;
    }
out:
    pthread_mutex_unlock(&log->lock);
    return st;
}

static void sweep_unseen(struct embedded_log *log, struct error *error, weir_status *st)
{
    for (size_t i = log->topic_count; i-- > 0;) {
        if (!log->topics[i]->is_seen) {
            if (!topics_reserve(log)) {
                *st = error_no_memory(error);
                return;
            }
            topics_retire(log, log->topics[i]);
        }
    }
}

weir_status topics_reload(struct embedded_log *log, struct error *error)
{
    pthread_mutex_lock(&log->lock);
    for (size_t i = 0; i < log->topic_count; i++) {
        log->topics[i]->is_seen = false;
    }
    pthread_mutex_unlock(&log->lock);
    weir_status st = log->store->ops->load(log->store, log, error);
    if (st == WEIR_OK) {
        pthread_mutex_lock(&log->lock);
        sweep_unseen(log, error, &st);
        pthread_mutex_unlock(&log->lock);
    }
    return st;
}

/* ---- the interface --------------------------------------------------------------------------------- */

struct log_topic *embedded_topic_find(struct log *face, const char *name)
{
    struct embedded_log *log = embedded_of(face);
    pthread_mutex_lock(&log->lock);
    struct topic *topic = find_topic(log, name, strlen(name));
    pthread_mutex_unlock(&log->lock);
    return topic == NULL ? NULL : &topic->face;
}

static weir_status check_new_topic(struct embedded_log *log, const char *name, uint32_t partitions,
                                   struct error *error)
{
    weir_status st = embedded_check_writable(log, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (name[0] == '\0' || strlen(name) > LONGEST_NAME) {
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                         "a topic's name has 1 to %d bytes", LONGEST_NAME);
    }
    if (partitions == 0 || partitions > MOST_PARTITIONS) {
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                         "the topic '%s' cannot have %u partitions; give 1 to %d", name, partitions,
                         MOST_PARTITIONS);
    }
    if (find_topic(log, name, strlen(name)) != NULL) {
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "the topic '%s' exists already",
                         name);
    }
    return WEIR_OK;
}

/* The topic with its place reserved. Thread: holds log->writing. */
static weir_status prepare_topic(struct embedded_log *log, const char *name, uint32_t partitions,
                                 struct topic **ret_topic, struct error *error)
{
    pthread_mutex_lock(&log->lock);
    weir_status st = check_new_topic(log, name, partitions, error);
    if (st == WEIR_OK && !topics_reserve(log)) {
        st = error_no_memory(error);
    }
    pthread_mutex_unlock(&log->lock);
    if (st != WEIR_OK) {
        return st;
    }
    *ret_topic = create_topic(log, name, strlen(name), log->next_topic_id, partitions);
    return *ret_topic == NULL ? error_no_memory(error) : WEIR_OK;
}

weir_status embedded_topic_create(struct log *face, const char *name, uint32_t partitions,
                                  const struct log_models *models, struct log_topic **ret_topic,
                                  struct error *error)
{
    (void)models;
    struct embedded_log *log = embedded_of(face);
    struct topic *topic = NULL;
    pthread_mutex_lock(&log->writing);
    weir_status st = prepare_topic(log, name, partitions, &topic, error);
    if (st != WEIR_OK) {
        goto out;
    }
    st = log->store->ops->topic_create(log->store, topic, error);
    if (st != WEIR_OK) {
        destroy_topic(topic, &log->pool);
        goto out;
    }
    pthread_mutex_lock(&log->lock);
    insert_topic(log, topic);
    log->next_topic_id++;
    pthread_mutex_unlock(&log->lock);
    if (ret_topic != NULL) {
        *ret_topic = &topic->face;
    }
out:
    pthread_mutex_unlock(&log->writing);
    return st;
}

/* ---- options --------------------------------------------------------------------------------------- */

weir_status embedded_topic_options(struct log_topic *face, struct log_topic_options *ret_options,
                                   struct error *error)
{
    const struct topic *topic = topic_of(face);
    pthread_mutex_lock(&embedded_of(face->log)->lock);
    weir_status st = topics_check(topic, 0, error);
    *ret_options = topic->options;
    pthread_mutex_unlock(&embedded_of(face->log)->lock);
    return st;
}

struct log_terms embedded_topic_terms(struct log_topic *topic)
{
    (void)topic;
    return (
        struct log_terms){ .size = CHUNK_MESSAGE_LIMIT, .oldest = INT64_MIN, .newest = INT64_MAX };
}

weir_status embedded_topic_configure(struct log_topic *face,
                                     const struct log_topic_options *options, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct embedded_log *log = embedded_of(face->log);
    weir_status st = topics_begin_change(topic, 0, error);
    if (st != WEIR_OK) {
        return st;
    }
    st = log->store->ops->topic_options(log->store, topic, options, error);
    if (st == WEIR_OK) {
        pthread_mutex_lock(&log->lock);
        topic->options = *options;
        pthread_mutex_unlock(&log->lock);
    }
    topics_end_change(topic);
    return st;
}

/* ---- looking --------------------------------------------------------------------------------------- */

weir_status embedded_topics(struct log *face, struct arena *arena, struct log_topic ***ret_topics,
                            size_t *ret_count, struct error *error)
{
    struct embedded_log *log = embedded_of(face);
    pthread_mutex_lock(&log->lock);
    size_t count = log->topic_count;
    struct log_topic **topics = arena_alloc(arena, (count + 1) * sizeof *topics);
    for (size_t i = 0; topics != NULL && i < count; i++) {
        topics[i] = &log->topics[i]->face;
    }
    pthread_mutex_unlock(&log->lock);
    if (topics == NULL) {
        return error_no_memory(error);
    }
    *ret_topics = topics;
    *ret_count = count;
    return WEIR_OK;
}

weir_status embedded_partition_info(struct log_topic *face, uint32_t partition,
                                    struct log_partition_info *ret_info, struct error *error)
{
    struct topic *topic = topic_of(face);
    struct embedded_log *log = embedded_of(face->log);
    pthread_mutex_lock(&log->lock);
    weir_status st = topics_check(topic, partition, error);
    if (st == WEIR_OK) {
        const struct partition *part = &topic->parts[partition];
        *ret_info = (struct log_partition_info){ .begin = part->kept.begin,
                                                 .end = part->end,
                                                 .committed_end = part->kept.end,
                                                 .count = part->kept.count,
                                                 .peak = part->kept.peak,
                                                 .bytes = part->kept.bytes };
    }
    pthread_mutex_unlock(&log->lock);
    return st;
}
