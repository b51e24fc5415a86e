/* SPDX-License-Identifier: MIT */
#include "engine/sources/sources.h"

#include "engine/checkpoint/facts.h"
#include "engine/setup.h"

bool sources_init(struct engine *engine, struct error *error)
{
    size_t room = engine->pipeline->stream_count + 1;
    engine->sources = arena_zeroed(&engine->arena, room * sizeof *engine->sources);
    engine->source_meters = arena_zeroed(&engine->arena, room * sizeof *engine->source_meters);
    if (engine->sources == NULL || engine->source_meters == NULL) {
        error_no_memory(error);
        return false;
    }
    return true;
}

/* Into the place of that number. Also what was made by half is to be taken down. */
static bool make_lane(struct engine *engine, uint32_t index, const struct stream *stream,
                      const char *key, weir_slice position, struct error *error)
{
    struct source_lane_parts parts = {
        .pipeline = engine->pipeline,
        .gate = &engine->gate,
        .faults = &engine->faults,
        .letters = &engine->letters,
        .batch_size = batch_size(engine),
        .poll_bytes = engine->limits.poll,
        .pending_limit = engine->limits.source_pending,
        .is_until_end = engine->options->is_until_end,
        .times = engine->timing == NULL ? NULL : &engine->timing->sources[index],
    };
    return source_lane_init(&engine->sources[index], &parts, stream, key, position,
                            log_topic_of(engine, stream->source->topic),
                            &engine->source_meters[index], error);
}

bool sources_try(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    bool is_right = true;
    for (size_t i = 0; i < pipeline->stream_count && is_right && engine->source_count == 0; i++) {
        if (pipeline->streams[i]->source != NULL) {
            is_right =
                make_lane(engine, 0, pipeline->streams[i], NULL, (weir_slice){ NULL, 0 }, error);
            source_lane_deinit(&engine->sources[0]);
        }
    }
    return is_right;
}

static bool make_source(struct engine *engine, const struct stream *stream, struct error *error)
{
    struct fact_place place = { .kind = "source",
                                .name = stream->name,
                                .was = stream->source->plugin.was };
    const char *key = NULL;
    weir_slice position;
    if (!fact_take_over(engine, &place, &engine->arena, &key, &position, error)) {
        return false;
    }
    uint32_t index = engine->source_count++;
    gate_source_comes(&engine->gate);
    if (index == engine->watched_sources) {
        engine->watched_sources++;
        watch_add(&engine->watch, &engine->sources[index].watch);
    }
    return make_lane(engine, index, stream, key, position, error);
}

bool sources_make(struct engine *engine, struct error *error)
{
    const struct pipeline *pipeline = engine->pipeline;
    if (engine->source_count > 0) {
        return true;
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        if (stream->source != NULL && !make_source(engine, stream, error)) {
            return false;
        }
    }
    return true;
}

bool sources_start(struct engine *engine, struct error *error)
{
    for (uint32_t i = 0; i < engine->source_count; i++) {
        struct source_lane *lane = &engine->sources[i];
        if (!lane->was_started && !source_lane_start(lane, error)) {
            return false;
        }
    }
    return true;
}

void sources_end(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->source_count; i++) {
        atomic_store(&engine->sources[i].is_ending, true);
    }
}

bool sources_take_down(struct engine *engine, struct error *error)
{
    for (uint32_t i = 0; i < engine->source_count; i++) {
        struct source_lane *lane = &engine->sources[i];
        if (!source_lane_join(lane, engine->pipeline->shutdown_timeout_ms)) {
            error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_BUG,
                      "%s did not come to an end when another process took over; this is a defect "
                      "of the plugin",
                      lane->stream->source->plugin.label);
            return false;
        }
        if (!lane->was_started) {
            gate_source_ended(&engine->gate);
        }
    }
    while (engine->source_count > 0) {
        source_lane_deinit(&engine->sources[--engine->source_count]);
    }
    return true;
}
