/* SPDX-License-Identifier: MIT */
/*
 * Seats and the partitions of the input. A log that has all of its partitions in one process gives each sink
 * one seat for all of them. Where partitions move between processes a sink's token has to move with the
 * partition that its records came from: each sink has a seat for every partition that can reach it and that
 * this process has, unless its factory says that one instance serves all (WEIR_SINK_SHARED).
 *
 * The end of dead letters has a seat for every partition that is read: a letter belongs to that of its input
 * message. Letters of sources have none; their seat belongs to whoever runs the sources.
 *
 * All of this is done by the thread that supervises, while everybody stands at the closed gate. Sinks that
 * have one seat for all are not touched by partitions that come and go.
 *
 *   partitions come       seating_come: their seats are opened and published, and then records may follow
 *   they are put off      seating_go, seating_end, as if they were lost: the log may tell other tokens later
 *   they go               seating_go, a checkpoint (which flushes their seats for good), seating_end
 *   they were lost        seating_go, seating_end: nothing of them is committed, published or discarded, since
 *                         what their seats have left behind belongs to another process
 *   an epoch is void      seating_restart: what was written since the last commit is discarded, and every
 *                         seat begins again there
 */
#ifndef ENGINE_SEATING_H
#define ENGINE_SEATING_H

#include "engine/state.h"

/*
 * The seat of a new lane, whose facts have kind and name: one for all partitions, which is on its way to be
 * opened, or none yet. False: `error` says why.
 */
bool seating_begin(struct engine *engine, struct sink_lane *lane, struct error *error);

/*
 * timeout_ms below: for the sinks to do what is queued; 0: as long as the run goes on, and shutdown_timeout
 * once it is to stop. False: a fault, or one was not done in time, and `error` names it; then the run has to
 * end.
 */
/*
 * Waits until they are open. WEIR_AGAIN: they cannot begin now; error->status WEIR_OK: since the run is to stop,
 * or others wait for partitions of this process; else since what a token names is not there, as `error` says.
 */
weir_status seating_come(struct engine *engine, const struct log_change *change, int64_t timeout_ms,
                         struct error *error);
/* LOG_GOING: the next checkpoint has something to do, also where nothing else has happened. LOG_LOST: what
 * is still queued for them is dropped. */
void seating_go(struct engine *engine, const struct log_change *change);
/* Closes the seats of those that go or were lost. */
bool seating_end(struct engine *engine, int64_t timeout_ms, struct error *error);
bool seating_restart(struct engine *engine, int64_t timeout_ms, struct error *error);

#endif
