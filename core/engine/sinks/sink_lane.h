/* SPDX-License-Identifier: MIT */
/*
 * A sink's lane: a thread of its own with a bounded queue, and the seats (seat.h) that it serves. A task
 * has room promised before it begins a batch for the sink, so that nobody ever stands at a full queue:
 * while there is none, tasks do other things. All calls into the sink but create and destroy come from
 * here.
 */
#ifndef ENGINE_SINK_LANE_H
#define ENGINE_SINK_LANE_H

#include "engine/faults/letter_box.h"
#include "engine/report/timing.h"
#include "engine/sinks/seat.h"

enum { LANE_QUEUE = 16 }; /* batches */

enum lane_order {
    LANE_OPEN, /* of new seats */
    LANE_WRITE,
    LANE_FLUSH,
    LANE_FLUSH_FINAL,
    LANE_PUBLISH,
    LANE_TICK, /* not queued: by the clock */
    LANE_DISCARD,
    LANE_CLOSE,
    LANE_END /* of the thread */
};

struct lane_item {
    enum lane_order order;
    struct root *root; /* LANE_WRITE: held until it is written */
    struct run run;
    uint64_t bytes;      /* that the root holds */
    struct seat *seats;  /* LANE_OPEN: by next_taken */
    bool is_for_leaving; /* LANE_CLOSE: only of the seats that leave */
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
    const char *fact_kind; /* of its tokens: "sink" */
    const char *fact_name; /* "<stream>.<id>" */
    bool is_by_partition;  /* it has a seat for each partition of the input, else one for all */
    const struct services *services;
    struct seat *seats; /* all, the last one first; of whoever supervises */
    struct seat *made;  /* those of them that the lane's thread has not been given */
    bool is_opening;    /* some of the last change were made */
    struct meter *meter;
    struct run_faults *faults;
    struct instance *model;   /* it serves nobody; NULL: there is none */
    atomic_bool is_dropping;  /* what was done since the last commit is void */
    atomic_bool is_finished;  /* no seat takes more records */
    bool takes_letters;       /* it is the end of dead letters */
    int64_t retry_ms;         /* how long a call is tried again; < 0: without a limit */
    struct lane_times *times; /* NULL: nobody measures */

    /* Of the lane's own thread. */
    struct seat *taken; /* the seats that it has been given */
    struct call call;
    struct arena arena; /* scratch of a call */
    weir_entry *again;  /* records to be written again */
    uint32_t again_capacity;
    struct run reduced; /* letters that were rejected, to be written in a smaller form */
    struct letter_box letters;
    atomic_bool wants_flush; /* the sink has something that only a flush finishes */
    struct error
        refusal; /* why a seat of the last LANE_OPEN does not begin; status WEIR_OK: none */

    struct call_watch watch;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t queued; /* for the lane's thread */
    pthread_cond_t served; /* for those who wait for it */
    struct lane_item queue[LANE_QUEUE];
    uint32_t queue_first;
    uint32_t queue_count;
    uint64_t queue_bytes;
    uint64_t byte_limit;   /* beyond it there is no room; one batch always has */
    uint32_t promised;     /* to batches under way */
    int64_t wanted_ns;     /* since when a task has waited for room; 0: none does */
    struct lane_room room; /* who hears of room */
    struct lane_pressure pressure;
    bool is_busy;
    bool is_closed;
    struct error trouble; /* why it waits to try again; status WEIR_OK: it does not */
};

/* Starts the thread, without seats. False: `error` says why. */
bool sink_lane_start(struct sink_lane *lane, const struct services *services, const struct end *end,
                     struct meter *meter, struct run_faults *faults, struct error *error);
/* Room for a batch. False: there is none now; `room` will hear of it. */
bool sink_lane_promise(struct sink_lane *lane);
/* The batch that room was promised to is through, whether it has brought records or not. */
void sink_lane_release(struct sink_lane *lane);
/* Hands records over, by whom room was promised. The entries live in the root's arena. */
void sink_lane_write(struct sink_lane *lane, struct root *root, struct run run);
/* The same without a promise, for dead letters: waits while the queue is full, by batches or by bytes.
 * False: the run is stopping. */
