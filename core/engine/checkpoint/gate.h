/* SPDX-License-Identifier: MIT */
/*
 * Where the threads of a run meet. The worker and the sources pass the gate between batches; the
 * supervisor closes it for a checkpoint and opens it again. Also carries the few wishes that threads
 * have of each other: look again, make a checkpoint, stop.
 */
#ifndef ENGINE_GATE_H
#define ENGINE_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t members;         /* threads that pass the gate */
    uint32_t parked;          /* of them, standing at the closed gate */
    uint32_t running_sources; /* sources that may still bring records */
    uint64_t wakes;           /* counts "there is something to do" */
    bool is_closed;
    bool is_stopping;
    bool wants_checkpoint;
    bool is_finished; /* a worker has found everything processed, or has ended */
};

void gate_init(struct gate *gate);
void gate_deinit(struct gate *gate);

/* ---- for member threads ------------------------------------------------------------------------ */

void gate_join(struct gate *gate);  /* before its first pass */
void gate_leave(struct gate *gate); /* as its last act */
/* Stands still while the gate is closed. False: stop. */
bool gate_pass(struct gate *gate);
uint64_t gate_wakes(struct gate *gate);
/* Waits until someone wakes the gate after `seen`, the gate closes, or the time is over. */
void gate_wait(struct gate *gate, uint64_t seen, int64_t timeout_ms);
/* Asks for a checkpoint and stands still until it is made. False: stop. */
bool gate_ask_checkpoint(struct gate *gate);
void gate_finish(struct gate *gate);
void gate_source_comes(struct gate *gate);
void gate_source_ended(struct gate *gate);
uint32_t gate_running_sources(struct gate *gate);

/* ---- for anybody ------------------------------------------------------------------------------- */

void gate_wake(struct gate *gate);
/* Asks for a checkpoint and goes on. */
void gate_want_checkpoint(struct gate *gate);
/* Every thread ends at its next pass. */
void gate_stop(struct gate *gate);
bool gate_is_stopping(struct gate *gate);

/* ---- for the supervisor ------------------------------------------------------------------------ */

/* Waits until a member has a wish (of a checkpoint only where one may be made) or the time is over. */
void gate_attend(struct gate *gate, bool may_checkpoint, int64_t timeout_ms);
/* Closes the gate and waits until every member stands. False: the time was over first. */
bool gate_close(struct gate *gate, int64_t timeout_ms);
void gate_open(struct gate *gate);
/* What was processed is dropped, and nothing is finished. Everybody stands. */
void gate_unfinish(struct gate *gate);

#endif
