/* SPDX-License-Identifier: MIT */
#include "engine/checkpoint/facts.h"
#include "engine/setup.h"

#include <inttypes.h>
#include <string.h>

#include "base/logger.h"
#include "engine/topics/unread.h"

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

void fact_put_int64(uint8_t bytes[FACT_NUMBER_SIZE], int64_t number)
{
    for (int i = 0; i < FACT_NUMBER_SIZE; i++) {
        bytes[i] = (uint8_t)((uint64_t)number >> (8 * i));
    }
}

/* A run that only looks goes on without what it may not read: it tells so with all other rights. */
static bool is_left_to_others(const struct engine *engine, struct error *error)
{
    bool is_denied = engine->dry != NULL && error->error_class == WEIR_CLASS_AUTH;
    if (is_denied) {
        *error = (struct error){ .status = WEIR_OK };
    }
    return is_denied;
}

/* Size 0: there is none. key NULL: an error. In the arena. */
static bool load(struct engine *engine, const char *key, struct arena *arena, weir_slice *ret_value,
                 struct error *error)
{
    if (key == NULL) {
        error_no_memory(error);
        return false;
    }
    if (log_fact_get(engine->log, engine->pipeline->name, key, arena, ret_value, error) !=
        WEIR_OK) {
        *ret_value = (weir_slice){ NULL, 0 };
        return is_left_to_others(engine, error);
    }
    if (ret_value->size == LOG_ABSENT) {
        *ret_value = (weir_slice){ NULL, 0 };
    }
    return true;
}

/* For the next checkpoint. */
static bool add_change(struct engine *engine, const struct log_fact *fact, struct error *error)
{
    struct fact_change *change = arena_alloc(&engine->arena, sizeof *change);
    if (change == NULL || fact->key == NULL) {
        error_no_memory(error);
        return false;
    }
    *change = (struct fact_change){ engine->changes, *fact };
    engine->changes = change;
    engine->change_count++;
    return true;
}

/* NULL: no memory. */
static const char *place_key(struct arena *arena, const struct fact_place *place, const char *name)
{
    const char *key = name == NULL ? place->kind : arena_printf(arena, "%s/%s", place->kind, name);
    return key == NULL || place->topic == NULL
               ? key
               : arena_printf(arena, "%s/%s/%" PRIu32, key, place->topic->name, place->partition);
}

bool fact_take_over(struct engine *engine, const struct fact_place *place, struct arena *arena,
                    const char **ret_key, weir_slice *ret_value, struct error *error)
{
    *ret_key = place_key(arena, place, place->name);
    if (!load(engine, *ret_key, arena, ret_value, error)) {
        return false;
    }
    if (ret_value->size > 0 || place->was == NULL) {
        return true;
    }
    struct log_fact old = { .key = place_key(&engine->arena, place, place->was),
                            .value = { NULL, LOG_ABSENT },
                            .topic = place->topic,
                            .partition = place->partition };
    return load(engine, old.key, arena, ret_value, error) &&
           (ret_value->size == 0 || add_change(engine, &old, error));
}

/* Facts lie beside the positions, which nobody can list from outside. */
static bool forget_group(struct engine *engine, struct error *error)
{
    logger_write(LOGGER_INFO, NULL, "fresh start: forgets the positions and the state of '%s'",
                 engine->pipeline->name);
    return log_forget(engine->log, engine->pipeline->name, error) == WEIR_OK;
}

