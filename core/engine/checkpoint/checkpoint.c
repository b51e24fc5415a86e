/* SPDX-License-Identifier: MIT */
/*
 * Checkpoints. The order is what makes them safe: what is flushed but not committed is removed at the
 * next start (a sink opens with the older token), what is committed but not published is published
 * then.
 */
#include "engine/checkpoint/checkpoint.h"

#include <time.h>

#include "base/clock.h"
#include "base/fault_point.h"
#include "base/logger.h"
#include "engine/checkpoint/epoch.h"
#include "engine/sinks/waiting.h"

/*
 * PATIENCE_MS  between two lines about a commit that waits
 * FIRST_MS     that a checkpoint which was put off waits for sinks that are stuck the next time; doubles
 */
enum { PATIENCE_MS = 10000, FIRST_MS = 500, DOUBLINGS = 20 };

/*
 * Nobody waits for a sink that is stuck; but one that fails for now at every first attempt would put off all
 * checkpoints, so each that was put off gives the next one more time.
 */
static int64_t patience_ms(const struct engine *engine)
{
    uint32_t doublings = engine->put_offs < DOUBLINGS ? engine->put_offs : DOUBLINGS;
    return doublings == 0 ? 0 : (int64_t)FIRST_MS << (doublings - 1);
}

/* Whoever takes over, or wants the run to end, waits for all sinks, and for shutdown_timeout at most. */
static struct waiting waiting_start(struct engine *engine, enum checkpoint_kind kind)
{
    struct waiting w = { .engine = engine,
                         .who = "the checkpoint",
                         .what = "no checkpoint within shutdown_timeout",
                         .is_limited = kind != CHECKPOINT_NORMAL };
    if (kind == CHECKPOINT_NORMAL) {
        w.patience_ns = clock_monotonic_ns() + patience_ms(engine) * INT64_C(1000000);
    }
    return w;
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
            return waiting_is_over(w, busy_with(w->engine), error);
        }
    }
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

/* Also over what is no message, such as the mark at the end of a transaction. */
static bool has_moved(const struct engine *engine)
{
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            const struct reader *reader = &engine->pool.tasks[t].readers[r];
            if (reader_is_own(reader) && reader->position != reader->committed) {
                return true;
            }
        }
    }
    return false;
}

/* Everybody stands. A group that has begun at the end of a topic is to know where that was. */
static bool has_changed(const struct engine *engine)
{
    return engine->put_offs > 0 || wants_flush(engine) ||
           atomic_load(&engine->pool.since_checkpoint) > 0 || log_pending_bytes(engine->log) > 0 ||
           source_sequence(engine) != engine->sequence || engine->lacks_positions ||
           has_moved(engine);
}

/* ---- the commit -------------------------------------------------------------------------------- */

/* What holds a commit up, as people say it. A broker has some time before it is worth a word. */
struct obstacle {
    const char *name;
    int64_t quiet_ms;
};

static struct obstacle obstacle_of(const struct engine *engine)
{
    return log_is_shared(engine->log) ? (struct obstacle){ "Kafka", 2000 }
                                      : (struct obstacle){ "room on the disk", 0 };
}

enum settled { SETTLED, PUT_OFF, DROPPED, FAILED };

/* Brokers that do not answer in time are no fault of this run. */
static enum settled give_up(const struct engine *engine, struct error *error)
{
    struct error reason = *error;
    if (reason.is_retriable && log_is_shared(engine->log)) {
        error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                  "no checkpoint within shutdown_timeout: %s", reason.message);
        error_hint(error, "start it again: it goes on from the checkpoint before");
        error->asks_restart = true;
    }
    return FAILED;
}

/*
 * Neither a full disk nor a broker that is away is a reason to end: everybody stands at the gate, what is
 * to be committed is in memory, and it may become better. An epoch that can never be committed is dropped.
 */
static enum settled commit_waiting(struct waiting *w, struct error *error)
{
    int64_t start_ns = clock_monotonic_ns();
    int64_t told_ns = 0;
    struct obstacle obstacle = { NULL, 0 };
    weir_status st;
    while ((st = epoch_commit(w->engine, error)) != WEIR_OK) {
        if (st == WEIR_AGAIN) {
            return epoch_drop(w->engine, error) ? DROPPED : FAILED;
        }
        int64_t time_ms = waiting_turn(w);
        if (!error->is_retriable || time_ms == 0) {
            return give_up(w->engine, error);
        }
        int64_t now_ns = clock_monotonic_ns();
        obstacle = obstacle_of(w->engine);
        bool is_quiet = now_ns - start_ns < obstacle.quiet_ms * INT64_C(1000000);
        if (!is_quiet && (told_ns == 0 || now_ns - told_ns > PATIENCE_MS * INT64_C(1000000))) {
            told_ns = now_ns;
            logger_write(LOGGER_WARNING, NULL, "%s; the run waits for %s, nothing is lost",
                         error->message, obstacle.name);
        }
        error->is_retriable = false;
        if (error->error_class != WEIR_CLASS_NETWORK) {
            clock_rest(time_ms); /* the log on a broker has waited itself */
        }
    }
    if (told_ns != 0) {
        logger_write(LOGGER_INFO, NULL, "there is %s again; the run goes on", obstacle.name);
    }
    return SETTLED;
}

