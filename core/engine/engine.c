/* SPDX-License-Identifier: MIT */
/*
 * The supervisor: starts the threads, makes checkpoints when they are due, ends the run.
 */
#include "engine/engine.h"

#include "base/clock.h"
#include "base/logger.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/faults/stall_search.h"
#include "engine/report/report.h"
#include "engine/setup.h"
#include "engine/sinks/waiting.h"
#include "engine/sources/sources.h"
#include "engine/state.h"
#include "engine/topics/keeping.h"
#include "engine/topics/rights.h"
#include "engine/topics/shares.h"

enum { TICK_MS = 50, PROGRESS_MS = 500, SILENCE_MS = 3000, ARRIVAL_MS = 60000 };

static bool start_threads(struct engine *engine, struct error *error)
{
    engine->has_started = true;
    return sources_start(engine, error) && worker_pool_start(&engine->pool, error);
}

static uint64_t records_in(const struct engine *engine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < engine->plan->route_count; i++) {
        sum += meter_get(&engine->meters[engine->plan->routes[i].nodes[0]].in);
    }
    return sum;
}

static void show_progress(struct engine *engine, int64_t *next_ns)
{
    int64_t now = clock_monotonic_ns();
    if (engine->options->progress == NULL || now < *next_ns) {
        return;
    }
    *next_ns = now + PROGRESS_MS * INT64_C(1000000);
    struct engine_progress progress = { records_in(engine), meter_get(&engine->pool.arrivals),
                                        (double)(now - engine->started_ns) / 1e9 };
    engine->options->progress(engine->options->self, &progress);
}

static bool is_checkpoint_due(struct engine *engine)
{
    pthread_mutex_lock(&engine->gate.lock);
    bool is_wanted = engine->gate.wants_checkpoint;
    pthread_mutex_unlock(&engine->gate.lock);
    int64_t age_ns = clock_monotonic_ns() - engine->checkpoint_ns;
    int64_t interval = checkpoint_interval_ms(engine);
    return is_wanted || engine->put_offs > 0 || (interval > 0 && age_ns >= interval * 1000000);
}

/*
 * No record has come for as long as somebody wants to wait. Before partitions have come none can, and while one is
 * being processed it has come.
 */
static bool is_time_over(struct engine *engine)
{
    int64_t last = atomic_load_explicit(&engine->pool.last_record_ns, memory_order_relaxed);
    int64_t begin = engine->changed_ns != 0 ? engine->changed_ns
                                            : engine->started_ns + ARRIVAL_MS * INT64_C(1000000);
    return engine->options->timeout_ms > 0 &&
           clock_monotonic_ns() - (last > begin ? last : begin) >=
               engine->options->timeout_ms * 1000000 &&
           !run_queue_is_at_work(&engine->pool.queue);
}

/* Every end is a sink that takes no more: nobody wants the rest. */
static bool has_no_takers(const struct engine *engine)
{
    uint32_t has_letters = engine->letters.lane != NULL ? 1 : 0;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct sink_lane *lane = &engine->lanes[i];
        if (!lane->takes_letters && !atomic_load(&lane->is_finished)) {
            return false;
        }
    }
    return engine->lane_count > 0 && engine->lane_count == engine->plan->end_count + has_letters;
}

static bool is_end_of_run(struct engine *engine)
{
    pthread_mutex_lock(&engine->gate.lock);
    bool is_finished = engine->gate.is_finished;
    pthread_mutex_unlock(&engine->gate.lock);
    bool is_stopped = engine->options->stop != NULL && atomic_load(engine->options->stop) > 0;
    return is_finished || is_stopped || is_time_over(engine) || has_no_takers(engine);
}

/* Whoever waits for the log may not look himself. */
static void note_stop(struct engine *engine, int64_t now_ns)
{
    int64_t none = 0;
    if (engine->options->stop != NULL && atomic_load(engine->options->stop) > 0) {
        (void)atomic_compare_exchange_strong(&engine->stopped_ns, &none, now_ns);
    }
}

