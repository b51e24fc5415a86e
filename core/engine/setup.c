/* SPDX-License-Identifier: MIT */
/*
 * Builds a run: log, topics, what the log knows of earlier runs, sinks, tasks, sources; and takes it
 * down again.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <weir/sink.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/memory.h"
#include "engine/partitions.h"
#include "engine/state.h"

enum { DEFAULT_BATCH = 1024, TEARDOWN_MS = 5000, OPEN_TURN_MS = 200 };

/* ---- log and topics ---------------------------------------------------------------------------- */

static bool open_log(struct engine *engine, struct error *error)
{
    const struct engine_options *options = engine->options;
    const struct pipeline *pipeline = engine->pipeline;
    engine->log_name = options->log_url != NULL ? options->log_url : pipeline->log_url;
    if (options->log != NULL) {
        engine->log = options->log;
        return true;
    }
    bool is_overridden = options->log_url != NULL;
    return log_open(is_overridden ? options->log_url : pipeline->log_url,
                    is_overridden ? options->folder : pipeline->folder, LOG_WRITE, &engine->log,
                    error) == WEIR_OK;
}

static bool match_partitions(const struct topic *topic, const struct log_topic *log_topic,
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

static bool open_topics(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    engine->log_topics =
        arena_zeroed(&engine->arena, (pipeline->topic_count + 1) * sizeof *engine->log_topics);
    if (engine->log_topics == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        const struct topic *topic = pipeline->topics[i];
        if (!topic->is_read && !topic->is_written) {
            continue;
        }
        engine->log_topics[i] = log_topic_find(engine->log, topic->log_name);
        if (engine->log_topics[i] == NULL) {
            uint32_t partitions = topic->partitions == 0 ? 1 : topic->partitions;
            if (log_topic_create(engine->log, topic->log_name, partitions, &engine->log_topics[i],
                                 error) != WEIR_OK) {
                return false;
            }
        } else if (!match_partitions(topic, engine->log_topics[i], error)) {
            return false;
        }
    }
    return true;
}

/* ---- what earlier runs have left --------------------------------------------------------------- */

static bool forget_facts(struct engine *engine, struct error *error)
{
    struct log_fact *facts = NULL;
    size_t count = 0;
    if (log_facts(engine->log, engine->pipeline->name, &engine->arena, &facts, &count, error) !=
        WEIR_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        facts[i].value = (weir_slice){ NULL, LOG_ABSENT };
    }
    if (count > 0) {
        logger_write(LOGGER_INFO, NULL, "fresh start: forgot %zu positions and tokens of '%s'",
                     count, engine->pipeline->name);
    }
    return log_commit(engine->log, engine->pipeline->name, facts, count, error) == WEIR_OK;
}

static bool empty_topics(struct engine *engine, struct error *error)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        const struct topic *topic = engine->pipeline->topics[i];
        struct log_topic *log_topic = engine->log_topics[i];
        if (log_topic == NULL || !(topic->is_written || topic->is_internal)) {
            continue;
        }
        if (log_topic_empty(log_topic, error) != WEIR_OK) {
            return false;
        }
        logger_write(LOGGER_INFO, NULL, "fresh start: emptied topic '%s'", topic->log_name);
    }
    return true;
}

/* ---- sinks ------------------------------------------------------------------------------------- */

static const char *fact_name(struct engine *engine, const char *kind, const char *a, const char *b)
{
    return arena_printf(&engine->arena, "%s/%s%s%s", kind, a, b != NULL ? "." : "",
                        b != NULL ? b : "");
}

const char *fact_of_position(struct engine *engine, const char *topic, uint32_t partition)
{
    return arena_printf(&engine->arena, "position/%s/%" PRIu32, topic, partition);
}

static bool load_fact(struct engine *engine, const char *key, weir_slice *ret_value,
                      struct error *error)
{
    if (key == NULL) {
        error_no_memory(error);
        return false;
    }
    if (log_fact_get(engine->log, engine->pipeline->name, key, &engine->arena, ret_value, error) !=
        WEIR_OK) {
        return false;
    }
    if (ret_value->size == LOG_ABSENT) {
        *ret_value = (weir_slice){ NULL, 0 };
    }
    return true;
}

static bool start_lane(struct engine *engine, const struct plan_node *node, struct meter *meter,
                       struct error *error)
{
    struct sink_lane *lane = &engine->lanes[engine->lane_count];
    const char *key = fact_name(engine, "sink", node->stream->name, node->end->plugin.id);
    weir_slice token;
    if (!load_fact(engine, key, &token, error)) {
        return false;
    }
    engine->lane_count++; /* so that a lane that starts half is taken down */
    engine->lanes_by_end[node->end_number] = lane;
    if (!sink_lane_start(lane, &engine->pipeline->services, node->end, key, meter, &engine->faults,
                         error)) {
        return false;
    }
    if (weir_buffer_append(&lane->token, token.data, token.size) != WEIR_OK) {
        error_no_memory(error);
        return false;
    }
    if (engine->options->is_fresh && !lane->is_reset_supported) {
        logger_write(LOGGER_WARNING, node->end->plugin.label,
                     "fresh start: this sink cannot remove what it has written; it stays");
    }
    return (!engine->options->is_fresh || sink_lane_order(lane, LANE_RESET)) &&
           sink_lane_order(lane, LANE_OPEN) && sink_lane_order(lane, LANE_PUBLISH);
}

