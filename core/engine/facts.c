/* SPDX-License-Identifier: MIT */
#include "engine/facts.h"

#include <inttypes.h>
#include <string.h>

#include "base/logger.h"

const char fact_of_letters[] = "dead_letters";

int64_t fact_int64(weir_slice value)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0 && value.size == 8; i--) {
        number = number << 8 | value.data[i];
    }
    return (int64_t)number;
}

static const char *key_of(struct engine *engine, const char *kind, const char *name)
{
    return arena_printf(&engine->arena, "%s/%s", kind, name);
}

bool fact_load(struct engine *engine, const char *key, weir_slice *ret_value, struct error *error)
{
    if (key == NULL) {
        error_no_memory(error);
        return false;
    }
    if (log_fact_get(engine->log, engine->pipeline->name, key, &engine->arena, ret_value, error) !=
        WEIR_OK) {
        return false;
    }
    if (ret_value->size == LOG_ABSENT) {
        *ret_value = (weir_slice){ NULL, 0 };
    }
    return true;
}

/* For the next checkpoint. */
static bool add_change(struct engine *engine, const char *key, weir_slice value,
                       struct error *error)
{
    struct fact_change *change = arena_alloc(&engine->arena, sizeof *change);
    if (change == NULL || key == NULL) {
        error_no_memory(error);
        return false;
    }
    *change =
        (struct fact_change){ engine->changes, (struct log_fact){ .key = key, .value = value } };
    engine->changes = change;
    engine->change_count++;
    return true;
}

bool fact_take_over(struct engine *engine, const char *kind, const char *name, const char *was,
                    const char **ret_key, weir_slice *ret_value, struct error *error)
{
    *ret_key = key_of(engine, kind, name);
    if (!fact_load(engine, *ret_key, ret_value, error)) {
        return false;
    }
    if (ret_value->size > 0 || was == NULL) {
        return true;
    }
    const char *old_key = key_of(engine, kind, was);
    if (!fact_load(engine, old_key, ret_value, error)) {
        return false;
    }
    return ret_value->size == 0 ||
           add_change(engine, old_key, (weir_slice){ NULL, LOG_ABSENT }, error);
}

bool facts_forget(struct engine *engine, struct error *error)
{
    struct log_fact *facts = NULL;
    size_t count = 0;
    if (log_facts(engine->log, engine->pipeline->name, &engine->arena, &facts, &count, error) !=
        WEIR_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        facts[i].value = (weir_slice){ NULL, LOG_ABSENT };
    }
    if (count > 0) {
        logger_write(LOGGER_INFO, NULL, "fresh start: forgot %zu positions and tokens of '%s'",
                     count, engine->pipeline->name);
    }
    struct log_epoch epoch = { .facts = facts, .fact_count = count };
    return log_commit(engine->log, engine->pipeline->name, &epoch, error) == WEIR_OK;
}

/* ---- topics of sources --------------------------------------------------------------------------- */

/*
 * The topic stays where it is when its stream gets another name: so what of it is still unread is read,
 * at the positions that there are. *ret_name NULL: it is named after the stream.
 */
static bool load_topic_name(struct engine *engine, const char *stream, const char **ret_name,
                            struct error *error)
{
    weir_slice name;
    *ret_name = NULL;
    if (!fact_load(engine, key_of(engine, "topic", stream), &name, error)) {
        return false;
    }
    if (name.size > 0) {
        *ret_name = arena_copy(&engine->arena, name.data, (size_t)name.size);
        if (*ret_name == NULL) {
            error_no_memory(error);
            return false;
        }
    }
    return true;
}

/* True where the source goes on under another name in this start: nothing is kept under its own. */
static bool is_renamed(struct engine *engine, const struct stream *stream, bool *ret_is_renamed,
                       struct error *error)
{
    const char *was = stream->source->plugin.was;
    weir_slice now = { NULL, 0 };
    weir_slice before = { NULL, 0 };
    if (was != NULL && (!fact_load(engine, key_of(engine, "source", stream->name), &now, error) ||
                        !fact_load(engine, key_of(engine, "source", was), &before, error))) {
        return false;
    }
    *ret_is_renamed = now.size == 0 && before.size > 0;
    if (was != NULL && now.size == 0 && before.size == 0) {
        logger_write(LOGGER_WARNING, stream->source->plugin.label,
                     "nothing is kept of a source in stream '%s', so this one begins anew", was);
    } else if (*ret_is_renamed) {
        logger_write(LOGGER_INFO, stream->source->plugin.label,
                     "goes on where the source of stream '%s' was", was);
    }
    return true;
}

/* The name of the stream's topic before it was renamed, if there is such a topic. */
static bool find_old_topic(struct engine *engine, const char *was, const char **ret_name,
                           struct error *error)
{
    if (!load_topic_name(engine, was, ret_name, error)) {
        return false;
    }
    if (*ret_name != NULL) {
        return add_change(engine, key_of(engine, "topic", was), (weir_slice){ NULL, LOG_ABSENT },
                          error);
    }
    const char *name = arena_printf(&engine->arena, "source__%s--%s", engine->pipeline->name, was);
    if (name == NULL) {
        error_no_memory(error);
        return false;
    }
    *ret_name = log_topic_find(engine->log, name) != NULL ? name : NULL;
    return true;
}

static bool find_topic(struct engine *engine, const struct stream *stream, struct error *error)
{
    bool is_moved = false;
    const char *name = NULL;
    if (!is_renamed(engine, stream, &is_moved, error)) {
        return false;
    }
    if (stream->is_direct) {
        return true;
    }
    if (!(is_moved ? find_old_topic(engine, stream->source->plugin.was, &name, error)
                   : load_topic_name(engine, stream->name, &name, error))) {
        return false;
    }
    if (name == NULL || strcmp(name, stream->source->topic->log_name) == 0) {
        return true;
    }
    stream->source->topic->log_name = name;
    return add_change(engine, key_of(engine, "topic", stream->name),
                      (weir_slice){ (const uint8_t *)name, strlen(name) }, error);
}

/* A new stream may bear the name that another had when its topic was made. */
static bool check_names(const struct pipeline *pipeline, struct error *error)
{
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct topic *a = pipeline->topics[i];
            const struct topic *b = pipeline->topics[k];
            if (a->is_internal && b->is_internal && strcmp(a->log_name, b->log_name) == 0) {
                error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                          "topics '%s' and '%s' would both be '%s' in the log, since a stream has "
                          "been renamed",
                          b->name, a->name, a->log_name);
                error_hint(error, "give the stream that was added another name");
                return false;
            }
        }
    }
    return true;
}

bool facts_find_topics(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        if (stream->source != NULL && !find_topic(engine, stream, error)) {
            return false;
        }
    }
    return check_names(pipeline, error);
}