bool facts_forget(struct engine *engine, struct error *error)
{
    struct log_fact *facts = NULL;
    size_t count = 0;
    if (log_is_shared(engine->log)) {
        return forget_group(engine, error);
    }
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

/* ---- the pipeline's own topics ------------------------------------------------------------------- */

/*
 * A topic stays where it is when its stream, or the step that it stands behind, gets another name: so what
 * of it is still unread is read, at the positions that there are. *ret_name NULL: it bears that name.
 *
 * kind, owner: of the fact that tells
 */
static bool load_topic_name(struct engine *engine, const char *kind, const char *owner,
                            const char **ret_name, struct error *error)
{
    weir_slice name;
    *ret_name = NULL;
    if (!load(engine, key_of(engine, kind, owner), &engine->arena, &name, error)) {
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
    if (was != NULL &&
        (!load(engine, key_of(engine, "source", stream->name), &engine->arena, &now, error) ||
         !load(engine, key_of(engine, "source", was), &engine->arena, &before, error))) {
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

/*
 * The topic that `was` had, if there is one. name: what it was called when it was made, unless a fact of
 * this kind tells another name.
 */
static bool find_old_topic(struct engine *engine, const char *kind, const char *was,
                           const char *name, const char **ret_name, struct error *error)
{
    if (!load_topic_name(engine, kind, was, ret_name, error)) {
        return false;
    }
    if (*ret_name != NULL) {
        struct log_fact gone = { .key = key_of(engine, kind, was), .value = { NULL, LOG_ABSENT } };
        return add_change(engine, &gone, error);
    }
    if (name == NULL) {
        error_no_memory(error);
        return false;
    }
    *ret_name = log_topic_find(engine->log, name) != NULL ? name : NULL;
    return true;
}

/* name NULL: the topic bears its own. */
static bool give_name(struct engine *engine, const char *kind, const char *owner,
                      struct topic *topic, const char *name, struct error *error)
{
    if (name == NULL || strcmp(name, topic->log_name) == 0) {
        return true;
    }
    topic->log_name = name;
    struct log_fact fact = { .key = key_of(engine, kind, owner),
                             .value = { (const uint8_t *)name, strlen(name) } };
    return add_change(engine, &fact, error);
}

static bool find_source_topic(struct engine *engine, const struct stream *stream,
                              struct error *error)
{
    bool is_moved = false;
    const char *name = NULL;
    const char *was = stream->source->plugin.was;
    if (!is_renamed(engine, stream, &is_moved, error)) {
        return false;
    }
    if (stream->is_direct) {
        return true;
    }
    bool is_right = is_moved ? find_old_topic(engine, "topic", was,
                                              arena_printf(&engine->arena, "source__%s--%s",
                                                           engine->pipeline->name, was),
                                              &name, error)
                             : load_topic_name(engine, "topic", stream->name, &name, error);
    return is_right && give_name(engine, "topic", stream->name, stream->source->topic, name, error);
}

/*
 * Whether a step goes on with the topic of before: it has none of its own yet, or what that holds is read while the
 * one of before holds more, as after a start with another name and without `was`.
 */
static bool goes_back(struct engine *engine, const struct topic *topic, bool *ret_goes_back,
                      struct error *error)
{
    struct log_topic *own = log_topic_find(engine->log, topic->name);
    struct log_topic *old = topic->was != NULL ? log_topic_find(engine->log, topic->was) : NULL;
    struct unread here = { .count = 0 };
    struct unread there = { .count = 0 };
    if (own != NULL && old != NULL &&
        (!unread_find(engine, own, &here, error) || !unread_find(engine, old, &there, error))) {
        *ret_goes_back = false;
        return is_left_to_others(engine, error);
    }
    *ret_goes_back = topic->was != NULL && (own == NULL || (here.count == 0 && there.count > 0));
    return true;
}

/* The topic behind a step. */
static bool find_step_topic(struct engine *engine, const struct plugin_use *step,
                            struct error *error)
{
    static const char kind[] = "repartition";
    struct topic *topic = step->repartition;
    const char *name = NULL;
    if (!load_topic_name(engine, kind, topic->name, &name, error)) {
        return false;
    }
    bool is_moved = false;
    if (name == NULL && !goes_back(engine, topic, &is_moved, error)) {
        return false;
    }
    if (is_moved && !find_old_topic(engine, kind, topic->was, topic->was, &name, error)) {
        return false;
    }
    if (is_moved && name != NULL) {
        logger_write(LOGGER_INFO, step->label, "goes on with what is in topic '%s'", name);
    } else if (is_moved) {
        logger_write(LOGGER_WARNING, step->label,
                     "there is no topic '%s' to go on with, so this step begins anew", topic->was);
    }
    return give_name(engine, kind, topic->name, topic, name, error);
}

/* A new stream may bear the name that another had when its topic was made. */
static bool are_apart(const struct topic *a, const struct topic *b, struct error *error)
{
    if (!a->is_internal || !b->is_internal || strcmp(a->log_name, b->log_name) != 0) {
        return true;
    }
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "topics '%s' and '%s' would both be '%s' in the log, since a stream or step has been "
              "renamed",
              b->name, a->name, a->log_name);
    error_hint(error, "give the one that was added another name");
    return false;
}

static bool check_names(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct topic *a = pipeline->topics[i];
            const struct topic *b = pipeline->topics[k];
            if (!start_goes_on(engine, are_apart(a, b, error), a->place, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool find_step_topics(struct engine *engine, const struct stream *stream,
                             struct error *error)
{
    for (size_t i = 0; i < stream->step_count; i++) {
        if (stream->steps[i].repartition != NULL &&
            !find_step_topic(engine, &stream->steps[i], error)) {
            return false;
        }
    }
    return true;
}

bool facts_find_topics(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        if ((stream->source != NULL && !find_source_topic(engine, stream, error)) ||
            !find_step_topics(engine, stream, error)) {
            return false;
        }
    }
    return check_names(engine, error);
}
