/* SPDX-License-Identifier: MIT */
#include "engine/sinks/sink_lane.h"

#include <weir/sink.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/memory.h"
#include "engine/faults/backoff.h"
#include "engine/sinks/lane_seats.h"

#define FULL_TELL_NS INT64_C(1000000000)  /* a queue is told to be full after so long */
#define QUIET_NS     INT64_C(10000000000) /* and no sooner than this after the last time */
enum { FULL_POLL_MS = 100, TURN_MS = 1000, SCRATCH_CHUNK = 1 << 16 };

/*
 * True: tasks that wait have to hear that there is room. They do so when the queue is half empty, so that
 * they come back for more than one batch. Thread: holds the lock.
 */
static bool note_room(struct sink_lane *lane)
{
    uint32_t taken = lane->queue_count + lane->promised;
    if (lane->wanted_ns == 0 || taken > LANE_QUEUE / 2 ||
        (taken > 0 && lane->queue_bytes > lane->byte_limit / 2)) {
        return false;
    }
    stopwatch_stop(lane->times == NULL ? NULL : &lane->times->full, lane->wanted_ns);
    lane->wanted_ns = 0;
    return true;
}

/*
 * Waits for an item, or until `tick` is due: false. Marks the lane busy. In turns, as in gate.c. Thread:
 * holds the lock.
 */
static bool wait_for_item(struct sink_lane *lane)
{
    int64_t due_ms = lane_seats_tick_due(lane);
    while (lane->queue_count == 0 && due_ms > 0) {
        struct timespec deadline = clock_deadline(due_ms < TURN_MS ? due_ms : TURN_MS);
        pthread_cond_timedwait(&lane->queued, &lane->lock, &deadline);
        due_ms = lane_seats_tick_due(lane); /* anew, since the clock may have been set */
    }
    lane->is_busy = true;
    return due_ms > 0;
}

/* Thread: holds the lock. */
static struct lane_item dequeue(struct sink_lane *lane)
{
    struct lane_item item = lane->queue[lane->queue_first];
    lane->queue_first = (lane->queue_first + 1) % LANE_QUEUE;
    lane->queue_count--;
    lane->queue_bytes -= item.bytes;
    return item;
}

static void *lane_main(void *argument)
{
    struct sink_lane *lane = argument;
    bool is_open = true;
    call_watch_use(&lane->watch);
    while (is_open) {
        struct lane_item item = { .order = LANE_TICK };
        pthread_mutex_lock(&lane->lock);
        if (wait_for_item(lane)) {
            item = dequeue(lane);
        }
        bool has_room = note_room(lane);
        pthread_cond_broadcast(&lane->served);
        pthread_mutex_unlock(&lane->lock);

        if (has_room) {
            lane->room.tell(lane->room.self);
        }
        lane_seats_do(lane, &item);
        is_open = item.order != LANE_END;

        pthread_mutex_lock(&lane->lock);
        lane->is_busy = false;
        lane->is_closed = !is_open;
        pthread_cond_broadcast(&lane->served);
        pthread_mutex_unlock(&lane->lock);
    }
    return NULL;
}

/* Nobody wants the call to be made again. */
static bool is_void(const struct seat *seat)
{
    return gate_is_stopping(seat->lane->faults->gate) || atomic_load(&seat->is_lost) ||
           atomic_load(&seat->lane->is_dropping);
}

bool sink_lane_rest(struct seat *seat, int64_t time_ms, const struct error *reason)
{
    struct sink_lane *lane = seat->lane;
    int64_t end_ns = clock_monotonic_ns() + time_ms * INT64_C(1000000);
    bool is_over = is_void(seat);
    pthread_mutex_lock(&lane->lock);
    lane->trouble = *reason;
    while (!is_over && clock_monotonic_ns() < end_ns) {
        struct timespec deadline = clock_deadline(FULL_POLL_MS < time_ms ? FULL_POLL_MS : time_ms);
        pthread_cond_timedwait(&lane->queued, &lane->lock, &deadline);
        is_over = is_void(seat);
    }
    if (is_over) {
        lane->trouble.status = WEIR_OK;
    }
    pthread_mutex_unlock(&lane->lock);
    return !is_over;
}

bool sink_lane_trouble(struct sink_lane *lane, struct error *ret_reason)
{
    pthread_mutex_lock(&lane->lock);
    bool is_in_trouble = lane->trouble.status != WEIR_OK;
    if (is_in_trouble && ret_reason != NULL) {
        *ret_reason = lane->trouble;
    }
    pthread_mutex_unlock(&lane->lock);
    return is_in_trouble;
}

