/* SPDX-License-Identifier: MIT */
/*
 * What moves records in a run: tasks and workers.
 */
#include <inttypes.h>
#include <sched.h>

#include "engine/checkpoint/facts.h"
#include "engine/setup.h"

enum { DEFAULT_BATCH = 1024 };

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

bool make_tasks(struct engine *engine, struct error *error)
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
                                         .letters = &engine->letters,
                                         .arrivals = &pool->arrivals,
                                         .limits = &engine->limits,
                                         .timing = engine->timing };
    for (uint32_t i = 0; i < count; i++) {
        pool->task_count++; /* so that a task that starts half is taken down */
        if (!task_init(&pool->tasks[i], &engine->parts, i, &engine->arena, error)) {
            return false;
        }
    }
    return true;
}

uint32_t batch_size(const struct engine *engine)
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
    limit = limit < MAX_WORKERS ? limit : MAX_WORKERS;
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
    pool->checkpoint_records =
        checkpoint_interval_ms(engine) == 0 ? 1 : pipeline->checkpoint_records;
    pool->pending_limit = engine->limits.worker_pending;
    pool->stop_count = engine->options->count;
    pool->is_until_end = engine->options->is_until_end;
}

static uint32_t count_writers(const struct plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        count += plan->nodes[i].kind == PLAN_WRITE;
    }
    return count;
}

/* Of one task: those that may wait for others. */
static uint32_t count_aligned(const struct plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->group_count; i++) {
        count += plan->groups[i].route_count > 1 ? plan->groups[i].route_count : 0;
    }
    return count;
}

bool make_workers(struct engine *engine, struct error *error)
{
    struct worker_pool *pool = &engine->pool;
    uint32_t count = worker_count(engine);
    limits_set(&engine->limits, engine->pipeline, count,
               (uint64_t)pool->task_count * count_writers(engine->plan),
               (uint64_t)pool->task_count * count_aligned(engine->plan));
    configure_pool(engine);
    pool->workers = arena_zeroed(&engine->arena, count * sizeof *pool->workers);
    if (pool->workers == NULL || !run_queue_init(&pool->queue, &engine->arena, pool->task_count)) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        pool->workers[i].pool = pool;
        watch_add(&engine->watch, &pool->workers[i].watch);
        root_pool_init(&pool->workers[i].roots);
        pool->workers[i].roots.free_limit = engine->limits.free_roots;
        pool->worker_count++;
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        engine->lanes[i].byte_limit = engine->limits.queue;
    }
    engine->letters.pool.free_limit = engine->limits.free_roots;
    engine->letters.kept_bytes = engine->limits.writer;
    return true;
}