bool sink_lane_write_waiting(struct sink_lane *lane, struct root *root, struct run run);
/* Somebody waits for room in its queue. Any thread. */
bool sink_lane_is_awaited(struct sink_lane *lane);
/*
 * Says in the log that tasks wait for this sink, and asks for an early checkpoint: it may be one that gets
 * rid of records only then. Says too when they go on. By the thread that supervises.
 */
void sink_lane_tell(struct sink_lane *lane, int64_t now_ns);
/* Queues an order that carries no records; waits while the queue is full. False: the run is stopping. */
bool sink_lane_put(struct sink_lane *lane, const struct lane_item *item);
bool sink_lane_order(struct sink_lane *lane, enum lane_order order);
/* Waits until everything queued is done. False: the time was over first. */
bool sink_lane_wait(struct sink_lane *lane, int64_t timeout_ms);
/*
 * The checkpoint that it has flushed for is not made now: it goes on as if it had not. By the thread that
 * supervises.
 */
void sink_lane_resume(struct sink_lane *lane);
/*
 * Closes the seats and ends the thread. is_given_up: the epoch under way will not be committed, they
 * discard it first. False: the sink did not come back in time; its thread and memory are left alone and
 * the process must end soon.
 */
bool sink_lane_stop(struct sink_lane *lane, bool is_given_up, int64_t timeout_ms);
/* Destroys what sink_lane_start has made, also by half. The thread has ended. */
void sink_lane_deinit(struct sink_lane *lane);
/*
 * Where its results lie, appended; nothing where the sink does not say. The instance that has said it;
 * NULL: there is none.
 */
const struct instance *sink_lane_locate(const struct sink_lane *lane, weir_buffer *out);
/* False: the sink cannot remove what it has published. */
bool sink_lane_can_reset(const struct sink_lane *lane);
/* The seat whose call the thread is in, else the sink. For messages; any thread. */
const char *sink_lane_busy_label(const struct sink_lane *lane);
/* It waits to try again what has failed. Any thread. */
bool sink_lane_trouble(struct sink_lane *lane, struct error *ret_reason);

/* ---- seats that come and go: by the thread that supervises, while nobody writes ----------------- */

/*
 * Makes an instance that serves nobody: it says where results lie while there is no seat, and what its
 * making asks of the host is asked while a pipeline is being built. False: `error` says why.
 */
bool sink_lane_model(struct sink_lane *lane, struct error *error);
/* Makes a seat, or takes the vacant one of that origin; nothing where there is one. False: `error` says why. */
bool sink_lane_add(struct sink_lane *lane, const struct seat_start *start, struct error *error);
/*
 * Has the seats that were added since the last time opened and published; waits while the queue is full.
 * False: the run is stopping.
 */
bool sink_lane_open(struct sink_lane *lane);
/*
 * The seat of this origin, if there is one, leaves. is_lost: nothing of its epoch will be committed, so
 * what is still queued for it is dropped; else the next flush is its final one.
 */
void sink_lane_mark(struct sink_lane *lane, const weir_origin *origin, bool is_lost);
/* Destroys the instances of those that leave, which a LANE_CLOSE has closed, or which were not opened yet. */
void sink_lane_vacate(struct sink_lane *lane);
/* The epoch under way is dropped: what is queued is not written, what is tried again is not. */
void sink_lane_drop(struct sink_lane *lane);
/*
 * After LANE_DISCARD and LANE_CLOSE: all seats get new instances that begin at the last commit, with the
 * next sink_lane_open. False: `error` says why.
 */
bool sink_lane_renew(struct sink_lane *lane, struct error *error);

/* ---- for its seats, on the lane's thread ------------------------------------------------------ */

/* Waits before something is tried again; others see why. False: the run stops, or nobody wants it now. */
bool sink_lane_rest(struct seat *seat, int64_t time_ms, const struct error *reason);
/* What was tried again has come to an end. */
void sink_lane_recovered(struct sink_lane *lane);
/* Room for entries in `again`. False: no memory. */
bool sink_lane_reserve(struct sink_lane *lane, uint32_t count);
/* The wall clock that the sink sees. */
int64_t sink_lane_now_ms(const struct sink_lane *lane);

#endif
