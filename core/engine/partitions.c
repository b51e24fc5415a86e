/* SPDX-License-Identifier: MIT */
/*
 * `weir check` compares what the file says of topics; what it leaves open is known when the log is open.
 */
#include "engine/partitions.h"

#include <inttypes.h>

static const struct log_topic *log_topic_of(const struct pipeline *pipeline,
                                            struct log_topic *const *log_topics,
                                            const struct topic *topic)
{
    size_t i = 0;
    while (pipeline->topics[i] != topic) {
        i++;
    }
    return log_topics[i];
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

static bool refuse(const struct plan_node *node, const struct topic *a, uint32_t a_count,
                   const struct topic *b, uint32_t b_count, struct error *error)
{
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "topic '%s' has %" PRIu32 " partition%s and topic '%s' %" PRIu32
              ", and both come to %s, where equal keys are to meet",
              a->name, a_count, a_count == 1 ? "" : "s", b->name, b_count, node->use->label);
    error_hint(error,
               "give both the same number under 'partitions'; a topic that is in the log keeps "
               "its own, so it takes another name");
    return false;
}

static bool match_step(const struct pipeline *pipeline, const struct plan *plan,
                       struct log_topic *const *log_topics, uint32_t node, struct error *error)
{
    const struct topic *first = NULL;
    uint32_t first_count = 0;
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const struct plan_route *route = &plan->routes[i];
        if (!is_on_route(route, node)) {
            continue;
        }
        uint32_t count = log_topic_of(pipeline, log_topics, route->topic)->partitions;
        if (first == NULL) {
            first = route->topic;
            first_count = count;
        } else if (count != first_count) {
            return refuse(&plan->nodes[node], first, first_count, route->topic, count, error);
        }
    }
    return true;
}

bool partitions_match(const struct pipeline *pipeline, const struct plan *plan,
                      struct log_topic *const *log_topics, struct error *error)
{
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i].has_ports && !match_step(pipeline, plan, log_topics, i, error)) {
            return false;
        }
    }
    return true;
}
