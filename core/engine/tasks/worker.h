/* SPDX-License-Identifier: MIT */
/*
 * The workers: threads that give tasks their turns. A task that has something to read waits in the run
 * queue; the next worker that is free takes it, has one turn of each of its topics, and gives it back.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include "engine/tasks/run_queue.h"
#include "engine/tasks/task.h"

/*
 * One thread.
 *
 * roots  of the batches that it reads
 * watch  the plugin that it is in
 */
struct worker {
    struct worker_pool *pool;
    struct root_pool roots;
    struct call_watch watch;
    pthread_t thread;
    bool has_thread;
};

/*
 * What all workers of a run share.
 *
 * batch_size          most messages of a turn
 * pending_limit       uncommitted bytes in the log that call for an early checkpoint
 * checkpoint_records  a checkpoint after so many messages; 0: never by number
 * stop_count          stop when so many records have arrived at ends; 0: never
 * is_until_end        stop when all is processed
 * since_checkpoint    messages, with those that turns under way may still take; set to 0 by the
 *                     supervisor at the closed gate
 */
struct worker_pool {
    struct task *tasks; /* by partition number */
    uint32_t task_count;
    struct run_queue queue;
    struct gate *gate;
    struct log *log;
    struct run_faults *faults;
    uint32_t batch_size;
    uint64_t pending_limit;
    int64_t checkpoint_records;
    int64_t stop_count;
    bool is_until_end;
    int64_t pause_us;       /* for tests: after every batch */
    atomic_bool has_shares; /* the log has said which partitions are this process's own */
    atomic_uint_fast64_t arrivals;
    atomic_int_fast64_t last_record_ns; /* monotonic */
    atomic_int_fast64_t since_checkpoint;
    struct worker *workers;
    uint32_t worker_count;
};

/* Its threads end behind the last record that is wanted. */
static inline bool worker_pool_counts(const struct worker_pool *pool)
{
    return pool->stop_count > 0;
}

/* Starts worker_count threads. False: `error` says why; those that run end at gate_stop. */
bool worker_pool_start(struct worker_pool *pool, struct error *error);
/* After gate_stop. *ret_label: the plugin that does not come back. False: one did not end in time. */
bool worker_pool_join(struct worker_pool *pool, int64_t timeout_ms, const char **ret_label);
/* Messages were appended. Any thread. */
void worker_pool_wake(struct worker_pool *pool, const struct log_topic *topic, uint32_t partition);

/* There is room again at a sink that had none. Any thread. */
void worker_pool_room(struct worker_pool *pool);

#endif
