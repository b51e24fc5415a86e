/* SPDX-License-Identifier: MIT */
/*
 * Builds a run: log, topics, what the log knows of earlier runs, then sinks, tasks and sources; and takes
 * it down again.
 */
#include "engine/setup.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/logger.h"
#include "engine/checkpoint/facts.h"
#include "engine/dry_run.h"
#include "engine/sources/sources.h"
#include "engine/topics/keeping.h"
#include "engine/topics/shares.h"
#include "engine/topics/topics.h"
#include "engine/topics/unread.h"
#include "pipeline/memory_split.h"

enum { TEARDOWN_MS = 5000, LEAVE_MS = 500 };

/* ---- the log ----------------------------------------------------------------------------------- */

/*
 * Whoever waits for the log has shutdown_timeout once the run is to stop; before the start nothing is lost
 * by a stop.
 */
static bool goes_on(void *self)
{
    struct engine *engine = self;
    bool is_stopped = engine->options->stop != NULL && atomic_load(engine->options->stop) > 0;
    int64_t now_ns = clock_monotonic_ns();
    int64_t none = 0;
    if (!is_stopped) {
        return true;
    }
    if (!engine->has_started) {
        engine->is_stopped_early = true;
        return false;
    }
    (void)atomic_compare_exchange_strong(&engine->stopped_ns, &none, now_ns);
    return now_ns - atomic_load(&engine->stopped_ns) <
           engine->pipeline->shutdown_timeout_ms * INT64_C(1000000);
}

int64_t checkpoint_interval_ms(const struct engine *engine)
{
    return engine->options->checkpoint_interval_ms >= 0 ? engine->options->checkpoint_interval_ms
                                                        : engine->pipeline->checkpoint_interval_ms;
}

/* The file was judged by itself; flags may say another time, or another log. */
static bool check_interval(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    const char *url =
        engine->options->log_url != NULL ? engine->options->log_url : pipeline->log_url;
    struct place nowhere = { 0 };
    bool fits = pipeline_interval_fits(pipeline, url, checkpoint_interval_ms(engine), error);
    return start_goes_on(engine, fits, nowhere, error);
}

static bool open_log(struct engine *engine, enum log_mode mode, struct error *error)
{
    const struct engine_options *options = engine->options;
    const struct pipeline *pipeline = engine->pipeline;
    engine->log_name = options->log_url != NULL ? options->log_url : pipeline->log_url;
    if (options->log != NULL) {
        engine->log = options->log;
        return true;
    }
    bool is_overridden = options->log_url != NULL;
    struct memory_split split;
    memory_split(pipeline, &split);
    struct log_memory memory = { split.log_cache, split.memtables, split.chunks };
    struct log_open_options open = { .folder = is_overridden ? options->folder : pipeline->folder,
                                     .mode = mode,
                                     .memory = pipeline->memory_bytes > 0 ? &memory : NULL,
                                     .kafka = &pipeline->kafka,
                                     .goes_on = goes_on,
                                     .self = engine };
    return log_open_with(engine->log_name, &open, &engine->log, error) == WEIR_OK;
}

struct log_topic *log_topic_of(const struct engine *engine, const struct topic *topic)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        if (engine->pipeline->topics[i] == topic) {
            return engine->log_topics[i];
        }
    }
    return NULL;
}

/* ---- what earlier runs have left --------------------------------------------------------------- */

/* Topics of a shared log that are not the pipeline's own may be of use to others. */
static bool is_to_be_emptied(const struct engine *engine, const struct topic *topic)
{
    return topic->is_internal || (topic->is_written && !log_is_shared(engine->log));
}

