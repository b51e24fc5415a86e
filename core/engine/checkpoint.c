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
#include "engine/facts.h"
#include "engine/state.h"

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
    bool is_final;
};

static struct waiting waiting_start(struct engine *engine, bool is_final)
{
    struct waiting w = { .engine = engine, .is_final = is_final };
    return w;
}

/* Time for one turn of waiting; 0: over. */
static int64_t waiting_turn(struct waiting *w)
{
    if (w->deadline_ns == 0 && (w->is_final || is_stop_requested(w->engine))) {
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

/* ---- the epoch --------------------------------------------------------------------------------- */

/* What is committed, with the memory that it takes. */
struct gathered {
    struct log_position *positions;
    size_t position_count;
    struct log_fact *facts;
    size_t fact_count;
    struct arena arena;
};

static void add_fact(struct gathered *all, const char *key, weir_slice value)
{
    all->facts[all->fact_count++] = (struct log_fact){ .key = key, .value = value };
}

static void gather_positions(struct engine *engine, struct gathered *all)
{
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        const struct task *task = &engine->pool.tasks[t];
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            const struct reader *reader = &task->readers[r];
            if (reader->topic != NULL) {
                all->positions[all->position_count++] =
                    (struct log_position){ reader->log_topic, reader->partition, reader->position };
            }
        }
    }
}

static size_t count_seats(const struct engine *engine)
{
    size_t count = 0;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        for (const struct seat *seat = engine->lanes[i].seats; seat != NULL; seat = seat->next) {
            count++;
        }
    }
    return count;
}

/* Everybody stands and the lane is idle. */
static void gather_tokens(const struct sink_lane *lane, struct gathered *all)
{
    for (const struct seat *seat = lane->seats; seat != NULL; seat = seat->next) {
        bool has_token = seat->token.size > 0;
        add_fact(all, seat->fact_key,
                 (weir_slice){ seat->token.data, has_token ? seat->token.size : LOG_ABSENT });
    }
}

static bool gather_letters(struct engine *engine, struct gathered *all)
{
    if (engine->letters.lane == NULL) {
        return true;
    }
    uint8_t *bytes = arena_alloc(&all->arena, 8);
    for (int i = 0; bytes != NULL && i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)engine->letters.next_number >> (8 * i));
    }
    add_fact(all, fact_of_letters, (weir_slice){ bytes, 8 });
    return bytes != NULL;
}

static bool gather_facts(struct engine *engine, struct gathered *all)
{
    for (uint32_t i = 0; i < engine->source_count; i++) {
        const struct source_lane *lane = &engine->sources[i];
        if (lane->position.size > 0) {
            add_fact(all, lane->fact_key, (weir_slice){ lane->position.data, lane->position.size });
        }
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        gather_tokens(&engine->lanes[i], all);
    }
    for (const struct fact_change *change = engine->changes; change != NULL;
         change = change->next) {
        all->facts[all->fact_count++] = change->fact;
    }
    return gather_letters(engine, all);
}

static bool gather(struct engine *engine, struct gathered *all)
{
    size_t positions = (size_t)engine->pool.task_count * engine->plan->route_count;
    size_t facts = engine->source_count + count_seats(engine) + engine->change_count + 1;
    all->positions = arena_alloc(&all->arena, (positions + 1) * sizeof *all->positions);
    all->facts = arena_alloc(&all->arena, facts * sizeof *all->facts);
    if (all->positions == NULL || all->facts == NULL) {
        return false;
    }
    gather_positions(engine, all);
    return gather_facts(engine, all);
}

static bool commit(struct engine *engine, struct error *error)
{
    struct gathered all = { .position_count = 0 };
    arena_init(&all.arena, 0);
    weir_status st = WEIR_E_NOMEM;
    if (gather(engine, &all)) {
        struct log_epoch epoch = { all.positions, all.position_count, all.facts, all.fact_count };
        st = log_commit(engine->log, engine->pipeline->name, &epoch, error);
    } else {
        error_no_memory(error);
    }
    arena_deinit(&all.arena);
    if (st == WEIR_OK) {
        engine->changes = NULL;
        engine->change_count = 0;
    }
    return st == WEIR_OK;
}

/*
 * A full disk is no reason to end: everybody stands at the gate, what is to be committed is in memory,
 * and somebody may make room.
 */
static bool commit_with_room(struct waiting *w, struct error *error)
{
    int64_t told_ns = 0;
    bool was_full = false;
    while (!commit(w->engine, error)) {
        int64_t time_ms = waiting_turn(w);
        if (!error->is_retriable || time_ms == 0) {
            return false;
        }
        int64_t now_ns = clock_monotonic_ns();
        if (!was_full || now_ns - told_ns > PATIENCE_MS * INT64_C(1000000)) {
            told_ns = now_ns;
            logger_write(LOGGER_WARNING, NULL,
                         "%s; the run waits for room on the disk, nothing is lost", error->message);
        }
        was_full = true;
        error->is_retriable = false;
        pause_ms(time_ms);
    }
    if (was_full) {
        logger_write(LOGGER_INFO, NULL, "there is room on the disk again; the run goes on");
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
    if (!order_all(w, w->is_final ? LANE_FLUSH_FINAL : LANE_FLUSH, error)) {
        return false;
    }
    int64_t flushed_ns = lap(&times->flush, standing_ns);
    fault_point("checkpoint.flushed");
    engine->is_committing = true;
    if (!commit_with_room(w, error)) {
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

bool checkpoint_make(struct engine *engine, bool is_final, struct error *error)
{
    struct waiting w = waiting_start(engine, is_final);
    int64_t start_ns = clock_monotonic_ns();
    if (!stand_still(&w, error)) {
        return false;
    }
    if (is_final || has_changed(engine)) {
        int64_t standing_ns = lap(&engine->checkpoint_times.gate, start_ns);
        if (!settle(&w, standing_ns, error)) {
            return false;
        }
        lap(&engine->checkpoint_times.whole, start_ns);
    }
    engine->checkpoint_ns = clock_monotonic_ns();
    if (!is_final) {
        gate_open(&engine->gate);
    }
    return true;
}
