/* SPDX-License-Identifier: MIT */
#include "engine/dry_run.h"

#include <string.h>

#include "engine/dry_reads.h"
#include "engine/setup.h"
#include "engine/state.h"
#include "engine/topics/rights.h"
#include "engine/topics/topics.h"
#include "kafka/address.h"

/* ---- rights ---------------------------------------------------------------------------------------- */

/*
 * What is missing is told where its topic stands in the file. What is of the group counts for the topic of
 * its facts.
 */
static bool note_lacks(struct engine *engine, const struct log_lack *lacks, size_t count,
                       struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < count; i++) {
        struct error fault = lacks[i].fault;
        bool is_group = lacks[i].use == LOG_OF_GROUP;
        size_t index = is_group ? pipeline->topic_count : lacks[i].use;
        struct place place = is_group ? (struct place){ 0 } : pipeline->topics[index]->place;
        engine->dry->topics[index].lacks_rights = true;
        engine->dry->topics[index].is_hidden |= lacks[i].is_hidden;
        if (!start_goes_on(engine, false, place, &fault)) {
            *error = fault;
            return false;
        }
    }
    return true;
}

static bool look_at_rights(struct engine *engine, struct error *error)
{
    struct log_lack *lacks = NULL;
    size_t count = 0;
    bool is_right = rights_find(engine, &engine->arena, &lacks, &count, error);
    return start_goes_on(engine, is_right, (struct place){ 0 }, error) &&
           note_lacks(engine, lacks, count, error);
}

/* ---- topics ---------------------------------------------------------------------------------------- */

/* What the log has lies no longer than the log. NULL: no memory. */
static const char *keep_name(struct dry_run *dry, const char *name)
{
    return arena_copy(&dry->arena, name, strlen(name));
}

static bool look_at_there(struct engine *engine, const struct topic *topic,
                          struct log_topic *log_topic, struct dry_topic *ret, struct error *error)
{
    struct log_topic_options options; /* not used; whether they may be read is */
    ret->is_there = true;
    bool is_right =
        log_topic_options(log_topic, &options, error) == WEIR_OK &&
        log_topic_differences(log_topic, &engine->dry->arena, &ret->differences, error) == WEIR_OK;
    if (!start_goes_on(engine, is_right, topic->place, error)) {
        return false;
    }
    is_right =
        !topic->is_read || ret->lacks_rights || dry_reads_find(engine, log_topic, ret, error);
    return start_goes_on(engine, is_right, topic->place, error);
}

static bool try_topic(struct engine *engine, const struct topic *topic, uint32_t partitions,
                      struct error *error)
{
    struct log_models models;
    return topic_models(engine, topic, &models, error) &&
           log_topic_try(engine->log, topic->log_name, partitions,
                         topic->is_internal ? &models : NULL, error) == WEIR_OK;
}

static bool look_at_topic(struct engine *engine, size_t index, struct error *error)
{
    const struct topic *topic = engine->pipeline->topics[index];
    struct log_topic *log_topic = engine->log_topics[index];
    struct dry_topic *ret = &engine->dry->topics[index];
    if (!topic->is_read && !topic->is_written) {
        return true;
    }
    ret->name = keep_name(engine->dry, topic->log_name);
    ret->partitions = engine->partitions[index];
    ret->is_left_out = engine->is_left_out[index];
    if (ret->name == NULL) {
        error_no_memory(error);
        return false;
    }
    if (log_topic != NULL) {
        return look_at_there(engine, topic, log_topic, ret, error);
    }
    bool is_right =
        ret->is_left_out || ret->is_hidden || try_topic(engine, topic, ret->partitions, error);
    ret->is_refused = !is_right;
    return start_goes_on(engine, is_right, topic->place, error);
}

/* ---- the group ------------------------------------------------------------------------------------- */

static bool look_at_group(struct engine *engine, struct error *error)
{
    struct dry_run *dry = engine->dry;
    struct dry_topic *ret = &dry->topics[engine->pipeline->topic_count];
    bool is_right = log_group_look(engine->log, engine->pipeline->name, &dry->arena, &dry->group,
                                   error) == WEIR_OK;
    /* Who may not even see the group has been told that it may not be read. */
    if (!is_right && error->error_class == WEIR_CLASS_AUTH && ret->lacks_rights) {
        *error = (struct error){ .status = WEIR_OK };
        is_right = true;
    }
    if (!start_goes_on(engine, is_right, (struct place){ 0 }, error)) {
        return false;
    }
    ret->name = dry->group.topic;
    ret->partitions = 1;
    ret->is_there = dry->group.is_topic_there;
    bool is_made = ret->name != NULL && !ret->is_there && !ret->is_hidden;
    is_right = !is_made || log_topic_try(engine->log, ret->name, 1, NULL, error) == WEIR_OK;
    ret->is_refused = !is_right;
    return start_goes_on(engine, is_right, (struct place){ 0 }, error);
}

/* ---- all of it ------------------------------------------------------------------------------------- */

/* Those of which nothing is told go. */
static void close_ranks(struct dry_run *dry)
{
    size_t count = 0;
    for (size_t i = 0; i < dry->topic_count; i++) {
        if (dry->topics[i].name != NULL) {
            dry->topics[count++] = dry->topics[i];
        }
    }
    dry->topic_count = count;
}

static bool look_at_all(struct engine *engine, struct error *error)
{
    struct dry_run *dry = engine->dry;
    size_t count = engine->pipeline->topic_count;
    dry->log_name = engine->log_name;
    dry->topic_count = count + 1;
    dry->topics = arena_zeroed(&dry->arena, dry->topic_count * sizeof *dry->topics);
    if (dry->topics == NULL) {
        error_no_memory(error);
        return false;
    }
    bool is_right = look_at_rights(engine, error);
    for (size_t i = 0; is_right && i < count; i++) {
        is_right = look_at_topic(engine, i, error);
    }
    is_right = is_right && look_at_group(engine, error);
    close_ranks(dry);
    return is_right;
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
    struct engine engine = { .dry = dry, .pipeline = pipeline, .options = &given };
    *dry = (struct dry_run){ .is_log_there = true };
    arena_init(&dry->arena, 0);
    diagnostics_init(&dry->faults, &dry->arena);
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
    bool is_right = setup_look(&engine, LOG_READ, error) && look_at_all(&engine, error);
    teardown_engine(&engine);
    log_close(empty);
    return is_right ? WEIR_OK : error->status;
}

void dry_run_deinit(struct dry_run *dry)
{
    diagnostics_deinit(&dry->faults);
    arena_deinit(&dry->arena);
}
