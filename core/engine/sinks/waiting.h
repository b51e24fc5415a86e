/* SPDX-License-Identifier: MIT */
/*
 * The thread that supervises gives orders to the lanes of sinks and waits until they are carried out: in
 * turns, so that a stop is noticed soon and those who keep the others waiting are named.
 */
#ifndef ENGINE_WAITING_H
#define ENGINE_WAITING_H

#include "engine/state.h"

/*
 * One wait, for any number of lanes and orders. Without a deadline it lasts as long as the run goes on;
 * once the run is to stop it has shutdown_timeout.
 *
 * who          waits: "the checkpoint"
 * what         is to be said when the time is over: "no checkpoint within shutdown_timeout"
 * deadline_ns  0: none yet
 * is_limited   shutdown_timeout counts from now on
 * patience_ns  when lanes that are stuck are no longer waited for; 0: they are
 * stuck        one that was not waited for; NULL: there was none
 * yields       it is broken off where the run is to stop, or others wait for partitions
 * has_yielded  it was
 */
struct waiting {
    struct engine *engine;
    const char *who;
    const char *what;
    int64_t deadline_ns;
    bool is_limited;
    int64_t patience_ns;
    struct sink_lane *stuck;
    bool yields;
    bool has_yielded;
};

/*
 * The lane tries something again, or is in a call that takes its time: who waits for it with the gate closed
 * holds everybody up, while otherwise only those stand who have filled its queue.
 */
bool waiting_is_stuck(const struct engine *engine, struct sink_lane *lane);

/* Time for one turn of waiting, in milliseconds; 0: over. */
int64_t waiting_turn(struct waiting *w);
/* The time was over: who did not come to an end. Always false. */
bool waiting_is_over(const struct waiting *w, const char *who, struct error *error);
/* Until all that was queued is done, it is stuck, or the wait has yielded. False: a fault, or the time was over. */
bool waiting_lane(struct waiting *w, struct sink_lane *lane, struct error *error);
/*
 * An order to every lane once all have done what was queued, and until it is carried out. Once one is stuck
 * nobody is ordered anything more, but to publish: what is committed is to be seen, and only who is stuck is
 * late.
 */
bool waiting_order(struct waiting *w, const struct lane_item *item, struct error *error);

#endif
