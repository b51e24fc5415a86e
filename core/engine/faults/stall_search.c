/* SPDX-License-Identifier: MIT */
#include "engine/faults/stall_search.h"

#include "base/clock.h"
#include "engine/setup.h"

/* What one look finds. */
struct search {
    struct engine *engine;
    struct arena arena;
    struct log_stall *found;
    size_t count;
    int64_t now_ns;
};

/* ---- what the log says ------------------------------------------------------------------------------- */

static const struct reader *reader_of(const struct engine *engine, const struct log_stall *stall)
{
    const struct task *task = &engine->pool.tasks[stall->partition];
    for (uint32_t r = 0; r < engine->plan->route_count; r++) {
        if (task->readers[r].log_topic == stall->topic) {
            return &task->readers[r];
        }
    }
    return NULL;
}

/* Nobody should have to wait for the next message to bring on those before it. */
static const char *wake(struct engine *engine, const struct log_stall *stall)
{
    switch (run_queue_place(&engine->pool.queue, stall->partition)) {
    case RUN_PLACE_WORKER:
        return "its messages are here, and the worker that has its task does not come to them";
    case RUN_PLACE_QUEUE:
        return "its messages are here, and no worker has come to its task yet";
    case RUN_PLACE_REST:
        break;
    }
    worker_pool_wake(&engine->pool, stall->topic, stall->partition);
    return "its messages are here, nothing holds them back and no worker was told of them, which "
           "is a fault of weir's own; its task is woken now";
}

/* Of messages that wait in this process: what holds them back has a story of its own. */
static bool explain(struct engine *engine, struct log_stall *stall)
{
    const struct reader *reader = reader_of(engine, stall);
    if (reader == NULL || !pauses_is_empty(&reader->pauses)) {
        return false;
    }
    stall->why = wake(engine, stall);
    return true;
}

static void search_log(struct search *search)
{
    struct engine *engine = search->engine;
    struct log_look look = { search->now_ns, engine->stalls.patience_ms,
                             checkpoint_interval_ms(engine) };
    struct error error = { .status = WEIR_OK };
    struct log_stall *found = NULL;
    size_t count = 0;
    if (log_stalls(engine->log, &look, &search->arena, &found, &count, &error) != WEIR_OK) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!found[i].is_at_hand || explain(engine, &found[i])) {
            found[kept++] = found[i];
        }
    }
    stalls_take(&engine->stalls, STALL_OF_LOG, found, kept, search->now_ns, &engine->arena);
}

/* ---- what holds readers back ------------------------------------------------------------------------- */

static const char *why_paused(struct search *search, enum pause pause, const char *whom)
{
    switch (pause) {
    case PAUSE_ROOM:
        return arena_printf(&search->arena, "no room at '%s'", whom);
    case PAUSE_ORDER:
        return arena_printf(&search->arena,
                            "records of topic '%s' may have to go first, and have not come yet",
                            whom);
    case PAUSE_ABSENT:
    case PAUSE_COUNT:
        break;
    }
    return NULL;
}

/* The reason that is there longest, if it has been long enough. NULL: the partition goes on. */
static const char *look_at(struct search *search, const struct reader *reader,
                           struct log_stall *stall)
{
    int64_t patience_ns = search->engine->stalls.patience_ms * INT64_C(1000000);
    const char *why = NULL;
    for (enum pause pause = PAUSE_ROOM; pause < PAUSE_COUNT; pause++) {
        const struct pause_reason *reason = &reader->pauses.reasons[pause];
        if (!pauses_has(&reader->pauses, pause)) {
            continue;
        }
        int64_t since_ns = atomic_load_explicit(&reason->since_ns, memory_order_relaxed);
        if (search->now_ns - since_ns < patience_ns ||
            (why != NULL && stall->since_ns <= since_ns)) {
            continue;
        }
        why = why_paused(search, pause, atomic_load_explicit(&reason->whom, memory_order_relaxed));
        stall->since_ns = since_ns;
        stall->offset = atomic_load_explicit(&reason->offset, memory_order_relaxed);
    }
    return why;
}

/* One that goes on need not be told where none was told to stand still. */
static void add_reader(struct search *search, const struct reader *reader)
{
    struct log_stall stall = { .topic = reader->log_topic, .partition = reader->partition };
    if (!reader_is_own(reader)) {
        return;
    }
    stall.why = look_at(search, reader, &stall);
    if (stall.why != NULL || search->engine->stalls.list != NULL) {
        search->found[search->count++] = stall;
    }
}

static void search_readers(struct search *search)
{
    struct engine *engine = search->engine;
    size_t room = (size_t)engine->pool.task_count * engine->plan->route_count + 1;
    search->found = arena_alloc(&search->arena, room * sizeof *search->found);
    for (uint32_t r = 0; search->found != NULL && r < engine->plan->route_count; r++) {
        for (uint32_t t = 0; t < engine->pool.task_count; t++) {
            add_reader(search, &engine->pool.tasks[t].readers[r]);
        }
    }
    stalls_take(&engine->stalls, STALL_OF_PAUSE, search->found, search->count, search->now_ns,
                &engine->arena);
}

void stall_search(struct engine *engine)
{
    struct search search = { .engine = engine, .now_ns = clock_monotonic_ns() };
    if (!stalls_are_due(&engine->stalls, search.now_ns)) {
        return;
    }
    arena_init(&search.arena, 0);
    search_log(&search);
    search_readers(&search);
    arena_deinit(&search.arena);
}
