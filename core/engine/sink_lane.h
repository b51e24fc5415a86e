/* SPDX-License-Identifier: MIT */
/*
 * A sink's lane: a thread of its own with a bounded queue. A task has room promised before it begins a
 * batch for the sink, so that nobody ever stands at a full queue: while there is none, tasks do other
 * things. All calls into the sink but create and destroy come from here.
 */
#ifndef ENGINE_SINK_LANE_H
#define ENGINE_SINK_LANE_H

#include "base/buffer.h"
#include "engine/order.h"
#include "engine/root.h"
#include "engine/run_faults.h"

enum { LANE_QUEUE = 16 }; /* batches */

enum lane_order {
    LANE_OPEN,
    LANE_RESET,
    LANE_WRITE,
    LANE_FLUSH,
    LANE_FLUSH_FINAL,
    LANE_PUBLISH,
    LANE_CLOSE
};

struct lane_item {
    enum lane_order order;
    struct root *root; /* LANE_WRITE: held until it is written */
    struct run run;
};

/* Called without locks when a task was refused room and there is some again. Any thread. */
struct lane_room {
    void (*tell)(void *self);
    void *self;
};

/*
 * What the log has been told of the full queue.
 *
 * since_ns  tasks have waited since; 0: it was not told
 * quiet_ns  no further line before this time
 * pause_ns  that time grows with each line
 */
struct lane_pressure {
    int64_t since_ns;
    int64_t quiet_ns;
    int64_t pause_ns;
};

struct sink_lane {
    const struct end *end;
    const char *fact_key; /* "sink/<stream>.<id>": where its token is kept */
    struct instance *instance;
    struct call call;
    struct arena arena; /* scratch of a call */
    struct meter *meter;
    struct run_faults *faults;
    weir_buffer token;       /* of the last flush, or what the log had at the start */
    atomic_bool is_finished; /* the sink takes no more records */
    bool is_reset_supported;
    bool is_open; /* only then is it closed */

    struct call_watch watch;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct lane_item queue[LANE_QUEUE];
    uint32_t queue_first;
    uint32_t queue_count;
    uint32_t promised;     /* to batches under way */
    int64_t wanted_ns;     /* since when a task has waited for room; 0: none does */
    struct lane_room room; /* who hears of room */
    struct lane_pressure pressure;
    bool is_busy;
    bool is_closed;
};

/* Creates the sink and starts the thread. False: `error` says why. */
bool sink_lane_start(struct sink_lane *lane, const struct services *services, const struct end *end,
                     const char *fact_key, struct meter *meter, struct run_faults *faults,
                     struct error *error);
/* Room for a batch. False: there is none now; `room` will hear of it. */
bool sink_lane_promise(struct sink_lane *lane);
/* The batch that room was promised to is through, whether it has brought records or not. */
void sink_lane_release(struct sink_lane *lane);
/* Hands records over, by whom room was promised. The entries live in the root's arena. */
void sink_lane_write(struct sink_lane *lane, struct root *root, struct run run);
/*
 * Says in the log that tasks wait for this sink, and asks for an early checkpoint: it may be one that gets
 * rid of records only then. Says too when they go on. By the thread that supervises.
 */
void sink_lane_tell(struct sink_lane *lane, int64_t now_ns);
/* Queues an order that carries no records; waits while the queue is full. False: the run is stopping. */
bool sink_lane_order(struct sink_lane *lane, enum lane_order order);
/* Waits until everything queued is done. False: the time was over first. */
bool sink_lane_wait(struct sink_lane *lane, int64_t timeout_ms);
/*
 * Closes the sink and ends the thread. False: the sink did not come back in time; its thread and memory
 * are left alone and the process must end soon.
 */
bool sink_lane_stop(struct sink_lane *lane, int64_t timeout_ms);
/* Destroys what sink_lane_start has made, also by half. The thread has ended. */
void sink_lane_deinit(struct sink_lane *lane);
/* Where its results lie, appended; nothing where the sink does not say. */
void sink_lane_locate(const struct sink_lane *lane, weir_buffer *out);

#endif
