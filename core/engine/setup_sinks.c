/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a run's sinks: started, and waited for until they are open.
 */
#include "base/logger.h"
#include "engine/checkpoint/facts.h"
#include "engine/setup.h"
#include "engine/sinks/seating.h"

enum { OPEN_TURN_MS = 200 };

static void tell_room(void *pool)
{
    worker_pool_room(pool);
}

/* kind, name: of the facts that hold its tokens. */
static bool start_lane(struct engine *engine, const struct end *end, const char *kind,
                       const char *name, struct meter *meter, struct error *error)
{
    struct sink_lane *lane = &engine->lanes[engine->lane_count];
    if (name == NULL) {
        error_no_memory(error);
        return false;
    }
    engine->lane_count++; /* so that a lane that starts half is taken down */
    if (!sink_lane_start(lane, &engine->pipeline->services, end, meter, &engine->faults, error)) {
        return false;
    }
    letter_box_init(&lane->letters, &engine->letters);
    lane->fact_kind = kind;
    lane->fact_name = name;
    lane->takes_letters = end == engine->pipeline->dead_letters;
    watch_add(&engine->watch, &lane->watch);
    lane->times = engine->timing == NULL ? NULL : &engine->timing->sinks[engine->lane_count - 1];
    lane->room = (struct lane_room){ tell_room, &engine->pool };
    if (engine->options->is_fresh && !sink_lane_can_reset(lane)) {
        logger_write(LOGGER_WARNING, end->plugin.label,
                     "fresh start: this sink cannot remove what it has written; it stays");
    }
    return seating_begin(engine, lane, error);
}

/* A sink may take its time to open, as long as nobody wants the run to stop. */
static bool wait_for_open(struct engine *engine, struct sink_lane *lane)
{
    while (!sink_lane_wait(lane, OPEN_TURN_MS)) {
        engine_look(engine);
        if (engine->options->stop != NULL && atomic_load(engine->options->stop) > 0) {
            engine->is_stopped_early = true;
            return false;
        }
    }
    return true;
}

static bool start_end_lane(struct engine *engine, const struct plan_node *node, struct error *error)
{
    const char *name =
        arena_printf(&engine->arena, "%s.%s", node->stream->name, node->end->plugin.id);
    struct meter *meter = &engine->meters[node - engine->plan->nodes];
    engine->lanes_by_end[node->end_number] = &engine->lanes[engine->lane_count];
    return start_lane(engine, node->end, "sink", name, meter, error);
}

/* The last of the lanes, since the others may fill it. */
static bool start_letters_lane(struct engine *engine, struct error *error)
{
    struct dead_letters *letters = &engine->letters;
    if (letters->end == NULL || letters->end->kind != END_SINK) {
        return true;
    }
    letters->lane = &engine->lanes[engine->lane_count];
    return start_lane(engine, letters->end, fact_of_letters, letters->end->plugin.id,
                      &letters->meter, error);
}

bool start_lanes(struct engine *engine, struct error *error)
{
    const struct plan *plan = engine->plan;
    engine->lanes = arena_zeroed(&engine->arena, (plan->end_count + 2u) * sizeof *engine->lanes);
    engine->lanes_by_end =
        arena_zeroed(&engine->arena, (plan->end_count + 1u) * sizeof *engine->lanes_by_end);
    if (engine->lanes == NULL || engine->lanes_by_end == NULL) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct plan_node *node = &plan->nodes[i];
        bool is_sink = node->kind == PLAN_END && node->end->kind == END_SINK;
        if (is_sink && !start_end_lane(engine, node, error)) {
            return false;
        }
    }
    if (!start_letters_lane(engine, error)) {
        return false;
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (!wait_for_open(engine, &engine->lanes[i])) {
            return false;
        }
    }
    return !run_faults_error(&engine->faults, error);
}