/* A sink may take its time to open, as long as nobody wants the run to stop. */
static bool wait_for_open(struct engine *engine, struct sink_lane *lane, struct error *error)
{
    while (!sink_lane_wait(lane, OPEN_TURN_MS)) {
        if (engine->options->stop != NULL && atomic_load(engine->options->stop) > 0) {
            error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_RESOURCE, "stopped while %s was opening",
                      lane->end->plugin.label);
            return false;
        }
    }
    return true;
}

static bool start_lanes(struct engine *engine, struct error *error)
{
    const struct plan *plan = engine->plan;
    engine->lanes = arena_zeroed(&engine->arena, (plan->end_count + 1u) * sizeof *engine->lanes);
    engine->lanes_by_end =
        arena_zeroed(&engine->arena, (plan->end_count + 1u) * sizeof *engine->lanes_by_end);
    if (engine->lanes == NULL || engine->lanes_by_end == NULL) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct plan_node *node = &plan->nodes[i];
        bool is_sink = node->kind == PLAN_END && node->end->kind == END_SINK;
        if (is_sink && !start_lane(engine, node, &engine->meters[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (!wait_for_open(engine, &engine->lanes[i], error)) {
            return false;
        }
    }
    return !run_faults_error(&engine->faults, error);
}

/* ---- tasks ------------------------------------------------------------------------------------- */

static uint32_t task_count(const struct engine *engine)
{
    uint32_t most = 0;
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        const struct log_topic *topic = engine->log_topics[i];
        if (topic != NULL && engine->pipeline->topics[i]->is_read && topic->partitions > most) {
            most = topic->partitions;
        }
    }
    return engine->plan->route_count == 0 ? 0 : most;
}

static int64_t read_int64(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--) {
        number = number << 8 | bytes[i];
    }
    return (int64_t)number;
}

static bool load_positions(struct engine *engine, struct task *task, struct error *error)
{
    for (uint32_t r = 0; r < engine->plan->route_count; r++) {
        struct reader *reader = &task->readers[r];
        if (reader->topic == NULL) {
            continue;
        }
        reader->position_fact = fact_of_position(engine, reader->topic->log_name, task->partition);
        weir_slice position;
        if (!load_fact(engine, reader->position_fact, &position, error)) {
            return false;
        }
        reader->position = position.size == 8 ? read_int64(position.data) : 0;
    }
    return true;
}

static bool make_tasks(struct engine *engine, struct error *error)
{
    struct worker_pool *pool = &engine->pool;
    uint32_t count = task_count(engine);
    pool->tasks = arena_zeroed(&engine->arena, (count + 1u) * sizeof *pool->tasks);
    if (pool->tasks == NULL) {
        error_no_memory(error);
        return false;
    }
    engine->parts = (struct task_parts){ .pipeline = engine->pipeline,
                                         .plan = engine->plan,
                                         .log_topics = engine->log_topics,
                                         .meters = engine->meters,
                                         .lanes = engine->lanes_by_end,
                                         .faults = &engine->faults,
                                         .arrivals = &pool->arrivals };
    for (uint32_t i = 0; i < count; i++) {
        pool->task_count++; /* so that a task that starts half is taken down */
        if (!task_init(&pool->tasks[i], &engine->parts, i, &engine->arena, error) ||
            !load_positions(engine, &pool->tasks[i], error)) {
            return false;
        }
    }
    return true;
}

static uint32_t batch_size(const struct engine *engine)
{
    return engine->options->batch_size == 0 ? DEFAULT_BATCH : engine->options->batch_size;
}

/* The cores that this process may use. */
static uint32_t core_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

/* No more than there are tasks; one where the run stops at a number, which is reached record by record. */
static uint32_t worker_count(const struct engine *engine)
{
    int64_t wanted =
        engine->options->threads >= 0 ? engine->options->threads : engine->pipeline->threads;
    int64_t threads = wanted > 0 ? wanted : core_count();
    int64_t limit = engine->options->count > 0 ? 1 : engine->pool.task_count;
    threads = threads < limit ? threads : limit;
    return threads > 0 ? (uint32_t)threads : 1;
}

static void configure_pool(struct engine *engine)
{
    struct worker_pool *pool = &engine->pool;
    const struct pipeline *pipeline = engine->pipeline;
    pool->gate = &engine->gate;
    pool->log = engine->log;
    pool->faults = &engine->faults;
    pool->batch_size = batch_size(engine);
    /* An interval of zero means after every record. */
    int64_t interval = engine->options->checkpoint_interval_ms >= 0
                           ? engine->options->checkpoint_interval_ms
                           : pipeline->checkpoint_interval_ms;
    pool->checkpoint_records = interval == 0 ? 1 : pipeline->checkpoint_records;
    pool->stop_count = engine->options->count;
    pool->is_until_end = engine->options->is_until_end;
}

