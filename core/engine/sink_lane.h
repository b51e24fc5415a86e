/* SPDX-License-Identifier: MIT */
/*
 * A sink's lane: a thread of its own with a bounded queue, so that a slow sink does not stop the
 * pipeline before the queue is full. All calls into the sink but create and destroy come from here.
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
    bool is_busy;
    bool is_closed;
};

/* Creates the sink and starts the thread. False: `error` says why. */
bool sink_lane_start(struct sink_lane *lane, const struct services *services, const struct end *end,
                     const char *fact_key, struct meter *meter, struct run_faults *faults,
                     struct error *error);
/*
 * Hands records over; waits while the queue is full. The entries are copied into the root's arena by
 * the caller. False: the run is stopping.
 */
bool sink_lane_write(struct sink_lane *lane, struct root *root, struct run run);
/* Queues an order that carries no records. */
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