const char *sink_lane_busy_label(const struct sink_lane *lane)
{
    const char *label = atomic_load(&lane->watch.label);
    return label != NULL ? label : lane->end->plugin.label;
}

void sink_lane_recovered(struct sink_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    lane->trouble.status = WEIR_OK;
    pthread_mutex_unlock(&lane->lock);
}

bool sink_lane_reserve(struct sink_lane *lane, uint32_t count)
{
    if (count > lane->again_capacity) {
        weir_entry *again = memory_resize(lane->again, count * sizeof *again);
        if (again == NULL) {
            return false;
        }
        lane->again = again;
        lane->again_capacity = count;
    }
    return true;
}

int64_t sink_lane_now_ms(const struct sink_lane *lane)
{
    const struct services *services = lane->services;
    return services->now_ms != NULL ? services->now_ms(services->self) : clock_wall_ms();
}

/* ---- starting ---------------------------------------------------------------------------------- */

static void init_locks(struct sink_lane *lane)
{
    pthread_mutex_init(&lane->lock, NULL);
    clock_condition_init(&lane->queued);
    clock_condition_init(&lane->served);
}

static int64_t retry_ms(const struct end *end)
{
    return end->plugin.retry_ms != 0 ? end->plugin.retry_ms : BACKOFF_LIMIT_MS;
}

bool sink_lane_start(struct sink_lane *lane, const struct services *services, const struct end *end,
                     struct meter *meter, struct run_faults *faults, struct error *error)
{
    *lane = (struct sink_lane){ .end = end,
                                .services = services,
                                .meter = meter,
                                .faults = faults,
                                .byte_limit = UINT64_MAX,
                                .retry_ms = retry_ms(end) };
    init_locks(lane);
    arena_init(&lane->arena, SCRATCH_CHUNK);
    if (!call_init(&lane->call, 0)) {
        error_no_memory(error);
        return false;
    }
    if (pthread_create(&lane->thread, NULL, lane_main, lane) != 0) {
        error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "could not start the thread of %s",
                  end->plugin.label);
        return false;
    }
    lane->has_thread = true;
    return true;
}

/* ---- the queue --------------------------------------------------------------------------------- */

/* Thread: holds the lock. */
static void enqueue(struct sink_lane *lane, const struct lane_item *item)
{
    lane->queue[(lane->queue_first + lane->queue_count) % LANE_QUEUE] = *item;
    lane->queue_count++;
    lane->queue_bytes += item->bytes;
    if (lane->times != NULL && lane->queue_count > lane->times->highest_fill) {
        lane->times->highest_fill = lane->queue_count;
    }
    pthread_cond_broadcast(&lane->queued);
}

bool sink_lane_promise(struct sink_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    uint32_t taken = lane->queue_count + lane->promised;
    bool has_room = taken == 0 || (taken < LANE_QUEUE && lane->queue_bytes < lane->byte_limit);
    if (has_room) {
        lane->promised++;
    } else if (lane->wanted_ns == 0) {
        lane->wanted_ns = clock_monotonic_ns();
    }
    pthread_mutex_unlock(&lane->lock);
    return has_room;
}

void sink_lane_release(struct sink_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    lane->promised--;
    bool is_told = note_room(lane);
    pthread_mutex_unlock(&lane->lock);
    if (is_told) {
        lane->room.tell(lane->room.self);
    }
}

void sink_lane_write(struct sink_lane *lane, struct root *root, struct run run)
{
    struct lane_item item = {
        .order = LANE_WRITE, .root = root, .run = run, .bytes = root_turn_bytes(root)
    };
    root_hold(root);
    pthread_mutex_lock(&lane->lock);
    enqueue(lane, &item);
    pthread_mutex_unlock(&lane->lock);
}

void sink_lane_tell(struct sink_lane *lane, int64_t now_ns)
{
    struct lane_pressure *pressure = &lane->pressure;
    pthread_mutex_lock(&lane->lock);
    int64_t wanted_ns = lane->wanted_ns;
    pthread_mutex_unlock(&lane->lock);
    if (wanted_ns == 0 && pressure->since_ns != 0) {
        logger_write(LOGGER_INFO, lane->end->plugin.label, "it takes records again, after %.1f s",
                     (double)(now_ns - pressure->since_ns) / 1e9);
        pressure->pause_ns = pressure->pause_ns == 0 ? QUIET_NS : pressure->pause_ns * 2;
        pressure->quiet_ns = now_ns + pressure->pause_ns;
        pressure->since_ns = 0;
    } else if (wanted_ns != 0 && pressure->since_ns == 0 && now_ns - wanted_ns >= FULL_TELL_NS &&
               now_ns >= pressure->quiet_ns) {
        logger_write(LOGGER_WARNING, lane->end->plugin.label,
                     "its queue is full: what feeds it waits until it takes records again");
        pressure->since_ns = wanted_ns;
        gate_want_checkpoint(lane->faults->gate);
    }
}

