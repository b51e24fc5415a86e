/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints. The order is what makes them safe: what is flushed but not committed is removed at the
 * next start (a sink opens with the older token), what is committed but not published is published
 * then.
 */
#include <time.h>

#include "base/clock.h"
#include "base/fault_point.h"
#include "base/logger.h"
#include "engine/epoch.h"

/* Waits are cut into turns, so that a stop is noticed soon; who is waited for is told less often. */
enum { TURN_MS = 200, PATIENCE_MS = 10000 };

static int64_t milliseconds_left(int64_t deadline_ns)
{
    int64_t left = (deadline_ns - clock_monotonic_ns()) / 1000000;
    return left < 0 ? 0 : left;
}

static bool is_stop_requested(const struct engine *engine)
{
    return engine->options->stop != NULL && atomic_load(engine->options->stop) > 0;
}

/*
 * Waits in turns. A checkpoint of a run that goes on has no
 * limit of its own; once the run is to stop it has shutdown_timeout.
 */
struct waiting {
    struct engine *engine;
    int64_t deadline_ns; /* 0: none yet */
    bool is_limited;
    enum lane_order flush;
};

static struct waiting waiting_start(struct engine *engine, bool is_limited)
{
    struct waiting w = { .engine = engine, .is_limited = is_limited };
    return w;
}

/* Time for one turn of waiting; 0: over. */
static int64_t waiting_turn(struct waiting *w)
{
    if (w->deadline_ns == 0 && (w->is_limited || is_stop_requested(w->engine))) {
        w->deadline_ns =
            clock_monotonic_ns() + w->engine->pipeline->shutdown_timeout_ms * INT64_C(1000000);
    }
    engine_look(w->engine);
    int64_t left_ms = w->deadline_ns == 0 ? TURN_MS : milliseconds_left(w->deadline_ns);
    return left_ms < TURN_MS ? left_ms : TURN_MS;
}

static void pause_ms(int64_t time_ms)
{
    struct timespec pause = { .tv_sec = time_ms / 1000, .tv_nsec = time_ms % 1000 * 1000000 };
    nanosleep(&pause, NULL);
}

static bool out_of_time(struct error *error, const char *who)
{
    error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_RESOURCE,
              "no checkpoint within shutdown_timeout: %s did not come to an end", who);
    error_hint(error, "what was done since the last checkpoint is done again at the next start");
    return false;
}

/* A plugin that a worker or a source is in, or the sink whose full queue keeps dead letters waiting. */
static const char *busy_with(struct engine *engine)
{
    const char *label = NULL;
    for (uint32_t i = 0; i < engine->pool.worker_count && label == NULL; i++) {
        label = atomic_load(&engine->pool.workers[i].watch.label);
    }
    for (uint32_t i = 0; i < engine->source_count && label == NULL; i++) {
        label = atomic_load(&engine->sources[i].watch.label);
    }
    struct sink_lane *letters = engine->letters.lane;
    if (label == NULL && letters != NULL && sink_lane_is_awaited(letters)) {
        label = letters->end->plugin.label;
    }
    return label != NULL ? label : "a worker or a source";
}

static bool stand_still(struct waiting *w, struct error *error)
{
    for (;;) {
        int64_t time_ms = waiting_turn(w);
        if (gate_close(&w->engine->gate, time_ms)) {
            return true;
        }
        if (run_faults_error(&w->engine->faults, error)) {
            return false;
        }
        if (time_ms == 0) {
            return out_of_time(error, busy_with(w->engine));
        }
    }
}

/* With what it waits for, where it tries something again. */
static bool sink_out_of_time(struct error *error, struct sink_lane *lane)
{
    struct error reason = { .status = WEIR_OK };
    out_of_time(error, lane->end->plugin.label);
    if (sink_lane_trouble(lane, &reason)) {
        error_set(error, WEIR_E_TIMEOUT, reason.error_class,
                  "no checkpoint within shutdown_timeout: %s: %s", lane->end->plugin.label,
                  reason.message);
    }
    return false;
}

static bool wait_for_lane(struct waiting *w, struct sink_lane *lane, struct error *error)
{
    int64_t told_ns = clock_monotonic_ns();
    for (;;) {
        int64_t time_ms = waiting_turn(w);
        if (sink_lane_wait(lane, time_ms)) {
            return !run_faults_error(&w->engine->faults, error);
        }
        if (run_faults_error(&w->engine->faults, error)) {
            return false;
        }
        if (time_ms == 0) {
            return sink_out_of_time(error, lane);
        }
        if (clock_monotonic_ns() - told_ns > PATIENCE_MS * INT64_C(1000000)) {
            told_ns = clock_monotonic_ns();
            logger_write(LOGGER_WARNING, lane->end->plugin.label,
                         "the checkpoint waits for this sink");
        }
    }
}

/*
 * The same order to some lanes, and the end of it. The lanes are waited for first: an order to one
 * whose queue is full would wait without a limit.
 */