static bool make_workers(struct engine *engine, struct error *error)
{
    struct worker_pool *pool = &engine->pool;
    uint32_t count = worker_count(engine);
    configure_pool(engine);
    pool->workers = arena_zeroed(&engine->arena, count * sizeof *pool->workers);
    if (pool->workers == NULL || !run_queue_init(&pool->queue, &engine->arena, pool->task_count)) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        pool->workers[i].pool = pool;
        root_pool_init(&pool->workers[i].roots);
        pool->worker_count++;
    }
    return true;
}

/* ---- sources ----------------------------------------------------------------------------------- */

static struct log_topic *log_topic_of(const struct engine *engine, const struct topic *topic)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        if (engine->pipeline->topics[i] == topic) {
            return engine->log_topics[i];
        }
    }
    return NULL;
}

static bool make_source(struct engine *engine, const struct stream *stream, struct error *error)
{
    struct source_lane_parts parts = { engine->pipeline, &engine->gate, &engine->faults,
                                       batch_size(engine), engine->options->is_until_end };
    const char *key = fact_name(engine, "source", stream->name, NULL);
    weir_slice position;
    if (!load_fact(engine, key, &position, error)) {
        return false;
    }
    uint32_t index = engine->source_count++;
    engine->gate.running_sources++;
    return source_lane_init(&engine->sources[index], &parts, stream, key, position,
                            log_topic_of(engine, stream->source->topic),
                            &engine->source_meters[index], error);
}

static bool make_sources(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    engine->sources =
        arena_zeroed(&engine->arena, (pipeline->stream_count + 1) * sizeof *engine->sources);
    engine->source_meters =
        arena_zeroed(&engine->arena, (pipeline->stream_count + 1) * sizeof *engine->source_meters);
    if (engine->sources == NULL || engine->source_meters == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        if (stream->source != NULL && !make_source(engine, stream, error)) {
            return false;
        }
    }
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static bool make_plan(struct engine *engine, struct error *error)
{
    engine->plan = plan_create(engine->pipeline, &engine->arena);
    if (engine->plan != NULL) {
        engine->meters =
            arena_zeroed(&engine->arena, (engine->plan->node_count + 1u) * sizeof *engine->meters);
    }
    if (engine->plan == NULL || engine->meters == NULL) {
        error_no_memory(error);
        return false;
    }
    return true;
}

static void wake_task(void *pool, const struct log_topic *topic, uint32_t partition)
{
    worker_pool_wake(pool, topic, partition);
}

bool setup_engine(struct engine *engine, struct error *error)
{
    if (!open_log(engine, error) || !open_topics(engine, error)) {
        return false;
    }
    if (engine->options->is_fresh &&
        (!forget_facts(engine, error) || !empty_topics(engine, error))) {
        return false;
    }
    if (!make_plan(engine, error) ||
        !partitions_match(engine->pipeline, engine->plan, engine->log_topics, error) ||
        !start_lanes(engine, error) || !make_tasks(engine, error)) {
        return false;
    }
    if (!make_workers(engine, error) || !make_sources(engine, error)) {
        return false;
    }
    symbols_seal(&engine->pipeline->symbols);
    log_on_append(engine->log, wake_task, &engine->pool);
    return true;
}

static int64_t time_left(int64_t end_ns)
{
    int64_t left_ms = (end_ns - clock_monotonic_ns()) / 1000000;
    return left_ms < 0 ? 0 : left_ms;
}

/* The first plugin whose thread does not end in time; NULL: all have ended. */
static const char *end_threads(struct engine *engine, int64_t end_ns)
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
        if (!sink_lane_stop(&engine->lanes[i], time_left(end_ns)) && label == NULL) {
            label = engine->lanes[i].end->plugin.label;
        }
    }
    return label;
}

bool stop_engine(struct engine *engine, int64_t timeout_ms, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns();
    end_ns += (timeout_ms < TEARDOWN_MS ? timeout_ms : TEARDOWN_MS) * INT64_C(1000000);
    gate_stop(&engine->gate);
    const char *label = end_threads(engine, end_ns);
    engine->is_abandoned = label != NULL;
    if (label != NULL) {
        error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_BUG,
                  "%s did not come to an end after the run; this is a defect of the plugin", label);
        error_hint(error, "nothing is lost: what is stored at the last checkpoint counts");
        return false;
    }
    return !run_faults_error(&engine->faults, error);
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
    if (engine->options->log == NULL) {
        log_close(engine->log);
    } else if (engine->log != NULL) {
        log_on_append(engine->log, NULL, NULL); /* it lives longer than the workers */
    }
    run_faults_deinit(&engine->faults);
    gate_deinit(&engine->gate);
    arena_deinit(&engine->arena);
}