/* An order carries nothing, so only records are held to the bytes. Thread: holds the lock. */
static bool has_room_for(const struct sink_lane *lane, const struct lane_item *item)
{
    return lane->queue_count < LANE_QUEUE && (item->order != LANE_WRITE || lane->queue_count == 0 ||
                                              lane->queue_bytes < lane->byte_limit);
}

/*
 * Waits in short turns so that a run that stops is noticed although this sink never comes back. The log
 * hears of records that wait (sink_lane_tell).
 */
bool sink_lane_put(struct sink_lane *lane, const struct lane_item *item)
{
    bool is_stopping = false;
    pthread_mutex_lock(&lane->lock);
    while (!has_room_for(lane, item) && !is_stopping) {
        if (item->order == LANE_WRITE && lane->wanted_ns == 0) {
            lane->wanted_ns = clock_monotonic_ns();
        }
        struct timespec deadline = clock_deadline(FULL_POLL_MS);
        pthread_cond_timedwait(&lane->served, &lane->lock, &deadline);
        is_stopping = gate_is_stopping(lane->faults->gate);
    }
    bool has_room = has_room_for(lane, item);
    if (has_room) {
        enqueue(lane, item);
    }
    pthread_mutex_unlock(&lane->lock);
    return has_room;
}

bool sink_lane_is_awaited(struct sink_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    bool is_awaited = lane->wanted_ns != 0;
    pthread_mutex_unlock(&lane->lock);
    return is_awaited;
}

bool sink_lane_order(struct sink_lane *lane, enum lane_order order)
{
    struct lane_item item = { .order = order };
    return sink_lane_put(lane, &item);
}

bool sink_lane_write_waiting(struct sink_lane *lane, struct root *root, struct run run)
{
    struct lane_item item = {
        .order = LANE_WRITE, .root = root, .run = run, .bytes = root_turn_bytes(root)
    };
    root_hold(root);
    if (!sink_lane_put(lane, &item)) {
        root_release(root);
        return false;
    }
    return true;
}

bool sink_lane_wait(struct sink_lane *lane, int64_t timeout_ms)
{
    struct timespec deadline = clock_deadline(timeout_ms);
    bool is_in_time = true;
    pthread_mutex_lock(&lane->lock);
    while ((lane->queue_count > 0 || lane->is_busy) && is_in_time) {
        is_in_time = pthread_cond_timedwait(&lane->served, &lane->lock, &deadline) == 0;
    }
    bool is_idle = lane->queue_count == 0 && !lane->is_busy;
    pthread_mutex_unlock(&lane->lock);
    return is_idle;
}

/* One that is still at it has a checkpoint to come as soon as it is through. */
void sink_lane_resume(struct sink_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    for (struct seat *seat = lane->taken; !lane->is_busy && seat != NULL; seat = seat->next_taken) {
        seat->is_flushed = false;
    }
    pthread_cond_broadcast(&lane->queued);
    pthread_mutex_unlock(&lane->lock);
}

bool sink_lane_stop(struct sink_lane *lane, bool is_given_up, int64_t timeout_ms)
{
    if (!lane->has_thread) {
        return true;
    }
    int64_t end_ns = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    /* First the queue: there must be room for the last order. */
    if (!sink_lane_wait(lane, timeout_ms) ||
        (is_given_up && !sink_lane_order(lane, LANE_DISCARD)) ||
        !sink_lane_order(lane, LANE_CLOSE) || !sink_lane_order(lane, LANE_END)) {
        return false;
    }
    int64_t left_ms = (end_ns - clock_monotonic_ns()) / 1000000;
    if (!sink_lane_wait(lane, left_ms < 0 ? 0 : left_ms)) {
        return false;
    }
    pthread_join(lane->thread, NULL);
    lane->has_thread = false;
    return true;
}

void sink_lane_deinit(struct sink_lane *lane)
{
    while (lane->seats != NULL) {
        struct seat *seat = lane->seats;
        lane->seats = seat->next;
        seat_destroy(seat);
    }
    instance_destroy(lane->model);
    memory_free(lane->again);
    call_deinit(&lane->call);
    letter_box_deinit(&lane->letters);
    arena_deinit(&lane->arena);
    pthread_cond_destroy(&lane->queued);
    pthread_cond_destroy(&lane->served);
    pthread_mutex_destroy(&lane->lock);
}
