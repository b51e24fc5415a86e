/* SPDX-License-Identifier: MIT */
#include "engine/sources/source_lane.h"

#include <string.h>
#include <time.h>

#include <weir/source.h>

#include "base/clock.h"
#include "base/logger.h"
#include "engine/faults/backoff.h"
#include "engine/sources/source_records.h"

#define POSITION_LIMIT (UINT64_C(16) << 20)
enum { FIRST_RECORDS = 16 }; /* of a poll, where bytes are limited and nothing is known of them */
enum { POLL_MS = 100, REST_MS = 10, SCRATCH_CHUNK = 1 << 20, NUMBER_BYTES = 8 };

static const weir_source_vtable *vtable_of(const struct source_lane *lane)
{
    return lane->instance->spec->vtable;
}

static void begin(struct source_lane *lane, const char *slot)
{
    arena_reset(&lane->arena);
    call_watch_slot(slot);
    lane->call.stopwatch = lane->times == NULL ? NULL : lane_times_slot(lane->times, slot);
    call_begin(&lane->call, lane->instance, &lane->arena, NULL);
    lane->call.record_limit = 0;
}

/* False after a fatal fault, or a status that the call does not know. */
static bool finish(struct source_lane *lane, weir_status st, const char *what)
{
    call_end(&lane->call);
    if (st == WEIR_OK && lane->call.whole.status == WEIR_OK) {
        return true;
    }
    run_faults_call(lane->faults, lane->stream->source->plugin.label, &lane->call, st, what);
    return false;
}

/* ---- position ---------------------------------------------------------------------------------- */

static uint64_t read_number(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (int i = NUMBER_BYTES - 1; i >= 0; i--) {
        number = number << 8 | bytes[i];
    }
    return number;
}

