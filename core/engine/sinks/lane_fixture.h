/* SPDX-License-Identifier: MIT */
/* For tests of one lane: the lane of a sink that the test has written, and what stands around it. */
#ifndef ENGINE_LANE_FIXTURE_H
#define ENGINE_LANE_FIXTURE_H

#include "base/logger.h"
#include "engine/sinks/journal_fixture.h"
#include "engine/sinks/sink_lane.h"

enum { WAIT_MS = 60000 };

static struct sink_lane lane;
static struct gate gate;
static struct run_faults faults;
static struct meter meter;
static struct root_pool roots;
static struct journal journal;

/* Its thread runs; it has no seats. */
static inline void lane_setup(const weir_sink_vtable *vtable)
{
    static struct services services;
    static weir_factory spec;
    static const struct factory factory = { .spec = &spec };
    static const struct end end = {
        .kind = END_SINK,
        .plugin = { .factory = &factory, .label = "the sink", .on_error = ON_ERROR_SKIP }
    };
    struct error error;
    spec = (weir_factory){
        .struct_size = sizeof spec, .kind = WEIR_KIND_SINK, .name = "scripted", .vtable = vtable
    };
    logger_configure(LOGGER_ERROR, false, false);
    journal_init(&journal);
    meter = (struct meter){ 0 };
    gate_init(&gate);
    run_faults_init(&faults, &gate);
    root_pool_init(&roots);
    ck_assert(sink_lane_start(&lane, &services, &end, &meter, &faults, &error));
}

/* The lane has stopped. */
static inline void lane_teardown(void)
{
    sink_lane_deinit(&lane);
    root_pool_deinit(&roots);
    run_faults_deinit(&faults);
    gate_deinit(&gate);
    journal_deinit(&journal);
}

/* A seat of this origin, with the token of an earlier process; "": none. It is being opened. */
static inline void add_seat(weir_origin origin, const char *token)
{
    struct error error;
    struct seat_start start = { .origin = origin,
                                .token_key = "sink/s.scripted",
                                .token = { (const uint8_t *)token, strlen(token) } };
    ck_assert(sink_lane_add(&lane, &start, &error));
    ck_assert(sink_lane_open(&lane));
}

/* Records with values and offsets that count from `first`. */
static inline struct root *make_batch(weir_origin origin, int64_t first, uint32_t count,
                                      struct run *ret_run)
{
    struct root *root = root_acquire(&roots);
    weir_record *records = arena_zeroed(&root->arena, count * sizeof *records);
    weir_entry *entries = arena_zeroed(&root->arena, count * sizeof *entries);
    root->origin = origin;
    for (uint32_t i = 0; i < count; i++) {
        records[i].value = weir_int(first + i);
        records[i].offset = first + i;
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    *ret_run = (struct run){ entries, count };
    return root;
}

static inline void queue_batch(weir_origin origin, int64_t first, uint32_t count)
{
    struct run run;
    struct root *root = make_batch(origin, first, count, &run);
    ck_assert(sink_lane_promise(&lane));
    sink_lane_write(&lane, root, run);
    sink_lane_release(&lane);
    root_release(root);
}

static inline void settle(void)
{
    ck_assert(sink_lane_wait(&lane, WAIT_MS));
}

#endif
