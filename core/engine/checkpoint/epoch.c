/* SPDX-License-Identifier: MIT */
#include "engine/checkpoint/epoch.h"

#include "base/logger.h"
#include "engine/checkpoint/facts.h"
#include "engine/report/meter.h"
#include "engine/sinks/seating.h"
#include "engine/sources/sources.h"
#include "engine/topics/shares.h"

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
            if (reader_is_own(reader)) {
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

static void add_seat_fact(struct gathered *all, const struct seat *seat, const char *key,
                          weir_slice value)
{
    if (key != NULL) {
        all->facts[all->fact_count++] =
            (struct log_fact){ key, value, seat->log_topic, (uint32_t)seat->origin.partition };
    }
}

static bool gather_seat(const struct seat *seat, struct gathered *all)
{
    const weir_buffer *token = &seat->now.token;
    uint8_t *letters = arena_alloc(&all->arena, FACT_NUMBER_SIZE);
    if (letters == NULL) {
        return false;
    }
    fact_put_int64(letters, seat->now.letters);
    add_seat_fact(all, seat, seat->token_key,
                  (weir_slice){ token->data, token->size > 0 ? token->size : LOG_ABSENT });
    add_seat_fact(all, seat, seat->letters_key, (weir_slice){ letters, FACT_NUMBER_SIZE });
    return true;
}

/* Everybody stands and the lanes are idle. */
static bool gather_seats(const struct engine *engine, struct gathered *all)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        for (const struct seat *seat = engine->lanes[i].seats; seat != NULL; seat = seat->next) {
            if (seat->instance != NULL && !gather_seat(seat, all)) {
                return false;
            }
        }
    }
    return true;
}

static bool gather_facts(struct engine *engine, struct gathered *all)
{
    for (uint32_t i = 0; i < engine->source_count; i++) {
        const struct source_lane *lane = &engine->sources[i];
        if (lane->position.size > 0) {
            add_fact(all, lane->fact_key, (weir_slice){ lane->position.data, lane->position.size });
        }
    }
    for (const struct fact_change *change = engine->changes; change != NULL;
         change = change->next) {
        all->facts[all->fact_count++] = change->fact;
    }
    return gather_seats(engine, all);
}

static bool gather(struct engine *engine, struct gathered *all)
{
    size_t positions = (size_t)engine->pool.task_count * engine->plan->route_count;
    size_t facts = engine->source_count + 2 * count_seats(engine) + engine->change_count + 1;
    all->positions = arena_alloc(&all->arena, (positions + 1) * sizeof *all->positions);
    all->facts = arena_alloc(&all->arena, facts * sizeof *all->facts);
    if (all->positions == NULL || all->facts == NULL) {
        return false;
    }
    gather_positions(engine, all);
    return gather_facts(engine, all);
}

static void commit_seats(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        for (struct seat *seat = engine->lanes[i].seats; seat != NULL; seat = seat->next) {
            if (seat->instance != NULL) {
                seat_commit(seat);
            }
        }
    }
}

static void note_committed(struct engine *engine)
{
    commit_seats(engine);
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            struct reader *reader = &engine->pool.tasks[t].readers[r];
            reader->committed = reader->position;
            reader->lost_before += reader->lost;
            reader->lost = 0;
        }
    }
    meters_keep(engine);
    engine->lacks_positions = false;
    engine->changes = NULL;
    engine->change_count = 0;
}

weir_status epoch_commit(struct engine *engine, struct error *error)
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
        note_committed(engine);
    }
    return st;
}

/* ---- dropping ---------------------------------------------------------------------------------- */

static void go_back(struct engine *engine)
{
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            struct reader *reader = &engine->pool.tasks[t].readers[r];
            reader_forget(reader);
            reader->position = reader->committed;
            reader->lost = 0;
            reader->is_at_end = false;
        }
        (void)run_queue_ready(&engine->pool.queue, t);
    }
    atomic_store(&engine->pool.since_checkpoint, 0);
    if (!worker_pool_counts(&engine->pool)) {
        gate_unfinish(&engine->gate);
    }
}

bool epoch_drop(struct engine *engine, struct error *error)
{
    logger_write(LOGGER_WARNING, NULL,
                 "what was done since the last checkpoint is dropped and done again");
    engine->is_committing = false;
    if (!engine->is_dropped) {
        /* Until they are back the run must not take itself for done. */
        gate_source_comes(&engine->gate);
    }
    engine->is_dropped = true;
    sources_end(engine);
    engine->drops++;
    weir_status st = log_rollback(engine->log, error);
    bool is_right = st == WEIR_AGAIN
                        ? shares_forfeit(engine, error)
                        : st == WEIR_OK &&
                              seating_restart(engine, engine->pipeline->shutdown_timeout_ms, error);
    if (is_right) {
        go_back(engine);
        meters_take_back(engine);
    }
    return is_right;
}

bool epoch_recover(struct engine *engine, struct error *error)
{
    if (!engine->is_dropped) {
        return true;
    }
    engine->is_dropped = false;
    bool is_right = sources_take_down(engine, error);
    if (is_right && engine->leads) {
        is_right = sources_make(engine, error) && sources_start(engine, error);
    }
    gate_source_ended(&engine->gate);
    return is_right;
}