/* Adds a step of the checkpoint to its stopwatch; the time when the next one begins. */
static int64_t lap(struct stopwatch *watch, int64_t start_ns)
{
    int64_t now_ns = clock_monotonic_ns();
    stopwatch_add(watch, now_ns - start_ns);
    return now_ns;
}

static bool order(struct waiting *w, enum lane_order order, struct error *error)
{
    struct lane_item item = { .order = order };
    return waiting_order(w, &item, error);
}

/* A sink is stuck: nothing is committed, everybody goes on, and what was flushed is flushed again. */
static enum settled put_off(struct engine *engine)
{
    engine->put_offs++;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        sink_lane_resume(&engine->lanes[i]);
    }
    return PUT_OFF;
}

/* All sinks are told to publish; one that is stuck does it while everybody goes on. */
static bool publish(struct waiting *w, struct error *error)
{
    if (w->patience_ns != 0) {
        w->patience_ns = clock_monotonic_ns();
    }
    return order(w, LANE_PUBLISH, error);
}

/* Everybody stands, since standing_ns. */
static enum settled settle(struct waiting *w, enum lane_order flush, int64_t standing_ns,
                           struct error *error)
{
    struct engine *engine = w->engine;
    struct checkpoint_times *times = &engine->checkpoint_times;
    fault_point("checkpoint.stands");
    if (!order(w, flush, error)) {
        return FAILED;
    }
    if (w->stuck != NULL) {
        return put_off(engine);
    }
    int64_t flushed_ns = lap(&times->flush, standing_ns);
    fault_point("checkpoint.flushed");
    engine->is_committing = true;
    enum settled settled = commit_waiting(w, error);
    if (settled != SETTLED) {
        return settled;
    }
    int64_t committed_ns = lap(&times->commit, flushed_ns);
    fault_point("checkpoint.committed");
    if (!publish(w, error)) {
        return FAILED;
    }
    lap(&times->publish, committed_ns);
    fault_point("checkpoint.published");
    engine->is_committing = false;
    atomic_store(&engine->pool.since_checkpoint, 0);
    engine->sequence = source_sequence(engine);
    engine->checkpoints++;
    engine->put_offs = 0;
    return SETTLED;
}

bool checkpoint_stand(struct engine *engine, struct error *error)
{
    struct waiting w = waiting_start(engine, CHECKPOINT_NORMAL);
    return stand_still(&w, error);
}

static bool is_stop_asked(const struct engine *engine)
{
    return engine->options->stop != NULL && atomic_load(engine->options->stop) > 0;
}

/*
 * A run that is to stop has shutdown_timeout for all attempts together. Of one that counts records the threads
 * that would do it again have ended.
 */
static bool may_do_again(struct engine *engine)
{
    int64_t now_ns = clock_monotonic_ns();
    if (engine->ending_ns == 0 && is_stop_asked(engine)) {
        engine->ending_ns = now_ns;
    }
    int64_t time_ns = engine->pipeline->shutdown_timeout_ms * INT64_C(1000000);
    return !worker_pool_counts(&engine->pool) &&
           (engine->ending_ns == 0 || now_ns - engine->ending_ns < time_ns);
}

static bool refuse_drop(struct error *error)
{
    struct error reason = *error;
    error_set(error, WEIR_E_IO, WEIR_CLASS_NETWORK, "the last checkpoint could not be made: %s",
              reason.message);
    error_hint(error, "start it again: it goes on from the checkpoint before");
    error->asks_restart = true;
    return false;
}

/* False: what was dropped is done again by others already. */
static bool has_partitions(const struct engine *engine)
{
    bool has_some = engine->leads;
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            has_some |= reader_is_own(&engine->pool.tasks[t].readers[r]);
        }
    }
    return has_some;
}

bool checkpoint_make(struct engine *engine, enum checkpoint_kind kind, struct error *error)
{
    struct waiting w = waiting_start(engine, kind);
    int64_t start_ns = clock_monotonic_ns();
    if (!stand_still(&w, error)) {
        return false;
    }
    enum lane_order flush = kind == CHECKPOINT_FINAL ? LANE_FLUSH_FINAL : LANE_FLUSH;
    enum settled settled = SETTLED;
    if (kind == CHECKPOINT_FINAL || has_changed(engine)) {
        int64_t standing_ns = clock_monotonic_ns();
        settled = settle(&w, flush, standing_ns, error);
        if (settled != PUT_OFF) {
            stopwatch_add(&engine->checkpoint_times.gate, standing_ns - start_ns);
            lap(&engine->checkpoint_times.whole, start_ns);
        }
    }
    if (settled == FAILED) {
        return false;
    }
    bool is_undone = settled == DROPPED && kind == CHECKPOINT_FINAL && has_partitions(engine);
    if (is_undone && !may_do_again(engine)) {
        return refuse_drop(error);
    }
    engine->checkpoint_ns = clock_monotonic_ns(); /* also put off: put_offs makes it due */
    engine->is_over = kind == CHECKPOINT_FINAL && !is_undone;
    if (kind == CHECKPOINT_HANDOVER || engine->is_over) {
        return true;
    }
    gate_open(&engine->gate);
    return epoch_recover(engine, error);
}
