/* SPDX-License-Identifier: MIT */
#include "engine/topics/shares.h"

#include "base/clock.h"
#include "base/logger.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/epoch.h"
#include "engine/sinks/seating.h"
#include "engine/sources/sources.h"
#include "engine/topics/share_news.h"

enum { QUIET_MS = 3000 };

bool shares_join(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    struct log_membership membership = { .group = pipeline->name,
                                         .is_together = engine->plan->route_count > 1,
                                         .is_exactly_once = pipeline->is_exactly_once };
    struct log_topic **topics =
        arena_alloc(&engine->arena, (pipeline->topic_count + 1) * sizeof(struct log_topic *));
    if (topics == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; i < pipeline->topic_count && engine->plan->route_count > 0; i++) {
        if (pipeline->topics[i]->is_read && !engine->is_left_out[i]) {
            topics[membership.topic_count++] = engine->log_topics[i];
        }
    }
    membership.topics = topics;
    return log_join(engine->log, &membership, error) == WEIR_OK;
}

static void take_share(struct engine *engine, const struct log_share *share)
{
    struct task *task = &engine->pool.tasks[share->partition];
    for (uint32_t r = 0; r < engine->plan->route_count; r++) {
        struct reader *reader = &task->readers[r];
        if (reader->topic == NULL || reader->log_topic != share->topic) {
            continue;
        }
        reader_forget(reader);
        reader->position = share->position;
        reader->committed = share->position;
        reader->lost_before += share->lost;
        reader->lost = 0;
        reader->has_position = share->has_position;
        reader->is_at_end = false;
        pauses_clear(&reader->pauses);
        engine->lacks_positions |= !share->has_position;
    }
}

static void let_go(struct engine *engine, const struct log_change *change)
{
    for (size_t i = 0; i < change->share_count; i++) {
        const struct log_share *share = &change->shares[i];
        struct task *task = &engine->pool.tasks[share->partition];
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            struct reader *reader = &task->readers[r];
            if (reader->log_topic == share->topic) {
                pauses_clear(&reader->pauses);
                pauses_put(&reader->pauses, PAUSE_ABSENT, NULL, reader->position);
                reader_forget(reader);
            }
        }
    }
}

/* Their tasks may have something to read that came before anybody was listening. */
static void wake(struct engine *engine, const struct log_change *change)
{
    for (size_t i = 0; i < change->share_count; i++) {
        worker_pool_wake(&engine->pool, change->shares[i].topic, change->shares[i].partition);
    }
}

/*
 * Nothing of what has come is begun, and the log tells it again later. What the log has told is final where it
 * says so: then that ends the run.
 */
static bool put_off(struct engine *engine, struct log_change *change, const struct error *why,
                    struct error *error)
{
    struct log_change back = *change;
    back.kind = LOG_LOST;
    back.leads = engine->leads;
    seating_go(engine, &back);
    *change = (struct log_change){ .kind = LOG_NO_CHANGE, .leads = engine->leads };
    if (!seating_end(engine, engine->pipeline->shutdown_timeout_ms, error)) {
        return false;
    }
    if (log_change_put_off(engine->log, why->status == WEIR_OK ? NULL : why) != WEIR_OK) {
        *error = *why;
        return false;
    }
    return true;
}

/* Everybody stands. Sinks are open before anything is read. */
static bool take(struct engine *engine, struct log_change *change, struct error *error)
{
    struct error why = { .status = WEIR_OK };
    weir_status st = seating_come(engine, change, 0, &why);
    if (st == WEIR_AGAIN) {
        return put_off(engine, change, &why, error);
    }
    if (st != WEIR_OK) {
        *error = why;
        return false;
    }
    for (size_t i = 0; i < change->share_count; i++) {
        take_share(engine, &change->shares[i]);
    }
    if (log_change_done(engine->log, change, error) != WEIR_OK) {
        return false;
    }
    shares_tell(engine, "reads from now on", change);
    wake(engine, change);
    return true;
}

static void move_share(struct engine *engine, const struct log_share *share)
{
    struct task *task = &engine->pool.tasks[share->partition];
    for (uint32_t r = 0; r < engine->plan->route_count; r++) {
        if (task->readers[r].log_topic == share->topic) {
            reader_move(&task->readers[r], share->position, share->lost);
        }
    }
}

/* Everybody stands. The new positions are worth a commit, whatever comes or does not come behind them. */
static bool move(struct engine *engine, const struct log_change *change, struct error *error)
{
    for (size_t i = 0; i < change->share_count; i++) {
        move_share(engine, &change->shares[i]);
    }
    atomic_fetch_add(&engine->pool.since_checkpoint, 1);
    if (log_change_done(engine->log, change, error) != WEIR_OK) {
        return false;
    }
    wake(engine, change);
    return true;
}

/* Everybody stands, and what was done for them is committed. */
static bool give(struct engine *engine, const struct log_change *change, struct error *error)
{
    let_go(engine, change);
    return seating_end(engine, engine->pipeline->shutdown_timeout_ms, error) &&
           log_change_done(engine->log, change, error) == WEIR_OK;
}

/* Everybody stands. The epoch holds what was done for partitions that are another's by now. */
static bool lose(struct engine *engine, const struct log_change *change, struct error *error)
{
    logger_write(LOGGER_WARNING, NULL,
                 "the group has given %zu partitions to others before they could be handed over",
                 change->share_count);
    return give(engine, change, error) && epoch_drop(engine, error);
}

