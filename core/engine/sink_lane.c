/* SPDX-License-Identifier: MIT */
#include "engine/sink_lane.h"

#include <string.h>

#include <weir/sink.h>

#include "base/clock.h"
#include "base/logger.h"

#define TOKEN_LIMIT  (UINT64_C(64) << 20)
#define FULL_TELL_NS INT64_C(1000000000)  /* a queue is told to be full after so long */
#define QUIET_NS     INT64_C(10000000000) /* and no sooner than this after the last time */
enum { FLUSH_DEADLINE_MS = 30000, FULL_POLL_MS = 100, SCRATCH_CHUNK = 1 << 16 };

static const weir_sink_vtable *vtable_of(const struct sink_lane *lane)
{
    return lane->instance->spec->vtable;
}

static void begin(struct sink_lane *lane, const weir_batch *batch, const char *slot)
{
    arena_reset(&lane->arena);
    call_watch_slot(slot);
    call_begin(&lane->call, lane->instance, &lane->arena, batch);
    lane->call.record_limit = batch == NULL ? 0 : batch->count;
}

/* Ends a call. A fault of the whole call is fatal, as is a status that it does not know. */
static bool finish(struct sink_lane *lane, weir_status st, const char *what)
{
    call_end(&lane->call);
    if (st != WEIR_OK || lane->call.whole.status != WEIR_OK) {
        run_faults_call(lane->faults, lane->end->plugin.label, &lane->call, st, what);
        return false;
    }
    return true;
}

static weir_slice token_of(const struct sink_lane *lane)
{
    return (weir_slice){ lane->token.data, lane->token.size };
}

static void note_finished(struct sink_lane *lane)
{
    if (!lane->is_finished) {
        lane->is_finished = true;
        logger_write(LOGGER_WARNING, lane->end->plugin.label,
                     "the sink takes no more records; further ones are counted and dropped");
    }
}

static void drop_failed(struct sink_lane *lane, const weir_batch *batch)
{
    struct call *call = &lane->call;
    call_sort_failures(call);
    for (uint32_t i = 0; i < call->failure_count; i++) {
        const weir_entry *entry = &batch->entries[call->failures[i].index];
        const weir_origin *origin = &batch->origins[entry->origin];
        struct failed_record failed = { .use = &lane->end->plugin,
                                        .meter = lane->meter,
                                        .topic = origin->topic,
                                        .topic_len = origin->topic_len,
                                        .partition = origin->partition,
                                        .offset = entry->record->offset };
        if (!run_faults_record(lane->faults, &failed, &call->failures[i])) {
            return;
        }
    }
}

static void write_records(struct sink_lane *lane, const struct lane_item *item)
{
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = item->run.count,
                         .entries = item->run.entries,
                         .origins = &item->root->origin,
                         .origin_count = 1 };
    if (!lane->is_finished) {
        begin(lane, &batch, "write");
        weir_status st = vtable_of(lane)->write(lane->instance->self, &lane->call.context, &batch);
        if (finish(lane, st == WEIR_END ? WEIR_OK : st, "write")) {
            drop_failed(lane, &batch);
            if (st == WEIR_END) {
                note_finished(lane);
            }
        }
    }
    root_release(item->root);
}

static void flush(struct sink_lane *lane, uint32_t flags)
{
    if (vtable_of(lane)->flush == NULL) {
        return;
    }
    buffer_clear(&lane->token);
    begin(lane, NULL, "flush");
    int64_t deadline = clock_monotonic_ns() + FLUSH_DEADLINE_MS * INT64_C(1000000);
    weir_status st = vtable_of(lane)->flush(lane->instance->self, &lane->call.context, deadline,
                                            flags, &lane->token);
    if (finish(lane, st == WEIR_END ? WEIR_OK : st, "flush") && st == WEIR_END) {
        note_finished(lane);
    }
}

static void open_sink(struct sink_lane *lane)
{
    lane->is_open = true;
    if (vtable_of(lane)->open != NULL) {
        begin(lane, NULL, "open");
        lane->is_open = finish(
            lane, vtable_of(lane)->open(lane->instance->self, &lane->call.context, token_of(lane)),
            "open");
    }
}

static void publish(struct sink_lane *lane)
{
    if (vtable_of(lane)->publish != NULL && lane->token.size > 0) {
        begin(lane, NULL, "publish");
        (void)finish(
            lane,
            vtable_of(lane)->publish(lane->instance->self, &lane->call.context, token_of(lane)),
            "publish");
    }
}

/* open, reset and close have one shape: optional, without arguments beyond the context. */
static void call_plain(struct sink_lane *lane, weir_status (*slot)(void *self, weir_context *ctx),
                       const char *what)
{
    if (slot != NULL) {
        begin(lane, NULL, what);
        (void)finish(lane, slot(lane->instance->self, &lane->call.context), what);
    }
}

static void carry_out(struct sink_lane *lane, const struct lane_item *item)
{
    bool has_failed = run_faults_error(lane->faults, NULL);
    if (has_failed && item->order != LANE_WRITE && item->order != LANE_CLOSE) {
        return;
    }
    switch (item->order) {
    case LANE_OPEN:
        open_sink(lane);
        break;
    case LANE_RESET:
        call_plain(lane, vtable_of(lane)->reset, "reset");
        break;
    case LANE_WRITE:
        if (has_failed) {
            root_release(item->root);
        } else {
            write_records(lane, item);
        }
        break;
    case LANE_FLUSH:
        flush(lane, 0);
        break;
    case LANE_FLUSH_FINAL:
        flush(lane, WEIR_FLUSH_FINAL);
        break;
    case LANE_PUBLISH:
        publish(lane);
        break;
    case LANE_CLOSE:
        call_plain(lane, lane->is_open ? vtable_of(lane)->close : NULL, "close");
        break;
    }
}