void engine_look(struct engine *engine)
{
    int64_t now_ns = clock_monotonic_ns();
    note_stop(engine, now_ns);
    watch_look(&engine->watch, now_ns);
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        sink_lane_tell(&engine->lanes[i], now_ns);
    }
}

/* No checkpoint begins then. */
static bool is_sink_stuck(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (waiting_is_stuck(engine, &engine->lanes[i])) {
            return true;
        }
    }
    return false;
}

/* The process, or the machine, has stood still: the thread that looks all the time has not looked. */
static bool was_silent(struct engine *engine)
{
    int64_t now_ns = clock_monotonic_ns();
    int64_t before_ns = engine->looked_ns;
    engine->looked_ns = now_ns;
    return log_is_shared(engine->log) && before_ns != 0 &&
           now_ns - before_ns > SILENCE_MS * INT64_C(1000000);
}

static bool supervise(struct engine *engine, struct error *error)
{
    int64_t next_progress_ns = 0;
    for (;;) {
        if (was_silent(engine) && !shares_confirm(engine, error)) {
            return false;
        }
        bool may_checkpoint = !is_sink_stuck(engine);
        gate_attend(&engine->gate, may_checkpoint, TICK_MS);
        engine_look(engine);
        if (run_faults_error(&engine->faults, error)) {
            return false;
        }
        show_progress(engine, &next_progress_ns);
        drops_tell(&engine->faults.drops, clock_monotonic_ns());
        bool is_ending = is_end_of_run(engine);
        if ((is_ending || (may_checkpoint && is_checkpoint_due(engine))) &&
            !checkpoint_make(engine, is_ending ? CHECKPOINT_FINAL : CHECKPOINT_NORMAL, error)) {
            return false;
        }
        if (engine->is_over) {
            return keeping_finish(engine, error);
        }
        if (!shares_follow(engine, error) || !keeping_go_on(engine, error)) {
            return false;
        }
        stall_search(engine);
    }
}

weir_status engine_run(struct pipeline *pipeline, const struct engine_options *options,
                       struct engine_report *report, struct error *error)
{
    struct error local = { .status = WEIR_OK };
    struct engine engine = { .pipeline = pipeline, .options = options };
    arena_init(&engine.arena, 0);
    gate_init(&engine.gate);
    run_faults_init(&engine.faults, &engine.gate);
    stalls_init(&engine.stalls);
    engine.started_ns = clock_monotonic_ns();
    engine.checkpoint_ns = engine.started_ns;
    *report = (struct engine_report){ .seconds = 0 };
    arena_init(&report->arena, 0);

    bool is_right = setup_engine(&engine, &local) && start_threads(&engine, &local) &&
                    supervise(&engine, &local);
    if (engine.is_stopped_early && local.status != WEIR_OK) {
        logger_write(LOGGER_WARNING, NULL, "stopped before the start: %s", local.message);
        local.status = WEIR_OK;
    }
    /* A fault that a thread has told is the cause; what setup or a checkpoint says follows from it. */
    if (!is_right) {
        (void)run_faults_error(&engine.faults, &local);
    }
    /* Where a checkpoint has waited in vain already, there is no use in waiting for long again. */
    int64_t timeout_ms =
        local.status == WEIR_E_TIMEOUT ? pipeline->shutdown_timeout_ms : INT64_MAX / 1000000;
    struct error late = { .status = WEIR_OK };
    bool is_clean = stop_engine(&engine, !is_right, timeout_ms, &late);
    if (!is_clean && is_right) {
        is_right = false;
        local = late;
    } else if (!is_clean && engine.is_stopped_early && local.status == WEIR_OK) {
        logger_write(LOGGER_WARNING, NULL, "stopped before the start: %s", late.message);
    }
    if (!is_right && !engine.is_abandoned) {
        rights_tell(&engine, &local);
    }
    report_fill(&engine, report);
    teardown_engine(&engine);
    report->is_abandoned = engine.is_abandoned;
    if (error != NULL) {
        *error = local;
    }
    return is_right ? WEIR_OK : local.status;
}