static bool order_lanes(struct waiting *w, struct sink_lane *lanes, uint32_t count,
                        enum lane_order order, struct error *error)
{
    struct engine *engine = w->engine;
    for (uint32_t i = 0; i < count; i++) {
        if (!wait_for_lane(w, &lanes[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!sink_lane_order(&lanes[i], order)) {
            return !run_faults_error(&engine->faults, error) && sink_out_of_time(error, &lanes[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!wait_for_lane(w, &lanes[i], error)) {
            return false;
        }
    }
    return true;
}

/* To every lane. That of dead letters, the last one, comes after the others: they may fill it yet. */
static bool order_all(struct waiting *w, enum lane_order order, struct error *error)
{
    struct engine *engine = w->engine;
    uint32_t others = engine->lane_count - (engine->letters.lane != NULL ? 1 : 0);
    return order_lanes(w, engine->lanes, others, order, error) &&
           order_lanes(w, engine->lanes + others, engine->lane_count - others, order, error);
}

static uint64_t source_sequence(const struct engine *engine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < engine->source_count; i++) {
        const struct source_lane *lane = &engine->sources[i];
        sum += lane->next_number + meter_get(&lane->meter->failed);
    }
    return sum;
}

static bool wants_flush(const struct engine *engine)
{
    bool wants = false;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        wants |= atomic_load(&engine->lanes[i].wants_flush);
    }
    return wants;
}

static bool has_changed(const struct engine *engine)
{
    return wants_flush(engine) || atomic_load(&engine->pool.since_checkpoint) > 0 ||
           log_pending_bytes(engine->log) > 0 || source_sequence(engine) != engine->sequence;
}

/* ---- the commit -------------------------------------------------------------------------------- */

/* What holds a commit up, as people say it. A broker has some time before it is worth a word. */
struct obstacle {
    const char *name;
    int64_t quiet_ms;
};

static struct obstacle obstacle_of(const struct error *error)
{
    return error->error_class == WEIR_CLASS_NETWORK ? (struct obstacle){ "Kafka", 2000 }
                                                    : (struct obstacle){ "room on the disk", 0 };
}

/*
 * Neither a full disk nor a broker that is away is a reason to end: everybody stands at the gate, what is
 * to be committed is in memory, and it may become better.
 */
static bool commit_waiting(struct waiting *w, struct error *error)
{
    int64_t start_ns = clock_monotonic_ns();
    int64_t told_ns = 0;
    struct obstacle obstacle = { NULL, 0 };
    while (epoch_commit(w->engine, error) != WEIR_OK) {
        int64_t time_ms = waiting_turn(w);
        if (!error->is_retriable || time_ms == 0) {
            return false;
        }
        int64_t now_ns = clock_monotonic_ns();
        obstacle = obstacle_of(error);
        bool is_quiet = now_ns - start_ns < obstacle.quiet_ms * INT64_C(1000000);
        if (!is_quiet && (told_ns == 0 || now_ns - told_ns > PATIENCE_MS * INT64_C(1000000))) {
            told_ns = now_ns;
            logger_write(LOGGER_WARNING, NULL, "%s; the run waits for %s, nothing is lost",
                         error->message, obstacle.name);
        }
        error->is_retriable = false;
        if (error->error_class != WEIR_CLASS_NETWORK) {
            pause_ms(time_ms); /* the log on a broker has waited itself */
        }
    }
    if (told_ns != 0) {
        logger_write(LOGGER_INFO, NULL, "there is %s again; the run goes on", obstacle.name);
    }
    return true;
}

/* Adds a step of the checkpoint to its stopwatch; the time when the next one begins. */
static int64_t lap(struct stopwatch *watch, int64_t start_ns)
{
    int64_t now_ns = clock_monotonic_ns();
    stopwatch_add(watch, now_ns - start_ns);
    return now_ns;
}

/* Everybody stands, since standing_ns. */
static bool settle(struct waiting *w, int64_t standing_ns, struct error *error)
{
    struct engine *engine = w->engine;
    struct checkpoint_times *times = &engine->checkpoint_times;
    fault_point("checkpoint.stands");
    if (!order_all(w, w->flush, error)) {
        return false;
    }
    int64_t flushed_ns = lap(&times->flush, standing_ns);
    fault_point("checkpoint.flushed");
    engine->is_committing = true;
    if (!commit_waiting(w, error)) {
        return false;
    }
    int64_t committed_ns = lap(&times->commit, flushed_ns);
    fault_point("checkpoint.committed");
    if (!order_all(w, LANE_PUBLISH, error)) {
        return false;
    }
    lap(&times->publish, committed_ns);
    fault_point("checkpoint.published");
    engine->is_committing = false;
    atomic_store(&engine->pool.since_checkpoint, 0);
    engine->sequence = source_sequence(engine);
    engine->checkpoints++;
    return true;
}

bool checkpoint_stand(struct engine *engine, struct error *error)
{
    struct waiting w = waiting_start(engine, false);
    return stand_still(&w, error);
}

bool checkpoint_make(struct engine *engine, enum checkpoint_kind kind, struct error *error)
{
    /* Whoever takes over waits as little as whoever wants the run to end. */
    struct waiting w = waiting_start(engine, kind != CHECKPOINT_NORMAL);
    int64_t start_ns = clock_monotonic_ns();
    if (!stand_still(&w, error)) {
        return false;
    }
    w.flush = kind == CHECKPOINT_FINAL ? LANE_FLUSH_FINAL : LANE_FLUSH;
    if (kind == CHECKPOINT_FINAL || has_changed(engine)) {
        int64_t standing_ns = lap(&engine->checkpoint_times.gate, start_ns);
        if (!settle(&w, standing_ns, error)) {
            return false;
        }
        lap(&engine->checkpoint_times.whole, start_ns);
    }
    engine->checkpoint_ns = clock_monotonic_ns();
    if (kind == CHECKPOINT_NORMAL) {
        gate_open(&engine->gate);
    }
    return true;
}
