/* SPDX-License-Identifier: MIT */
#include "engine/report/timing.h"

#include <string.h>

static struct lane_times *lanes_create(struct arena *arena, uint32_t count,
                                       const char *const slots[SLOT_TIMES])
{
    struct lane_times *lanes = arena_zeroed(arena, (count + 1u) * sizeof *lanes);
    for (uint32_t i = 0; lanes != NULL && i < count; i++) {
        for (uint32_t k = 0; k < SLOT_TIMES; k++) {
            lanes[i].slots[k].slot = slots[k];
        }
    }
    return lanes;
}

struct timing *timing_create(struct arena *arena, uint32_t nodes, uint32_t sinks, uint32_t sources)
{
    static const char *const sink_slots[SLOT_TIMES] = { "write", "flush", "publish" };
    static const char *const source_slots[SLOT_TIMES] = { "poll", "position" };
    struct timing *timing = arena_zeroed(arena, sizeof *timing);
    if (timing == NULL) {
        return NULL;
    }
    timing->nodes = arena_zeroed(arena, (nodes + 1u) * sizeof *timing->nodes);
    timing->sinks = lanes_create(arena, sinks, sink_slots);
    timing->sources = lanes_create(arena, sources, source_slots);
    bool is_complete = timing->nodes != NULL && timing->sinks != NULL && timing->sources != NULL;
    return is_complete ? timing : NULL;
}

struct stopwatch *lane_times_slot(struct lane_times *times, const char *slot)
{
    for (uint32_t i = 0; i < SLOT_TIMES && times->slots[i].slot != NULL; i++) {
        if (strcmp(times->slots[i].slot, slot) == 0) {
            return &times->slots[i].watch;
        }
    }
    return &times->rest;
}
