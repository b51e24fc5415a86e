/* SPDX-License-Identifier: MIT */
/*
 * The pipeline's topics in the log: those that are there are found, others are made. What the file says
 * of partitions, and what steps with several inputs ask of them, is judged before anything is made, since
 * a topic keeps its number for good.
 *
 * The topic behind a step that gives records another place has as many partitions as the largest of those
 * that come in. Where that is one there would be nothing to gain: it is left out, unless it is in the log
 * and may hold what is not processed.
 */
#include "engine/topics/topics.h"
#include "engine/setup.h"

#include <inttypes.h>

#include "base/logger.h"

static bool is_used(const struct topic *topic)
{
    return topic->is_read || topic->is_written;
}

static bool match_file(const struct topic *topic, const struct log_topic *log_topic,
                       struct error *error)
{
    bool is_given = topic->partitions > 0 && topic->fed_by == NULL;
    if (!is_given || topic->partitions == log_topic->partitions) {
        return true;
    }
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "topic '%s' has %" PRIu32 " partitions, the file says %" PRIu32, topic->name,
              log_topic->partitions, topic->partitions);
    error_hint(error, "write partitions: %" PRIu32 ", or give the topic another name",
               log_topic->partitions);
    return false;
}

static size_t topic_index(const struct engine *engine, const struct topic *topic)
{
    size_t i = 0;
    while (engine->pipeline->topics[i] != topic) {
        i++;
    }
    return i;
}

/* A run that begins anew makes it again, with the number that it would have now; on a log that is shared, where
 * a topic goes slowly, it is emptied. */
static bool is_made_anew(const struct engine *engine, const struct topic *topic)
{
    return topic->fed_by != NULL && engine->options->is_fresh && !log_is_shared(engine->log);
}

/* Of one that the file leaves open. Topics of the pipeline's own keep one line of records. */
static bool open_partitions(struct engine *engine, const struct topic *topic, uint32_t *ret_count,
                            struct error *error)
{
    *ret_count = 1;
    if (topic->is_internal || !is_used(topic)) {
        return true;
    }
    if (engine->default_partitions == 0 &&
        log_default_partitions(engine->log, &engine->default_partitions, error) != WEIR_OK) {
        return false;
    }
    *ret_count = engine->default_partitions;
    return true;
}

/* Behind a step. Those that come to it stand before it. */
static uint32_t most_partitions(const struct engine *engine, const struct topic *topic)
{
    uint32_t count = 1;
    for (size_t i = 0; i < topic->fed_by_count; i++) {
        uint32_t one = engine->partitions[topic_index(engine, topic->fed_by[i])];
        count = one > count ? one : count;
    }
    return count;
}

/* The number that a topic is made with. */
static bool wanted_partitions(struct engine *engine, const struct topic *topic, uint32_t *ret_count,
                              struct error *error)
{
    if (topic->fed_by != NULL) {
        *ret_count = most_partitions(engine, topic);
        return true;
    }
    *ret_count = topic->partitions;
    return topic->partitions > 0 || open_partitions(engine, topic, ret_count, error);
}

static bool find_topic(struct engine *engine, size_t index, struct error *error)
{
    const struct topic *topic = engine->pipeline->topics[index];
    struct log_topic *found = NULL;
    if (is_used(topic) && !is_made_anew(engine, topic)) {
        found = log_topic_find(engine->log, topic->log_name);
    }
    uint32_t count = found != NULL ? found->partitions : 1;
    bool is_right = found != NULL ? match_file(topic, found, error)
                                  : wanted_partitions(engine, topic, &count, error);
    engine->log_topics[index] = found;
    engine->partitions[index] = count;
    engine->is_left_out[index] =
        topic->fed_by != NULL && found == NULL && engine->partitions[index] == 1;
    return start_goes_on(engine, is_right, topic->place, error);
}

bool find_topics(struct engine *engine, struct error *error)
{
    size_t count = engine->pipeline->topic_count;
    engine->log_topics = arena_zeroed(&engine->arena, (count + 1) * sizeof *engine->log_topics);
    engine->partitions = arena_zeroed(&engine->arena, (count + 1) * sizeof *engine->partitions);
    engine->is_left_out = arena_zeroed(&engine->arena, count + 1);
    if (engine->log_topics == NULL || engine->partitions == NULL || engine->is_left_out == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!find_topic(engine, i, error)) {
            return false;
        }
    }
    return true;
}

