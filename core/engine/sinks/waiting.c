/* SPDX-License-Identifier: MIT */
#include "engine/sinks/waiting.h"

#include "base/clock.h"
#include "base/logger.h"

enum { TURN_MS = 200, SHORT_TURN_MS = 10, STUCK_MS = 1000, PATIENCE_MS = 10000 };

static int64_t milliseconds_left(int64_t deadline_ns)
{
    int64_t left = (deadline_ns - clock_monotonic_ns()) / 1000000;
    return left < 0 ? 0 : left;
}

static bool is_stop_requested(const struct engine *engine)
{
    return engine->options->stop != NULL && atomic_load(engine->options->stop) > 0;
}

int64_t waiting_turn(struct waiting *w)
{
    if (w->deadline_ns == 0 &&
        (w->is_limited || is_stop_requested(w->engine) || log_is_urged(w->engine->log))) {
        w->deadline_ns =
            clock_monotonic_ns() + w->engine->pipeline->shutdown_timeout_ms * INT64_C(1000000);
    }
    engine_look(w->engine);
    int64_t left_ms = w->deadline_ns == 0 ? TURN_MS : milliseconds_left(w->deadline_ns);
    return left_ms < TURN_MS ? left_ms : TURN_MS;
}

bool waiting_is_stuck(const struct engine *engine, struct sink_lane *lane)
{
    return sink_lane_trouble(lane, NULL) ||
           watch_time(&engine->watch, &lane->watch, clock_monotonic_ns()) >
               STUCK_MS * INT64_C(1000000);
}

/* Notes a lane that is stuck where nobody is to wait for it. */
static bool is_given_way(struct waiting *w, struct sink_lane *lane)
{
    if (w->patience_ns == 0 || clock_monotonic_ns() < w->patience_ns ||
        !waiting_is_stuck(w->engine, lane)) {
        return false;
    }
    w->stuck = lane;
    return true;
}

/* What is waited for is not wanted any more, or something else is wanted first. */
static bool is_called_away(struct waiting *w)
{
    w->has_yielded |= w->yields && (is_stop_requested(w->engine) || log_is_urged(w->engine->log));
    return w->has_yielded;
}

static const char done_again[] =
    "what was done since the last checkpoint is done again at the next start";

bool waiting_is_over(const struct waiting *w, const char *who, struct error *error)
{
    error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_RESOURCE, "%s: %s did not come to an end", w->what,
              who);
    error_hint(error, "%s", done_again);
    return false;
}

/* With what it waits for, where it tries something again. */
static bool lane_is_late(const struct waiting *w, struct sink_lane *lane, struct error *error)
{
    struct error reason = { .status = WEIR_OK };
    const char *label = sink_lane_busy_label(lane);
    waiting_is_over(w, label, error);
    if (sink_lane_trouble(lane, &reason)) {
        error_set(error, WEIR_E_TIMEOUT, reason.error_class, "%s: %s: %s", w->what, label,
                  reason.message);
        error_hint(error, "%s", reason.hint[0] != 0 ? reason.hint : done_again);
    }
    return false;
}

bool waiting_lane(struct waiting *w, struct sink_lane *lane, struct error *error)
{
    int64_t told_ns = clock_monotonic_ns();
    for (;;) {
        int64_t time_ms = waiting_turn(w);
        int64_t turn_ms = w->patience_ns != 0 && time_ms > SHORT_TURN_MS ? SHORT_TURN_MS : time_ms;
        if (sink_lane_wait(lane, turn_ms)) {
            return !run_faults_error(&w->engine->faults, error);
        }
        if (run_faults_error(&w->engine->faults, error)) {
            return false;
        }
        if (is_given_way(w, lane) || is_called_away(w)) {
            return true;
        }
        if (time_ms == 0) {
            return lane_is_late(w, lane, error);
        }
        if (clock_monotonic_ns() - told_ns > PATIENCE_MS * INT64_C(1000000)) {
            told_ns = clock_monotonic_ns();
            logger_write(LOGGER_WARNING, sink_lane_busy_label(lane), "%s waits for this sink",
                         w->who);
        }
    }
}

static bool is_broken_off(const struct waiting *w, const struct lane_item *item)
{
    return w->stuck != NULL && item->order != LANE_PUBLISH;
}

/* That of dead letters is the last one: when it is at rest, nobody fills it any more. */
static bool await_lanes(struct waiting *w, const struct lane_item *item, struct error *error)
{
    for (uint32_t i = 0; i < w->engine->lane_count && !is_broken_off(w, item); i++) {
        if (!waiting_lane(w, &w->engine->lanes[i], error)) {
            return false;
        }
    }
    return true;
}

static bool put_to_lanes(struct waiting *w, const struct lane_item *item, struct error *error)
{
    for (uint32_t i = 0; i < w->engine->lane_count; i++) {
        if (!sink_lane_put(&w->engine->lanes[i], item)) {
            return !run_faults_error(&w->engine->faults, error) &&
                   lane_is_late(w, &w->engine->lanes[i], error);
        }
    }
    return true;
}

/* The lanes are waited for first: an order to one whose queue is full would wait without a limit. */
bool waiting_order(struct waiting *w, const struct lane_item *item, struct error *error)
{
    if (!await_lanes(w, item, error)) {
        return false;
    }
    return is_broken_off(w, item) || (put_to_lanes(w, item, error) && await_lanes(w, item, error));
}