static weir_status append_number(weir_buffer *out, uint64_t number)
{
    uint8_t bytes[NUMBER_BYTES];
    for (int i = 0; i < NUMBER_BYTES; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    return weir_buffer_append(out, bytes, sizeof bytes);
}

/* Notes where the source stands, for the next checkpoint. */
static bool note_position(struct source_lane *lane)
{
    buffer_clear(&lane->position);
    if (append_number(&lane->position, lane->next_number) != WEIR_OK) {
        return run_faults_no_memory(lane->faults, lane->stream->source->plugin.label);
    }
    begin(lane, "position");
    return finish(
        lane, vtable_of(lane)->position(lane->instance->self, &lane->call.context, &lane->position),
        "position");
}

static bool note_description(struct source_lane *lane)
{
    if (vtable_of(lane)->describe == NULL) {
        return true;
    }
    buffer_clear(&lane->description);
    begin(lane, "describe");
    return finish(
        lane,
        vtable_of(lane)->describe(lane->instance->self, &lane->call.context, &lane->description),
        "describe");
}

/* ---- records ----------------------------------------------------------------------------------- */

/* The next poll may bring as many records as fit by their size now, and no more than twice as many. */
static void adapt_limit(struct source_lane *lane, uint32_t count)
{
    struct poll_limit *limit = &lane->limit;
    if (limit->poll_bytes == 0 || count == 0) {
        return;
    }
    uint64_t each = (lane->writer.key_bytes.size + lane->writer.value_bytes.size) / count + 1;
    uint64_t records = limit->poll_bytes / each;
    records = records < UINT64_C(2) * limit->records ? records : UINT64_C(2) * limit->records;
    records = records < lane->batch_size ? records : lane->batch_size;
    limit->records = records > 0 ? (uint32_t)records : 1;
}

/* Appends what the last poll has emitted. */
static bool append(struct source_lane *lane)
{
    struct run run = { lane->call.outputs[0].entries, lane->call.outputs[0].count };
    struct writer_place place = { &lane->stream->source->writing, lane->meter };
    struct writer_batch batch = { .places = &place,
                                  .letters = &lane->letters,
                                  .first_number = lane->next_number };
    uint32_t written = 0;
    lane->next_number += run.count;
    meter_add(&lane->meter->in, run.count);
    if (run.count == 0) {
        return true;
    }
    if (!source_prepare(lane, &run)) {
        return false;
    }
    batch.run = run;
    if (!writer_append(&lane->writer, &lane->arena, &batch, &written)) {
        return false;
    }
    meter_add(&lane->meter->out, written);
    adapt_limit(lane, run.count);
    return true;
}

static bool drop_failed(struct source_lane *lane)
{
    call_sort_failures(&lane->call);
    for (uint32_t i = 0; i < lane->call.failure_count; i++) {
        if (!source_drop(lane, NULL, &lane->call.failures[i])) {
            return false;
        }
    }
    return true;
}

/* One poll. *ret_status: what the source answered. False after a fatal fault. */
static bool turn(struct source_lane *lane, weir_status *ret_status)
{
    begin(lane, "poll");
    lane->call.record_limit = UINT32_MAX; /* those that it emits and rejects, as many as they are */
    weir_status st = vtable_of(lane)->poll(lane->instance->self, &lane->call.context,
                                           lane->limit.records, POLL_MS);
    *ret_status = st;
    return finish(lane, st == WEIR_AGAIN || st == WEIR_END ? WEIR_OK : st, "poll") &&
           drop_failed(lane) && dead_letters_send(&lane->letters) && append(lane) &&
           dead_letters_send(&lane->letters) && note_position(lane);
}

/* ---- the thread -------------------------------------------------------------------------------- */

/* A fault of `open` that may pass, where the source wants it to be tried again. */
static bool is_start_retried(const struct source_lane *lane, weir_status st)
{
    const struct error *whole = &lane->call.whole;
    return lane->stream->source->plugin.retries_start && st < 0 &&
           (whole->status == WEIR_OK || backoff_may_pass(whole->error_class));
}

static weir_status call_open(struct source_lane *lane)
{
    weir_slice position = { NULL, 0 };
    if (lane->position.size >= NUMBER_BYTES) {
        position.data = lane->position.data + NUMBER_BYTES;
        position.size = lane->position.size - NUMBER_BYTES;
    }
    begin(lane, "open");
    weir_status st = vtable_of(lane)->open(lane->instance->self, &lane->call.context, position,
                                           lane->is_until_end ? WEIR_SOURCE_UNTIL_END : 0);
    call_end(&lane->call);
    return st;
}

/* The run stops, or the source goes to another process. */
static bool is_over(const struct source_lane *lane)
{
    return gate_is_stopping(lane->gate) || atomic_load(&lane->is_ending);
}

/* False: it is over. */
static bool rest(const struct source_lane *lane, int64_t time_ms)
{
    int64_t end_ns = clock_monotonic_ns() + time_ms * INT64_C(1000000);
    while (!is_over(lane) && clock_monotonic_ns() < end_ns) {
        struct timespec turn = { 0, REST_MS * 1000000 };
        nanosleep(&turn, NULL);
    }
    return !is_over(lane);
}

/* False after a fatal fault, or where the run stops before the source could be opened. */
static bool open_source(struct source_lane *lane)
{
    struct backoff backoff = { .attempts = 0 };
    const char *label = lane->stream->source->plugin.label;
    weir_status st;
    while ((st = call_open(lane)) != WEIR_OK && is_start_retried(lane, st)) {
        int64_t now_ns = clock_monotonic_ns();
        int64_t wait_ms;
        (void)backoff_fail(&backoff, now_ns, lane->call.retry_after_ms, 0, &wait_ms);
        if (backoff_is_worth_telling(&backoff, now_ns)) {
            logger_write(LOGGER_WARNING, label, "open: %s; tried again in %.1f s",
                         lane->call.whole.status != WEIR_OK ? lane->call.whole.message
                                                            : "it has failed and gave no reason",
                         (double)wait_ms / 1e3);
        }
        if (!rest(lane, wait_ms)) {
            return false;
        }
    }
    if (st != WEIR_OK || lane->call.whole.status != WEIR_OK) {
        run_faults_call(lane->faults, label, &lane->call, st, "open");
        return false;
    }
    if (backoff.attempts > 0) {
        logger_write(LOGGER_INFO, label, "open has succeeded, after %.1f s",
                     (double)(clock_monotonic_ns() - backoff.first_ns) / 1e9);
    }
    return true;
}

static void close_source(struct source_lane *lane)
{
    if (vtable_of(lane)->close != NULL) {
        begin(lane, "close");
        (void)finish(lane, vtable_of(lane)->close(lane->instance->self, &lane->call.context),
                     "close");
    }
}

/* Polls until the end or the stop. Stands at the gate with its position noted. */
static void pump(struct source_lane *lane)
{
    weir_status st = WEIR_OK;
    while (st != WEIR_END && gate_pass(lane->gate) && !atomic_load(&lane->is_ending)) {
        int64_t begin_ns = clock_monotonic_ns();
        if (!turn(lane, &st)) {
            return;
        }
        if (st == WEIR_AGAIN && clock_monotonic_ns() - begin_ns < REST_MS * INT64_C(1000000)) {
            gate_wait(lane->gate, gate_wakes(lane->gate), REST_MS); /* it does not wait itself */
        }
        if (log_pending_bytes(lane->writer.log_topic->log) > lane->limit.pending_limit &&
            !gate_ask_checkpoint(lane->gate)) {
            break;
        }
    }
    (void)note_description(lane);
}

static void *lane_main(void *argument)
{
    struct source_lane *lane = argument;
    call_watch_use(&lane->watch);
    /* Until it is open it has done nothing that a checkpoint would have to wait for. */
    bool is_open = open_source(lane);
    if (is_open) {
        gate_join(lane->gate);
        pump(lane);
        close_source(lane);
    }
    gate_source_ended(lane->gate);
    if (is_open) {
        gate_leave(lane->gate);
    }
    return NULL;
}

bool source_lane_init(struct source_lane *lane, const struct source_lane_parts *parts,
                      const struct stream *stream, const char *fact_key, weir_slice position,
                      struct log_topic *log_topic, struct meter *meter, struct error *error)
{
    *lane = (struct source_lane){ .stream = stream,
                                  .pipeline = parts->pipeline,
                                  .fact_key = fact_key,
                                  .meter = meter,
                                  .gate = parts->gate,
                                  .faults = parts->faults,
                                  .batch_size = parts->batch_size,
                                  .is_until_end = parts->is_until_end,
                                  .times = parts->times };
    const struct plugin_use *use = &stream->source->plugin;
    bool is_limited = parts->poll_bytes > 0 && parts->batch_size > FIRST_RECORDS;
    lane->limit = (struct poll_limit){ parts->poll_bytes, parts->pending_limit,
                                       is_limited ? FIRST_RECORDS : parts->batch_size };
    letter_box_init(&lane->letters, parts->letters);
    arena_init(&lane->arena, SCRATCH_CHUNK);
    buffer_init(&lane->position, POSITION_LIMIT);
    buffer_init(&lane->description, POSITION_LIMIT);
    if (!call_init(&lane->call, 1) || !call_init(&lane->expression_call, 0) ||
        weir_buffer_append(&lane->position, position.data, position.size) != WEIR_OK) {
        error_no_memory(error);
        return false;
    }
    if (position.size >= NUMBER_BYTES) {
        lane->next_number = read_number(position.data);
    }
    lane->instance = instance_create(&parts->pipeline->services, use->factory->spec, use->config,
                                     use->label, error);
    if (lane->instance == NULL) {
        return false;
    }
    lane->has_writer = true;
    if (!writer_init(&lane->writer, &parts->pipeline->services, stream->source->topic, log_topic,
                     parts->faults, error)) {
        return false;
    }
    if (lane->times != NULL) {
        writer_measure(&lane->writer, &lane->times->encode, &lane->times->append);
    }
    return true;
}

bool source_lane_start(struct source_lane *lane, struct error *error)
{
    if (pthread_create(&lane->thread, NULL, lane_main, lane) != 0) {
        gate_source_ended(lane->gate);
        error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "could not start the thread of %s",
                  lane->stream->source->plugin.label);
        return false;
    }
    lane->has_thread = true;
    lane->was_started = true;
    return true;
}

bool source_lane_join(struct source_lane *lane, int64_t timeout_ms)
{
    if (!lane->has_thread) {
        return true;
    }
    int64_t ns = clock_wall_ms() * 1000000 + timeout_ms * 1000000;
    struct timespec deadline = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    if (pthread_timedjoin_np(lane->thread, NULL, &deadline) != 0) {
        return false;
    }
    lane->has_thread = false;
    return true;
}

void source_lane_deinit(struct source_lane *lane)
{
    if (lane->has_writer) {
        writer_deinit(&lane->writer);
    }
    instance_destroy(lane->instance);
    call_deinit(&lane->call);
    call_deinit(&lane->expression_call);
    letter_box_deinit(&lane->letters);
    buffer_deinit(&lane->position);
    buffer_deinit(&lane->description);
    arena_deinit(&lane->arena);
}
