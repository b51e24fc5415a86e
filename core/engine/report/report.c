/* SPDX-License-Identifier: MIT */
/*
 * What a run has done, for the summary. Filled while the sinks still stand, after everybody else.
 */
#include "engine/report/report.h"

#include <string.h>

#include "base/clock.h"

enum { TEXT_LIMIT = 1 << 16 };

/* Without the secrets of the instance that has said it; NULL: it has none. */
static const char *text_of(struct arena *arena, const weir_buffer *buffer,
                           const struct instance *instance)
{
    char room[SECRETS_ROOM];
    const char *text = arena_copy(arena, buffer->data, buffer->size);
    if (text != NULL && instance != NULL && instance_message(instance, text, room) == room) {
        text = arena_copy(arena, room, strlen(room));
    }
    return text == NULL ? "" : text;
}

static void fill_sources(const struct engine *engine, struct engine_report *report)
{
    report->sources =
        arena_zeroed(&report->arena, (engine->source_count + 1u) * sizeof *report->sources);
    if (report->sources == NULL) {
        return;
    }
    for (uint32_t i = 0; i < engine->source_count; i++) {
        const struct source_lane *lane = &engine->sources[i];
        report->sources[report->source_count++] = (struct report_source){
            .label = lane->stream->source->plugin.label,
            .stream = lane->stream->name,
            .records = meter_get(&lane->meter->out),
            .failed = meter_get(&lane->meter->failed),
            .description = text_of(&report->arena, &lane->description, lane->instance),
        };
    }
}

/* Sums over the steps of the stream that an end belongs to. */
static void add_steps(const struct engine *engine, const struct plan_node *end_node,
                      struct report_end *end)
{
    bool is_first = true;
    for (uint32_t i = 0; i < engine->plan->node_count; i++) {
        const struct plan_node *node = &engine->plan->nodes[i];
        if (node->kind != PLAN_STEP || node->stream != end_node->stream) {
            continue;
        }
        uint64_t in = meter_get(&engine->meters[i].in);
        uint64_t out = meter_get(&engine->meters[i].out);
        uint64_t failed = meter_get(&engine->meters[i].failed);
        if (is_first) {
            end->taken = in;
            is_first = false;
        }
        end->failed += failed;
        end->dropped += in > out + failed ? in - out - failed : 0;
    }
}

/* lane NULL: the end is a topic. */
static const char *location_of(const struct engine *engine, const struct sink_lane *lane,
                               struct arena *arena)
{
    if (lane == NULL) {
        const char *text = arena_printf(arena, "%s", engine->log_name);
        return text == NULL ? "" : text;
    }
    weir_buffer text;
    buffer_init(&text, TEXT_LIMIT);
    const struct instance *instance = sink_lane_locate(lane, &text);
    const char *copy = text_of(arena, &text, instance);
    buffer_deinit(&text);
    return copy;
}

/* "topic 'a'"; "topics 'a', 'b'" */
static const char *topics_of(const struct end *end, struct arena *arena)
{
    const char *text = end->topic_count > 1 ? "topics" : "topic";
    for (uint32_t i = 0; i < end->topic_count && text != NULL; i++) {
        text = arena_printf(arena, "%s%s '%s'", text, i > 0 ? "," : "", end->topics[i]->log_name);
    }
    return text;
}

static const char *target_of(const struct end *end, struct arena *arena)
{
    const char *text =
        end->kind == END_TOPIC ? topics_of(end, arena) : end->plugin.factory->spec->name;
    return text == NULL ? "" : text;
}

static void fill_ends(const struct engine *engine, struct engine_report *report)
{
    report->ends =
        arena_zeroed(&report->arena, (engine->plan->end_count + 1u) * sizeof *report->ends);
    if (report->ends == NULL) {
        return;
    }
    for (uint32_t i = 0; i < engine->plan->node_count; i++) {
        const struct plan_node *node = &engine->plan->nodes[i];
        if (node->kind != PLAN_END) {
            continue;
        }
        struct report_end *end = &report->ends[report->end_count++];
        uint64_t in = meter_get(&engine->meters[i].in);
        uint64_t failed = meter_get(&engine->meters[i].failed);
        *end = (struct report_end){
            .label = node->use->label,
            .target = target_of(node->end, &report->arena),
            .taken = in,
            .arrived = in > failed ? in - failed : 0,
            .failed = failed,
            .location = location_of(engine, engine->lanes_by_end[node->end_number], &report->arena)
        };
        add_steps(engine, node, end);
        report->records_out += end->arrived;
    }
}