static bool empty_topics(struct engine *engine, struct error *error)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        const struct topic *topic = engine->pipeline->topics[i];
        struct log_topic *log_topic = engine->log_topics[i];
        if (log_topic == NULL || !(topic->is_written || topic->is_internal)) {
            continue;
        }
        if (!is_to_be_emptied(engine, topic)) {
            logger_write(LOGGER_INFO, NULL, "fresh start: topic '%s' keeps what it has",
                         topic->log_name);
            continue;
        }
        if (log_topic_empty(log_topic, error) != WEIR_OK) {
            return false;
        }
        logger_write(LOGGER_INFO, NULL, "fresh start: emptied topic '%s'", topic->log_name);
    }
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static bool make_plan(struct engine *engine, struct error *error)
{
    engine->plan = plan_create(engine->pipeline, engine->is_left_out, &engine->arena);
    if (engine->plan != NULL) {
        engine->meters =
            arena_zeroed(&engine->arena, (engine->plan->node_count + 1u) * sizeof *engine->meters);
    }
    if (engine->plan != NULL && engine->options->is_timed) {
        engine->timing =
            timing_create(&engine->arena, engine->plan->node_count, engine->plan->end_count + 1,
                          (uint32_t)engine->pipeline->stream_count);
    }
    if (engine->plan == NULL || engine->meters == NULL ||
        (engine->options->is_timed && engine->timing == NULL) ||
        !watch_init(&engine->watch, &engine->arena,
                    engine->plan->end_count + 1 + (uint32_t)engine->pipeline->stream_count +
                        MAX_WORKERS)) {
        error_no_memory(error);
        return false;
    }
    return true;
}

static bool make_letters(struct engine *engine, struct error *error)
{
    const struct end *end = engine->pipeline->dead_letters;
    bool is_topic = end != NULL && end->kind == END_TOPIC;
    return dead_letters_init(&engine->letters, engine->pipeline,
                             is_topic ? log_topic_of(engine, end->topics[0]) : NULL,
                             &engine->faults, error);
}

static void wake_task(void *pool, const struct log_topic *topic, uint32_t partition)
{
    worker_pool_wake(pool, topic, partition);
}

/* What others are at work on cannot be forgotten. Before anything is changed. */
static bool check_fresh(struct engine *engine, struct error *error)
{
    struct log_group group;
    const char *name = engine->pipeline->name;
    if (!engine->options->is_fresh) {
        return true;
    }
    if (log_group_look(engine->log, name, &engine->arena, &group, error) != WEIR_OK) {
        return false;
    }
    if (group.member_count == 0) {
        return true;
    }
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "cannot begin afresh while pipeline '%s' runs: its group has %zu member%s, such as "
              "'%s' at '%s'",
              name, group.member_count, group.member_count == 1 ? "" : "s", group.members[0].name,
              group.members[0].host);
    error_hint(error, "stop all of its processes first; one that was killed counts for as long as "
                      "'session.timeout.ms' says");
    return false;
}

bool start_goes_on(struct engine *engine, bool is_right, struct place place, struct error *error)
{
    if (is_right || engine->dry == NULL) {
        return is_right;
    }
    diagnostics_add(&engine->dry->faults, SEVERITY_ERROR, place, "%s%s%s", error->message,
                    error->hint[0] != '\0' ? "; " : "", error->hint);
    *error = (struct error){ .status = WEIR_OK };
    return true;
}

bool setup_look(struct engine *engine, enum log_mode mode, struct error *error)
{
    return check_interval(engine, error) && open_log(engine, mode, error) &&
           check_fresh(engine, error) && facts_find_topics(engine, error) &&
           find_topics(engine, error) && make_plan(engine, error) && match_topics(engine, error) &&
           unread_tell(engine, error);
}

bool setup_engine(struct engine *engine, struct error *error)
{
    if (!setup_look(engine, LOG_WRITE, error) || !open_topics(engine, error) ||
        !keeping_apply(engine, error)) {
        return false;
    }
    if (engine->options->is_fresh &&
        (!facts_forget(engine, error) || !empty_topics(engine, error))) {
        return false;
    }
    engine->has_seats_by_partition =
        engine->options->has_seats_by_partition || log_is_shared(engine->log);
    if (!make_letters(engine, error) || !start_lanes(engine, error) || !make_tasks(engine, error) ||
        !make_workers(engine, error) || !sources_init(engine, error)) {
        return false;
    }
    log_on_append(engine->log, wake_task, &engine->pool);
    if (!shares_join(engine, error) || !shares_follow(engine, error) ||
        !sources_try(engine, error)) {
        return false;
    }
    symbols_seal(&engine->pipeline->symbols);
    return true;
}

