/* SPDX-License-Identifier: MIT */
/*
 * Where the time of a run went, read off its stopwatches.
 */
#include "engine/report/report.h"
#include "engine/state.h"

static struct report_node node_of(const struct engine *engine, uint32_t index)
{
    const struct meter *meter = &engine->meters[index];
    struct report_node node = { .in = meter_get(&meter->in),
                                .out = meter_get(&meter->out),
                                .failed = meter_get(&meter->failed),
                                .time = stopwatch_read(&engine->timing->nodes[index]) };
    if (engine->plan->nodes[index].kind == PLAN_END) {
        node.out = node.in > node.failed ? node.in - node.failed : 0;
    }
    if (engine->plan->nodes[index].kind == PLAN_STEP && node.in > node.out + node.failed) {
        node.dropped = node.in - node.out - node.failed;
    }
    return node;
}

static void add_slot(struct report_lane *lane, const char *name, const struct stopwatch *watch)
{
    struct lap time = stopwatch_read(watch);
    if (time.calls > 0) {
        lane->slots[lane->slot_count++] = (struct report_slot){ name, time };
    }
}

static struct report_lane lane_of(const struct lane_times *times, const char *label,
                                  uint64_t records)
{
    struct report_lane lane = { .label = label,
                                .records = records,
                                .full = stopwatch_read(&times->full),
                                .retries = stopwatch_read(&times->retries),
                                .highest_fill = times->highest_fill };
    for (uint32_t i = 0; i < SLOT_TIMES && times->slots[i].slot != NULL; i++) {
        add_slot(&lane, times->slots[i].slot, &times->slots[i].watch);
    }
    add_slot(&lane, "other", &times->rest);
    add_slot(&lane, "encode", &times->encode);
    add_slot(&lane, "append", &times->append);
    return lane;
}

static void fill_lanes(const struct engine *engine, struct report_timing *timing)
{
    for (uint32_t i = 0; i < engine->source_count; i++) {
        const struct source_lane *lane = &engine->sources[i];
        timing->sources[timing->source_count++] =
            lane_of(&engine->timing->sources[i], lane->stream->source->plugin.label,
                    meter_get(&lane->meter->out));
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct sink_lane *lane = &engine->lanes[i];
        timing->sinks[timing->sink_count++] = lane_of(
            &engine->timing->sinks[i], lane->end->plugin.label, meter_get(&lane->meter->in));
    }
}

static void fill_checkpoints(const struct checkpoint_times *times, struct report_timing *timing)
{
    timing->checkpoints = stopwatch_read(&times->whole);
    timing->steps[0] = (struct report_slot){ "gate", stopwatch_read(&times->gate) };
    timing->steps[1] = (struct report_slot){ "flush", stopwatch_read(&times->flush) };
    timing->steps[2] = (struct report_slot){ "commit", stopwatch_read(&times->commit) };
    timing->steps[3] = (struct report_slot){ "publish", stopwatch_read(&times->publish) };
}

struct report_timing *report_timing(const struct engine *engine, struct arena *arena)
{
    if (engine->timing == NULL) {
        return NULL;
    }
    uint32_t nodes = engine->plan->node_count;
    struct report_timing *timing = arena_zeroed(arena, sizeof *timing);
    if (timing == NULL) {
        return NULL;
    }
    timing->nodes = arena_zeroed(arena, (nodes + 1u) * sizeof *timing->nodes);
    timing->sources = arena_zeroed(arena, (engine->source_count + 1u) * sizeof *timing->sources);
    timing->sinks = arena_zeroed(arena, (engine->lane_count + 1u) * sizeof *timing->sinks);
    if (timing->nodes == NULL || timing->sources == NULL || timing->sinks == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        timing->nodes[i] = node_of(engine, i);
    }
    fill_lanes(engine, timing);
    fill_checkpoints(&engine->checkpoint_times, timing);
    timing->worker_count = engine->pool.worker_count;
    timing->queue_size = LANE_QUEUE;
    timing->turns = stopwatch_read(&engine->timing->turns);
    timing->read = stopwatch_read(&engine->timing->read);
    timing->append = stopwatch_read(&engine->timing->append);
    return timing;
}
