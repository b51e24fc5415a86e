/* SPDX-License-Identifier: MIT */
/*
 * The pipeline's topics in the log: those that are there are found, others are made. What the file says
 * of partitions, and what steps with several inputs ask of them, is judged before anything is made, since
 * a topic keeps its number for good.
 */
#include <inttypes.h>

#include "engine/state.h"

static bool is_used(const struct topic *topic)
{
    return topic->is_read || topic->is_written;
}

static bool match_file(const struct topic *topic, const struct log_topic *log_topic,
                       struct error *error)
{
    if (topic->partitions == 0 || topic->partitions == log_topic->partitions) {
        return true;
    }
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "topic '%s' has %" PRIu32 " partitions, the file says %" PRIu32, topic->name,
              log_topic->partitions, topic->partitions);
    error_hint(error, "write partitions: %" PRIu32 ", or give the topic another name",
               log_topic->partitions);
    return false;
}

static bool find_topics(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        const struct topic *topic = pipeline->topics[i];
        if (is_used(topic)) {
            engine->log_topics[i] = log_topic_find(engine->log, topic->log_name);
        }
        if (engine->log_topics[i] != NULL && !match_file(topic, engine->log_topics[i], error)) {
            return false;
        }
    }
    return true;
}

/* The number that a topic has, or will be made with. */
static uint32_t partitions_of(const struct engine *engine, size_t index)
{
    if (engine->log_topics[index] != NULL) {
        return engine->log_topics[index]->partitions;
    }
    uint32_t given = engine->pipeline->topics[index]->partitions;
    return given == 0 ? 1 : given;
}

static bool make_topics(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        const struct topic *topic = pipeline->topics[i];
        if (is_used(topic) && engine->log_topics[i] == NULL &&
            log_topic_create(engine->log, topic->log_name, partitions_of(engine, i),
                             &engine->log_topics[i], error) != WEIR_OK) {
            return false;
        }
    }
    return true;
}

/* ---- steps with several inputs ----------------------------------------------------------------- */

static size_t topic_index(const struct engine *engine, const struct topic *topic)
{
    size_t i = 0;
    while (engine->pipeline->topics[i] != topic) {
        i++;
    }
    return i;
}

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
    uint32_t count = partitions_of(engine, first);
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "topic '%s' has %" PRIu32 " partition%s and topic '%s' %" PRIu32
              ", and both come to %s, where equal keys are to meet",
              engine->pipeline->topics[first]->name, count, count == 1 ? "" : "s",
              engine->pipeline->topics[second]->name, partitions_of(engine, second),
              step->use->label);
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
        } else if (partitions_of(engine, index) != partitions_of(engine, first)) {
            return refuse_step(engine, &plan->nodes[node], first, index, error);
        }
    }
    return true;
}

/* `weir check` compares what the file says; what it leaves open is known here. */
static bool match_steps(const struct engine *engine, struct error *error)
{
    for (uint32_t i = 0; i < engine->plan->node_count; i++) {
        if (engine->plan->nodes[i].has_ports && !match_step(engine, i, error)) {
            return false;
        }
    }
    return true;
}

bool open_topics(struct engine *engine, struct error *error)
{
    size_t count = engine->pipeline->topic_count;
    engine->log_topics = arena_zeroed(&engine->arena, (count + 1) * sizeof *engine->log_topics);
    if (engine->log_topics == NULL) {
        error_no_memory(error);
        return false;
    }
    return find_topics(engine, error) && match_steps(engine, error) && make_topics(engine, error);
}