/* What an earlier run has left in a topic that is made anew. */
static bool drop_old(const struct engine *engine, const struct topic *topic, struct error *error)
{
    struct log_topic *old =
        is_made_anew(engine, topic) ? log_topic_find(engine->log, topic->log_name) : NULL;
    return old == NULL || log_topic_drop(old, error) == WEIR_OK;
}

bool topic_models(struct engine *engine, const struct topic *topic, struct log_models *ret_models,
                  struct error *error)
{
    struct log_topic **models =
        arena_zeroed(&engine->arena, (topic->fed_by_count + 1) * sizeof(struct log_topic *));
    *ret_models = (struct log_models){ models, 0 };
    if (models == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < topic->fed_by_count; i++) {
        struct log_topic *model = engine->log_topics[topic_index(engine, topic->fed_by[i])];
        if (model != NULL) {
            models[ret_models->count++] = model;
        }
    }
    return true;
}

static bool make_topic(struct engine *engine, size_t index, struct error *error)
{
    const struct topic *topic = engine->pipeline->topics[index];
    struct log_topic **ret = &engine->log_topics[index];
    uint32_t partitions = engine->partitions[index];
    struct log_models models;
    if (!topic->is_internal) {
        return log_topic_create(engine->log, topic->log_name, partitions, ret, error) == WEIR_OK;
    }
    return topic_models(engine, topic, &models, error) &&
           log_topic_create_between(engine->log, topic->log_name, partitions, &models, ret,
                                    error) == WEIR_OK;
}

/* Among the topics of others one that is misspelt would be made without a word. */
static void tell_made(const struct engine *engine, size_t index)
{
    const struct topic *topic = engine->pipeline->topics[index];
    uint32_t partitions = engine->partitions[index];
    if (log_is_shared(engine->log) && !topic->is_internal) {
        logger_write(LOGGER_INFO, NULL, "created topic '%s' with %" PRIu32 " partition%s",
                     topic->log_name, partitions, partitions == 1 ? "" : "s");
    }
}

static bool make_topics(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        const struct topic *topic = pipeline->topics[i];
        if (!is_used(topic) || engine->log_topics[i] != NULL) {
            continue;
        }
        if (!drop_old(engine, topic, error)) {
            return false;
        }
        if (!engine->is_left_out[i] && !make_topic(engine, i, error)) {
            return false;
        }
        if (!engine->is_left_out[i]) {
            tell_made(engine, i);
        }
    }
    return true;
}

/* ---- steps with several inputs ----------------------------------------------------------------- */

static bool is_on_route(const struct plan_route *route, uint32_t node)
{
    for (uint32_t i = 0; i < route->node_count; i++) {
        if (route->nodes[i] == node) {
            return true;
        }
    }
    return false;
}

static bool refuse_step(const struct engine *engine, const struct plan_node *step, size_t first,
                        size_t second, struct error *error)
{
    uint32_t count = engine->partitions[first];
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "topic '%s' has %" PRIu32 " partition%s and topic '%s' %" PRIu32
              ", and both come to %s, where equal keys are to meet",
              engine->pipeline->topics[first]->name, count, count == 1 ? "" : "s",
              engine->pipeline->topics[second]->name, engine->partitions[second], step->use->label);
    error_hint(error,
               "write the same number under 'partitions' of both; a topic that is in the log "
               "keeps its own");
    return false;
}

static bool match_step(const struct engine *engine, uint32_t node, struct error *error)
{
    const struct plan *plan = engine->plan;
    size_t first = SIZE_MAX;
    for (uint32_t i = 0; i < plan->route_count; i++) {
        if (!is_on_route(&plan->routes[i], node)) {
            continue;
        }
        size_t index = topic_index(engine, plan->routes[i].topic);
        if (first == SIZE_MAX) {
            first = index;
        } else if (engine->partitions[index] != engine->partitions[first]) {
            return refuse_step(engine, &plan->nodes[node], first, index, error);
        }
    }
    return true;
}

/* `weir check` compares what the file says; what it leaves open is known here. */
bool match_topics(struct engine *engine, struct error *error)
{
    for (uint32_t i = 0; i < engine->plan->node_count; i++) {
        const struct plan_node *node = &engine->plan->nodes[i];
        if (node->has_ports &&
            !start_goes_on(engine, match_step(engine, i, error), node->use->place, error)) {
            return false;
        }
    }
    return true;
}

bool open_topics(struct engine *engine, struct error *error)
{
    return make_topics(engine, error);
}