static int64_t time_left(int64_t end_ns)
{
    int64_t left_ms = (end_ns - clock_monotonic_ns()) / 1000000;
    return left_ms < 0 ? 0 : left_ms;
}

/* The first plugin whose thread does not end in time; NULL: all have ended. */
static const char *end_threads(struct engine *engine, bool is_given_up, int64_t end_ns)
{
    const char *label = NULL;
    if (!worker_pool_join(&engine->pool, time_left(end_ns), &label)) {
        return label;
    }
    for (uint32_t i = 0; i < engine->source_count; i++) {
        if (!source_lane_join(&engine->sources[i], time_left(end_ns)) && label == NULL) {
            label = engine->sources[i].stream->source->plugin.label;
        }
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (!sink_lane_stop(&engine->lanes[i], is_given_up, time_left(end_ns)) && label == NULL) {
            label = sink_lane_busy_label(&engine->lanes[i]);
        }
    }
    return label;
}

bool stop_engine(struct engine *engine, bool is_given_up, int64_t timeout_ms, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns();
    /* A sink that is being opened may take as long as the last checkpoint of a run. */
    int64_t limit_ms =
        engine->is_stopped_early ? engine->pipeline->shutdown_timeout_ms : TEARDOWN_MS;
    end_ns += (timeout_ms < limit_ms ? timeout_ms : limit_ms) * INT64_C(1000000);
    gate_stop(&engine->gate);
    /* What may be committed must stay as its token says: the next start publishes it. */
    bool may_discard = is_given_up && !engine->is_committing;
    const char *label = end_threads(engine, may_discard, end_ns);
    engine->is_abandoned = label != NULL;
    if (label != NULL) {
        error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_BUG,
                  "%s did not come to an end after the run; this is a defect of the plugin", label);
        error_hint(error, "nothing is lost: what is stored at the last checkpoint counts");
        return false;
    }
    return !run_faults_error(&engine->faults, error);
}

/* A log that was waited for in vain has what is left of shutdown_timeout. */
static int64_t leaving_ms(const struct engine *engine)
{
    int64_t stopped_ns = atomic_load(&engine->stopped_ns);
    int64_t left_ms = engine->pipeline->shutdown_timeout_ms -
                      (clock_monotonic_ns() - stopped_ns) / INT64_C(1000000);
    if (stopped_ns == 0 || left_ms > TEARDOWN_MS) {
        return TEARDOWN_MS;
    }
    return left_ms > LEAVE_MS ? left_ms : LEAVE_MS;
}

void teardown_engine(struct engine *engine)
{
    if (engine->is_abandoned) {
        return;
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        sink_lane_deinit(&engine->lanes[i]);
    }
    for (uint32_t i = 0; i < engine->pool.task_count; i++) {
        task_deinit(&engine->pool.tasks[i]);
    }
    run_queue_deinit(&engine->pool.queue);
    for (uint32_t i = 0; i < engine->pool.worker_count; i++) {
        root_pool_deinit(&engine->pool.workers[i].roots);
    }
    for (uint32_t i = 0; i < engine->source_count; i++) {
        source_lane_deinit(&engine->sources[i]);
    }
    dead_letters_deinit(&engine->letters);
    if (engine->log != NULL) {
        log_leave(engine->log, leaving_ms(engine));
    }
    if (engine->options->log == NULL) {
        log_close(engine->log);
    } else if (engine->log != NULL) {
        log_on_append(engine->log, NULL, NULL); /* it lives longer than the workers */
    }
    run_faults_deinit(&engine->faults);
    gate_deinit(&engine->gate);
    arena_deinit(&engine->arena);
}