static void fill_letters(const struct engine *engine, struct engine_report *report)
{
    const struct dead_letters *letters = &engine->letters;
    uint64_t count = meter_get(&letters->meter.in);
    if (letters->end == NULL || count == 0) {
        return;
    }
    report->letters =
        (struct report_end){ .label = letters->end->plugin.label,
                             .target = target_of(letters->end, &report->arena),
                             .taken = count,
                             .arrived = count,
                             .location = location_of(engine, letters->lane, &report->arena) };
}

static const char *copy_of(struct arena *arena, const char *text)
{
    const char *copy = arena_printf(arena, "%s", text);
    return copy == NULL ? "" : copy;
}

/* A thread that did not come back may still drop some. */
static void fill_drops(struct drops *drops, struct engine_report *report)
{
    pthread_mutex_lock(&drops->lock);
    report->drops = arena_zeroed(&report->arena, (drops->place_count + 1u) * sizeof *report->drops);
    for (const struct drop_place *place = drops->places; place != NULL && report->drops != NULL;
         place = place->next) {
        if (place->count > 0) { /* none where the epoch was dropped, and another process went on */
            report->drops[report->drop_count++] =
                (struct report_drop){ .label = copy_of(&report->arena, place->label),
                                      .on_error = place->on_error,
                                      .count = place->count,
                                      .first = copy_of(&report->arena, place->first) };
        }
    }
    pthread_mutex_unlock(&drops->lock);
}

static uint64_t lost_of(const struct engine *engine, uint32_t route)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        sum += engine->pool.tasks[t].readers[route].lost_before;
    }
    return (uint64_t)sum;
}

static void fill_losses(const struct engine *engine, struct engine_report *report)
{
    uint32_t count = engine->plan->route_count;
    report->losses = arena_zeroed(&report->arena, (count + 1u) * sizeof *report->losses);
    for (uint32_t i = 0; i < count && report->losses != NULL; i++) {
        uint64_t offsets = lost_of(engine, i);
        if (offsets > 0) {
            report->losses[report->loss_count++] =
                (struct report_loss){ engine->plan->routes[i].topic->log_name, offsets };
        }
    }
}

static void fill_stalls(const struct engine *engine, struct engine_report *report)
{
    int64_t now_ns = clock_monotonic_ns();
    size_t count = 0;
    for (const struct stall *stall = engine->stalls.list; stall != NULL; stall = stall->next) {
        count++;
    }
    report->stalls = arena_zeroed(&report->arena, (count + 1) * sizeof *report->stalls);
    for (const struct stall *stall = engine->stalls.list; stall != NULL && report->stalls != NULL;
         stall = stall->next) {
        report->stalls[report->stall_count++] = (struct report_stall){
            .topic = stall->topic == NULL ? NULL : copy_of(&report->arena, stall->topic->name),
            .partition = stall->partition,
            .offset = stall->offset,
            .seconds = (double)stall_time(stall, now_ns) / 1e9,
            .is_over = stall->told_ns == 0,
            .why = copy_of(&report->arena, stall->why)
        };
    }
}

static uint64_t failed_in_all(const struct engine *engine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < engine->plan->node_count; i++) {
        sum += meter_get(&engine->meters[i].failed);
    }
    for (uint32_t i = 0; i < engine->source_count; i++) {
        sum += meter_get(&engine->sources[i].meter->failed);
    }
    return sum;
}

void report_fill(struct engine *engine, struct engine_report *report)
{
    report->seconds = (double)(clock_monotonic_ns() - engine->started_ns) / 1e9;
    report->checkpoints = engine->checkpoints;
    fill_drops(&engine->faults.drops, report);
    if (engine->plan == NULL || engine->meters == NULL || engine->lanes_by_end == NULL) {
        return; /* it did not come so far */
    }
    for (uint32_t i = 0; i < engine->plan->route_count; i++) {
        if (engine->plan->routes[i].topic->fed_by != NULL) {
            continue; /* they have come in before */
        }
        report->records_in += meter_get(&engine->meters[engine->plan->routes[i].nodes[0]].in);
    }
    fill_sources(engine, report);
    fill_ends(engine, report);
    fill_letters(engine, report);
    fill_losses(engine, report);
    fill_stalls(engine, report);
    report->failed = failed_in_all(engine);
    report->timing = report_timing(engine, &report->arena);
}

void report_deinit(struct engine_report *report)
{
    arena_deinit(&report->arena);
}