/*
 * True: tasks that wait have to hear that there is room. They do so when the queue is half empty, so that
 * they come back for more than one batch. Thread: holds the lock.
 */
static bool note_room(struct sink_lane *lane)
{
    if (lane->wanted_ns == 0 || lane->queue_count + lane->promised > LANE_QUEUE / 2) {
        return false;
    }
    lane->wanted_ns = 0;
    return true;
}

static void *lane_main(void *argument)
{
    struct sink_lane *lane = argument;
    bool is_open = true;
    call_watch_use(&lane->watch);
    while (is_open) {
        pthread_mutex_lock(&lane->lock);
        while (lane->queue_count == 0) {
            pthread_cond_wait(&lane->changed, &lane->lock);
        }
        struct lane_item item = lane->queue[lane->queue_first];
        lane->queue_first = (lane->queue_first + 1) % LANE_QUEUE;
        lane->queue_count--;
        lane->is_busy = true;
        bool has_room = note_room(lane);
        pthread_cond_broadcast(&lane->changed);
        pthread_mutex_unlock(&lane->lock);

        if (has_room) {
            lane->room.tell(lane->room.self);
        }
        carry_out(lane, &item);
        is_open = item.order != LANE_CLOSE;

        pthread_mutex_lock(&lane->lock);
        lane->is_busy = false;
        lane->is_closed = !is_open;
        pthread_cond_broadcast(&lane->changed);
        pthread_mutex_unlock(&lane->lock);
    }
    return NULL;
}

static void init_locks(struct sink_lane *lane)
{
    pthread_mutex_init(&lane->lock, NULL);
    clock_condition_init(&lane->changed);
}

bool sink_lane_start(struct sink_lane *lane, const struct services *services, const struct end *end,
                     const char *fact_key, struct meter *meter, struct run_faults *faults,
                     struct error *error)
{
    *lane =
        (struct sink_lane){ .end = end, .fact_key = fact_key, .meter = meter, .faults = faults };
    init_locks(lane);
    arena_init(&lane->arena, SCRATCH_CHUNK);
    buffer_init(&lane->token, TOKEN_LIMIT);
    if (!call_init(&lane->call, 0)) {
        error_no_memory(error);
        return false;
    }
    lane->instance = instance_create(services, end->plugin.factory->spec, end->plugin.config,
                                     end->plugin.label, error);
    if (lane->instance == NULL) {
        return false;
    }
    lane->is_reset_supported = vtable_of(lane)->reset != NULL;
    if (pthread_create(&lane->thread, NULL, lane_main, lane) != 0) {
        error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "could not start the thread of %s",
                  end->plugin.label);
        return false;
    }
    lane->has_thread = true;
    return true;
}

/* Thread: holds the lock. */
static void enqueue(struct sink_lane *lane, const struct lane_item *item)
{
    lane->queue[(lane->queue_first + lane->queue_count) % LANE_QUEUE] = *item;
    lane->queue_count++;
    pthread_cond_broadcast(&lane->changed);
}

bool sink_lane_promise(struct sink_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    bool has_room = lane->queue_count + lane->promised < LANE_QUEUE;
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
    struct lane_item item = { LANE_WRITE, root, run };
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

/* Waits in short turns so that a run that stops is noticed although this sink never comes back. */
bool sink_lane_order(struct sink_lane *lane, enum lane_order order)
{
    struct lane_item item = { order, NULL, { NULL, 0 } };
    bool is_stopping = false;
    pthread_mutex_lock(&lane->lock);
    while (lane->queue_count == LANE_QUEUE && !is_stopping) {
        struct timespec deadline = clock_deadline(FULL_POLL_MS);
        pthread_cond_timedwait(&lane->changed, &lane->lock, &deadline);
        is_stopping = gate_is_stopping(lane->faults->gate);
    }
    bool has_room = lane->queue_count < LANE_QUEUE;
    if (has_room) {
        enqueue(lane, &item);
    }
    pthread_mutex_unlock(&lane->lock);
    return has_room;
}

bool sink_lane_wait(struct sink_lane *lane, int64_t timeout_ms)
{
    struct timespec deadline = clock_deadline(timeout_ms);
    bool is_in_time = true;
    pthread_mutex_lock(&lane->lock);
    while ((lane->queue_count > 0 || lane->is_busy) && is_in_time) {
        is_in_time = pthread_cond_timedwait(&lane->changed, &lane->lock, &deadline) == 0;
    }
    bool is_idle = lane->queue_count == 0 && !lane->is_busy;
    pthread_mutex_unlock(&lane->lock);
    return is_idle;
}

bool sink_lane_stop(struct sink_lane *lane, int64_t timeout_ms)
{
    if (!lane->has_thread) {
        return true;
    }
    int64_t end_ns = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    /* First the queue: there must be room for the last order. */
    if (!sink_lane_wait(lane, timeout_ms) || !sink_lane_order(lane, LANE_CLOSE)) {
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
    instance_destroy(lane->instance);
    call_deinit(&lane->call);
    buffer_deinit(&lane->token);
    arena_deinit(&lane->arena);
    pthread_cond_destroy(&lane->changed);
    pthread_mutex_destroy(&lane->lock);
}

void sink_lane_locate(const struct sink_lane *lane, weir_buffer *out)
{
    if (vtable_of(lane)->locate != NULL) {
        (void)vtable_of(lane)->locate(lane->instance->self, out); /* the summary does without */
    }
}
