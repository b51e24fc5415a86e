/* SPDX-License-Identifier: MIT */
#include "engine/sinks/seating.h"

#include <string.h>

#include <weir/sink.h>

#include "base/clock.h"
#include "engine/checkpoint/facts.h"
#include "engine/sinks/waiting.h"

static struct waiting waiting_for(struct engine *engine, int64_t timeout_ms)
{
    struct waiting w = { .engine = engine,
                         .who = "a change of partitions",
                         .what = "partitions could not change in time" };
    if (timeout_ms > 0) {
        w.deadline_ns = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    }
    return w;
}

/* ---- which lanes ------------------------------------------------------------------------------- */

static bool is_on_route(const struct engine *engine, const struct plan_route *route,
                        const struct sink_lane *lane)
{
    for (uint32_t i = 0; i < route->node_count; i++) {
        const struct plan_node *node = &engine->plan->nodes[route->nodes[i]];
        if (node->kind == PLAN_END && engine->lanes_by_end[node->end_number] == lane) {
            return true;
        }
    }
    return false;
}

/* Records of the topic can come to the lane, or letters about them. */
static bool reaches(const struct engine *engine, const struct topic *topic,
                    const struct sink_lane *lane)
{
    for (uint32_t i = 0; i < engine->plan->route_count; i++) {
        const struct plan_route *route = &engine->plan->routes[i];
        if (route->topic == topic && (lane->takes_letters || is_on_route(engine, route, lane))) {
            return true;
        }
    }
    return false;
}

static weir_origin origin_of(const struct topic *topic, const struct log_share *share)
{
    return (weir_origin){ topic->name, (uint32_t)strlen(topic->name), (int32_t)share->partition };
}

/*
 * Calls `visit` for each seat that a share needs: of every lane that it reaches, under the name that the
 * pipeline gives the topic. False: one of them has returned that.
 */
struct visit {
    bool (*visit)(const struct visit *self, struct sink_lane *lane, const struct log_share *share,
                  const weir_origin *origin);
    struct engine *engine;
    bool is_lost;
    struct error *error;
};

static bool visit_lanes(const struct visit *v, const struct topic *topic,
                        const struct log_share *share)
{
    struct engine *engine = v->engine;
    weir_origin origin = origin_of(topic, share);
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        struct sink_lane *lane = &engine->lanes[i];
        if (lane->is_by_partition && reaches(engine, topic, lane) &&
            !v->visit(v, lane, share, &origin)) {
            return false;
        }
    }
    return true;
}

