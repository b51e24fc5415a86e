/* SPDX-License-Identifier: MIT */
#include "engine/dry_run.h"

#include <inttypes.h>
#include <string.h>

#include "engine/state.h"
#include "kafka/address.h"

/* ---- what would be read ---------------------------------------------------------------------------- */

/* Where a partition without a position begins: as the log itself would let it. */
static bool find_start(const struct engine *engine, const struct log_topic *topic,
                       uint32_t partition, struct dry_partition *part, struct error *error)
{
    int64_t reset = log_is_shared(engine->log) ? engine->pipeline->kafka.auto_offset_reset
                                               : KAFKA_RESET_EARLIEST;
    part->position = reset == KAFKA_RESET_LATEST ? part->next : part->first;
    if (reset == KAFKA_RESET_ERROR) {
        error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_CONFIG,
                  "pipeline '%s' has no position in topic '%s' partition %" PRIu32
                  ", and 'auto_offset_reset' is error",
                  engine->pipeline->name, topic->name, partition);
        error_hint(error, "write 'auto_offset_reset: earliest' or 'latest'");
    }
    return reset != KAFKA_RESET_ERROR;
}

static bool check_lost(const struct engine *engine, const struct log_topic *topic,
                       uint32_t partition, struct dry_partition *part, struct error *error)
{
    bool is_fault =
        log_is_shared(engine->log) && engine->pipeline->kafka.lost_offsets == KAFKA_LOST_FAIL;
    if (part->position >= part->first) {
        return true;
    }
    if (is_fault) {
        error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_DATA,
                  "pipeline '%s' goes on at offset %" PRId64 " of topic '%s' partition %" PRIu32
                  ", which begins at %" PRId64,
                  engine->pipeline->name, part->position, topic->name, partition, part->first);
        error_hint(error, "'lost_offsets: earliest' or 'latest' goes on without what is gone");
        return false;
    }
    part->position =
        log_is_shared(engine->log) && engine->pipeline->kafka.lost_offsets == KAFKA_LOST_LATEST
            ? part->next
            : part->first;
    return true;
}

static void take_position(const struct engine *engine, const struct log_reader *readers,
                          size_t count, uint32_t partition, struct dry_partition *part)
{
    for (size_t i = 0; i < count; i++) {
        if (readers[i].partition == partition &&
            strcmp(readers[i].group, engine->pipeline->name) == 0) {
            part->position = readers[i].position;
            part->has_position = true;
        }
    }
}

/* That it may be read is known when something of it was. */
static bool try_read(struct engine *engine, struct log_topic *topic, uint32_t partition,
                     const struct dry_partition *part, struct error *error)
{
    struct log_batch batch = { .count = 0 };
    bool is_right =
        part->position >= part->next ||
        log_read(topic, partition, part->position, 1, 1, &engine->arena, &batch, error) == WEIR_OK;
    if (batch.lease.release != NULL) {
        batch.lease.release(batch.lease.self);
    }
    return is_right;
}

static bool look_at_reads(struct engine *engine, struct log_topic *topic, struct dry_run *dry,
                          struct dry_topic *ret, struct error *error)
{
    struct log_reader *readers = NULL;
    size_t count = 0;
    ret->reads = arena_zeroed(&dry->arena, topic->partitions * sizeof *ret->reads);
    if (ret->reads == NULL) {
        error_no_memory(error);
        return false;
    }
    if (log_readers(topic, &engine->arena, &readers, &count, error) != WEIR_OK) {
        return false;
    }
    for (uint32_t p = 0; p < topic->partitions; p++) {
        struct dry_partition *part = &ret->reads[p];
        struct log_partition_info info;
        if (log_partition_info(topic, p, &info, error) != WEIR_OK) {
            return false;
        }
        *part = (struct dry_partition){ .first = info.begin, .next = info.committed_end };
        take_position(engine, readers, count, p, part);
        if ((!part->has_position && !find_start(engine, topic, p, part, error)) ||
            !check_lost(engine, topic, p, part, error) ||
            !try_read(engine, topic, p, part, error)) {
            return false;
        }
    }
    return true;
}

/* ---- topics ---------------------------------------------------------------------------------------- */

