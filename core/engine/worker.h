/* SPDX-License-Identifier: MIT */
/*
 * The worker: a thread that gives each task its turn, partition by partition and topic by topic, as
 * long as there is something to read.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include "engine/task.h"

/*
 * batch_size          most messages of a turn
 * checkpoint_records  a checkpoint after so many messages; 0: never by number
 * stop_count          stop when so many records have arrived at ends; 0: never
 * is_until_end        stop when all is processed
 */
struct worker {
    struct task *tasks;
    uint32_t task_count;
    struct gate *gate;
    struct log *log;
    struct root_pool pool;
    uint32_t batch_size;
    int64_t checkpoint_records;
    int64_t stop_count;
    bool is_until_end;
    atomic_uint_fast64_t arrivals;
    atomic_int_fast64_t last_record_ns; /* monotonic */
    int64_t since_checkpoint; /* messages; set to 0 by the supervisor at the closed gate */
    struct call_watch watch;  /* the plugin that it is in */
    pthread_t thread;
    bool has_thread;
};

bool worker_start(struct worker *worker, struct error *error);
/* After gate_stop. False: it did not come back in time. */
bool worker_join(struct worker *worker, int64_t timeout_ms);

#endif