static bool visit_all(const struct visit *v, const struct log_change *change)
{
    const struct pipeline *pipeline = v->engine->pipeline;
    for (size_t i = 0; i < change->share_count; i++) {
        const struct log_share *share = &change->shares[i];
        for (size_t t = 0; t < pipeline->topic_count; t++) {
            if (v->engine->log_topics[t] == share->topic &&
                !visit_lanes(v, pipeline->topics[t], share)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- coming ------------------------------------------------------------------------------------ */

/* share NULL: the seat belongs to no partition. */
static bool load_token(struct engine *engine, const struct sink_lane *lane,
                       const struct log_share *share, struct arena *arena, struct seat_start *start,
                       struct error *error)
{
    struct fact_place place = { .kind = lane->fact_kind,
                                .name = lane->fact_name,
                                .was = lane->end->plugin.was,
                                .topic = share == NULL ? NULL : share->topic,
                                .partition = share == NULL ? 0 : share->partition };
    return fact_take_over(engine, &place, arena, &start->token_key, &start->token, error);
}

/* How many letters it was given before. */
static bool load_letters(struct engine *engine, const struct log_share *share, struct arena *arena,
                         struct seat_start *start, struct error *error)
{
    weir_slice number;
    struct fact_place place = { .kind = fact_of_letters,
                                .topic = share == NULL ? NULL : share->topic,
                                .partition = share == NULL ? 0 : share->partition };
    if (!fact_take_over(engine, &place, arena, &start->letters_key, &number, error)) {
        return false;
    }
    start->letters = fact_int64(number);
    return true;
}

/* Letters of a partition are shown as those of a topic "dead_letters.flights". */
static bool name_letters(const weir_origin *origin, struct arena *arena, struct seat_start *start,
                         struct error *error)
{
    const char *name = arena_printf(arena, "%s.%.*s", dead_letters_origin.topic,
                                    (int)origin->topic_len, origin->topic);
    if (name == NULL) {
        error_no_memory(error);
        return false;
    }
    start->shown_as = (weir_origin){ name, (uint32_t)strlen(name), origin->partition };
    return true;
}

static bool fill_start(struct engine *engine, const struct sink_lane *lane,
                       const struct log_share *share, struct arena *arena, struct seat_start *start,
                       struct error *error)
{
    if (start->origin.topic == NULL && engine->has_seats_by_partition) {
        return true; /* every process has one of them: it has no tokens */
    }
    if (!load_token(engine, lane, share, arena, start, error)) {
        return false;
    }
    return !lane->takes_letters ||
           (load_letters(engine, share, arena, start, error) &&
            (share == NULL || name_letters(&start->origin, arena, start, error)));
}

/* origin->topic NULL: for all partitions. share NULL: its facts belong to none. */
static bool add_seat(struct engine *engine, struct sink_lane *lane, const struct log_share *share,
                     const weir_origin *origin, struct error *error)
{
    struct arena arena;
    struct seat_start start = { .origin = *origin,
                                .log_topic = share == NULL ? NULL : share->topic,
                                .is_fresh = engine->options->is_fresh && engine->checkpoints == 0 };
    arena_init(&arena, 0);
    bool is_added = fill_start(engine, lane, share, &arena, &start, error) &&
                    sink_lane_add(lane, &start, error);
    arena_deinit(&arena);
    return is_added;
}

static bool visit_add(const struct visit *v, struct sink_lane *lane, const struct log_share *share,
                      const weir_origin *origin)
{
    return add_seat(v->engine, lane, share, origin, v->error);
}

/* A lane is waited for first: an order to one whose queue is full would wait without a limit. */
static bool open_added(struct waiting *w, struct error *error)
{
    for (uint32_t i = 0; i < w->engine->lane_count; i++) {
        struct sink_lane *lane = &w->engine->lanes[i];
        lane->is_opening = lane->made != NULL;
        if (!lane->is_opening) {
            continue;
        }
        if (!waiting_lane(w, lane, error)) {
            return false;
        }
        if (w->has_yielded) {
            return true;
        }
        if (!sink_lane_open(lane)) {
            return waiting_is_over(w, sink_lane_busy_label(lane), error);
        }
    }
    return true;
}

bool seating_begin(struct engine *engine, struct sink_lane *lane, struct error *error)
{
    static const weir_origin of_all = { .topic = NULL };
    bool is_shared = (lane->end->plugin.factory->spec->flags & WEIR_SINK_SHARED) != 0;
    lane->is_by_partition = engine->has_seats_by_partition && !is_shared;
    if (lane->is_by_partition) {
        return sink_lane_model(lane, error);
    }
    return add_seat(engine, lane, NULL, &of_all, error) && sink_lane_open(lane);
}

/* That of letters of sources. */
static bool add_leader(struct engine *engine, struct error *error)
{
    struct sink_lane *lane = engine->letters.lane;
    return lane == NULL || !lane->is_by_partition ||
           add_seat(engine, lane, NULL, &dead_letters_origin, error);
}

static bool await_open(struct waiting *w, struct error *error)
{
    for (uint32_t i = 0; i < w->engine->lane_count && !w->has_yielded; i++) {
        struct sink_lane *lane = &w->engine->lanes[i];
        if (lane->is_opening && !waiting_lane(w, lane, error)) {
            return false;
        }
    }
    return true;
}

/* The lanes are idle. */
static weir_status judge_opening(const struct engine *engine, struct error *error)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct sink_lane *lane = &engine->lanes[i];
        if (lane->is_opening && lane->refusal.status != WEIR_OK) {
            *error = lane->refusal;
            return WEIR_AGAIN;
        }
    }
    return WEIR_OK;
}

/* Where others wait from the start, what they want is what this one is part of. */
weir_status seating_come(struct engine *engine, const struct log_change *change, int64_t timeout_ms,
                         struct error *error)
{
    struct waiting w = waiting_for(engine, timeout_ms);
    struct visit v = { .visit = visit_add, .engine = engine, .error = error };
    w.yields = !log_is_urged(engine->log);
    if (!visit_all(&v, change) || (change->leads && !add_leader(engine, error)) ||
        !open_added(&w, error) || !await_open(&w, error)) {
        return error->status;
    }
    return w.has_yielded ? WEIR_AGAIN : judge_opening(engine, error);
}

/* ---- going ------------------------------------------------------------------------------------- */

static bool visit_mark(const struct visit *v, struct sink_lane *lane, const struct log_share *share,
                       const weir_origin *origin)
{
    (void)share;
    sink_lane_mark(lane, origin, v->is_lost);
    return true;
}

void seating_go(struct engine *engine, const struct log_change *change)
{
    struct sink_lane *letters = engine->letters.lane;
    struct visit v = { .visit = visit_mark, .engine = engine, .is_lost = change->kind == LOG_LOST };
    (void)visit_all(&v, change);
    if (letters != NULL && !change->leads) {
        sink_lane_mark(letters, &dead_letters_origin, v.is_lost);
    }
}

bool seating_end(struct engine *engine, int64_t timeout_ms, struct error *error)
{
    struct waiting w = waiting_for(engine, timeout_ms);
    struct lane_item item = { .order = LANE_CLOSE, .is_for_leaving = true };
    if (!waiting_order(&w, &item, error)) {
        return false;
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        sink_lane_vacate(&engine->lanes[i]);
    }
    return true;
}

bool seating_restart(struct engine *engine, int64_t timeout_ms, struct error *error)
{
    struct waiting w = waiting_for(engine, timeout_ms);
    struct lane_item discard = { .order = LANE_DISCARD };
    struct lane_item close = { .order = LANE_CLOSE };
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        sink_lane_drop(&engine->lanes[i]);
    }
    if (!waiting_order(&w, &discard, error) || !waiting_order(&w, &close, error)) {
        return false;
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (!sink_lane_renew(&engine->lanes[i], error)) {
            return false;
        }
    }
    return open_added(&w, error);
}