static bool look_at_there(struct engine *engine, const struct topic *topic,
                          struct log_topic *log_topic, struct dry_run *dry, struct dry_topic *ret,
                          struct error *error)
{
    struct log_topic_options options; /* not used; whether they may be read is */
    ret->is_there = true;
    return log_topic_options(log_topic, &options, error) == WEIR_OK &&
           log_topic_differences(log_topic, &dry->arena, &ret->differences, error) == WEIR_OK &&
           (!topic->is_read || look_at_reads(engine, log_topic, dry, ret, error));
}

static bool try_topic(struct engine *engine, const struct topic *topic, uint32_t partitions,
                      struct error *error)
{
    struct log_models models;
    return topic_models(engine, topic, &models, error) &&
           log_topic_try(engine->log, topic->log_name, partitions,
                         topic->is_internal ? &models : NULL, error) == WEIR_OK;
}

static bool look_at_topic(struct engine *engine, size_t index, struct dry_run *dry,
                          struct error *error)
{
    const struct topic *topic = engine->pipeline->topics[index];
    struct log_topic *log_topic = engine->log_topics[index];
    if (!topic->is_read && !topic->is_written) {
        return true;
    }
    struct dry_topic *ret = &dry->topics[dry->topic_count++];
    *ret = (struct dry_topic){ .name = topic->log_name,
                               .partitions = engine->partitions[index],
                               .is_left_out = engine->is_left_out[index] };
    if (log_topic != NULL) {
        return look_at_there(engine, topic, log_topic, dry, ret, error);
    }
    return ret->is_left_out || try_topic(engine, topic, ret->partitions, error);
}

static bool look_at_all(struct engine *engine, struct dry_run *dry, struct error *error)
{
    size_t count = engine->pipeline->topic_count;
    dry->log_name = engine->log_name;
    dry->topics = arena_zeroed(&dry->arena, (count + 1) * sizeof *dry->topics);
    if (dry->topics == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!look_at_topic(engine, i, dry, error)) {
            return false;
        }
    }
    return log_group_look(engine->log, engine->pipeline->name, &dry->group, error) == WEIR_OK;
}

/* ---- the log --------------------------------------------------------------------------------------- */

/* A log of weir's own that is not there yet would be made: an empty one in memory stands for it. */
static weir_status open_empty(const struct engine_options *options, const char *url,
                              struct log **ret_log, bool *ret_is_there, struct error *error)
{
    struct log *found = NULL;
    struct error fault = { .status = WEIR_OK };
    *ret_is_there = true;
    if (options->log != NULL || kafka_address_is_meant(url)) {
        return WEIR_OK;
    }
    weir_status st = strcmp(url, "memory") == 0
                         ? WEIR_E_NOT_FOUND
                         : log_open(url, options->folder, LOG_READ, &found, &fault);
    log_close(found);
    if (st != WEIR_E_NOT_FOUND) {
        *error = fault;
        return st;
    }
    *ret_is_there = false;
    return log_open("memory", NULL, LOG_WRITE, ret_log, error);
}

weir_status dry_run_make(struct pipeline *pipeline, const struct engine_options *options,
                         struct dry_run *dry, struct error *error)
{
    struct log *empty = NULL;
    struct engine_options given = *options;
    struct engine engine = { .pipeline = pipeline, .options = &given };
    *dry = (struct dry_run){ .is_log_there = true };
    arena_init(&dry->arena, 0);
    const char *url = given.log_url != NULL ? given.log_url : pipeline->log_url;
    if (given.log_url == NULL) {
        given.folder = pipeline->folder;
    }
    weir_status st = open_empty(&given, url, &empty, &dry->is_log_there, error);
    if (st != WEIR_OK) {
        return st;
    }
    given.log = empty != NULL ? empty : given.log;
    arena_init(&engine.arena, 0);
    gate_init(&engine.gate);
    run_faults_init(&engine.faults, &engine.gate);
    bool is_right = setup_look(&engine, LOG_READ, error) && look_at_all(&engine, dry, error);
    teardown_engine(&engine);
    log_close(empty);
    return is_right ? WEIR_OK : error->status;
}

void dry_run_deinit(struct dry_run *dry)
{
    arena_deinit(&dry->arena);
}