/* Everybody stands. */
static bool lead(struct engine *engine, bool leads, struct error *error)
{
    bool is_news = engine->leads != leads;
    engine->leads = leads;
    if (!leads) {
        sources_end(engine);
    } else if (!sources_make(engine, error) ||
               (engine->has_started && !sources_start(engine, error))) {
        return false;
    }
    if (is_news) {
        shares_tell_sources(engine, leads);
    }
    return true;
}

/* All that this process reads, as if the log had told that it is lost. False: no memory. */
static bool list_all(const struct engine *engine, struct arena *arena, struct log_change *ret)
{
    size_t room = (size_t)engine->pool.task_count * engine->plan->route_count + 1;
    *ret = (struct log_change){ .kind = LOG_LOST };
    ret->shares = arena_alloc(arena, room * sizeof *ret->shares);
    for (uint32_t t = 0; ret->shares != NULL && t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            const struct reader *reader = &engine->pool.tasks[t].readers[r];
            if (reader_is_own(reader)) {
                ret->shares[ret->share_count++] =
                    (struct log_share){ .topic = reader->log_topic,
                                        .partition = reader->partition };
            }
        }
    }
    return ret->shares != NULL;
}

bool shares_forfeit(struct engine *engine, struct error *error)
{
    struct arena arena;
    struct log_change change;
    arena_init(&arena, 0);
    bool is_right = list_all(engine, &arena, &change);
    if (is_right) {
        logger_write(LOGGER_WARNING, NULL,
                     "%zu partitions belong to others by now, who go on from the last checkpoint",
                     change.share_count);
        seating_go(engine, &change);
        let_go(engine, &change);
        is_right = seating_end(engine, engine->pipeline->shutdown_timeout_ms, error);
        (void)lead(engine, false, error);
    } else {
        error_no_memory(error);
    }
    arena_deinit(&arena);
    return is_right;
}

bool shares_confirm(struct engine *engine, struct error *error)
{
    if (!checkpoint_stand(engine, error)) {
        return false;
    }
    bool is_right = true;
    weir_status st = log_confirm(engine->log, error);
    if (st == WEIR_AGAIN) {
        is_right = epoch_drop(engine, error);
    } else if (st != WEIR_OK && !error->is_retriable) {
        is_right = false;
    }
    gate_open(&engine->gate);
    return is_right && (engine->leads || sources_take_down(engine, error)) &&
           epoch_recover(engine, error);
}

static bool carry_out(struct engine *engine, struct log_change *change, struct error *error)
{
    switch (change->kind) {
    case LOG_NO_CHANGE:
        return true;
    case LOG_CAME:
        return checkpoint_stand(engine, error) && take(engine, change, error);
    case LOG_GOING:
        shares_tell(engine, "hands over", change);
        seating_go(engine, change);
        return checkpoint_make(engine, CHECKPOINT_HANDOVER, error) && give(engine, change, error);
    case LOG_LOST:
        shares_tell(engine, "has lost", change);
        if (!checkpoint_stand(engine, error)) {
            return false;
        }
        seating_go(engine, change);
        return lose(engine, change, error);
    case LOG_DOOMED:
        return checkpoint_stand(engine, error) && epoch_drop(engine, error);
    case LOG_MOVED:
        return checkpoint_stand(engine, error) && move(engine, change, error);
    case LOG_STUCK:
        return checkpoint_make(engine, CHECKPOINT_HANDOVER, error) &&
               log_change_done(engine->log, change, error) == WEIR_OK;
    }
    return false;
}

/* Every partition that the pipeline reads is this process's, and the sources too. */
static bool has_everything(const struct engine *engine)
{
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            const struct reader *reader = &engine->pool.tasks[t].readers[r];
            if (reader->topic != NULL && !reader_is_own(reader)) {
                return false;
            }
        }
    }
    return engine->leads;
}

/*
 * A run that ends with its input must know what its input is. Where others may have a part of it, it is
 * what has come and has stayed the same for a while.
 */
static void settle(struct engine *engine)
{
    int64_t now_ns = clock_monotonic_ns();
    bool is_quiet =
        engine->changed_ns != 0 && now_ns - engine->changed_ns > QUIET_MS * INT64_C(1000000);
    if (!atomic_load(&engine->pool.has_shares) && (is_quiet || has_everything(engine))) {
        atomic_store(&engine->pool.has_shares, true);
        gate_wake(&engine->gate);
    }
}

bool shares_follow(struct engine *engine, struct error *error)
{
    struct arena arena;
    struct log_change change;
    arena_init(&arena, 0);
    bool is_right = log_next_change(engine->log, &arena, &change, error) == WEIR_OK;
    if (is_right && (change.kind != LOG_NO_CHANGE || change.is_coming)) {
        engine->changed_ns = clock_monotonic_ns();
    }
    if (is_right && change.kind != LOG_NO_CHANGE) {
        engine->has_told_standby &= change.share_count == 0;
        is_right = carry_out(engine, &change, error) && lead(engine, change.leads, error);
        gate_open(&engine->gate);
        is_right = is_right && (engine->leads || sources_take_down(engine, error)) &&
                   epoch_recover(engine, error);
    }
    arena_deinit(&arena);
    shares_tell_idle(engine);
    settle(engine);
    return is_right;
}
