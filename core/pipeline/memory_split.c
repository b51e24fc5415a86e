/* SPDX-License-Identifier: MIT */
#include "pipeline/memory_split.h"

#include <string.h>

#include "pipeline/parts.h"

/* What works at all, and what each source and sink needs besides for one batch under way. */
#define LEAST_BYTES (UINT64_C(32) << 20)
#define LANE_BYTES  (UINT64_C(4) << 20)

static void count_lanes(const struct pipeline *pipeline, uint32_t *ret_sources, uint32_t *ret_sinks)
{
    const struct end *letters = pipeline->dead_letters;
    *ret_sinks += letters != NULL && letters->kind == END_SINK;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        *ret_sources += stream->source != NULL;
        for (size_t k = 0; k < stream->end_count; k++) {
            *ret_sinks += stream->ends[k].kind == END_SINK;
        }
    }
}

uint64_t memory_least(const struct pipeline *pipeline)
{
    uint32_t sources = 0;
    uint32_t sinks = 0;
    count_lanes(pipeline, &sources, &sinks);
    /* One of each is in the base. */
    uint64_t more = (sources > 1 ? sources - 1 : 0) + (sinks > 1 ? sinks - 1 : 0);
    return LEAST_BYTES + more * LANE_BYTES;
}

void memory_split(const struct pipeline *pipeline, struct memory_split *ret_split)
{
    uint64_t sixteenth = (uint64_t)pipeline->memory_bytes / 16;
    *ret_split = (struct memory_split){ .log_cache = sixteenth,
                                        .memtables = 2 * sixteenth,
                                        .chunks = sixteenth,
                                        .uncommitted = 2 * sixteenth,
                                        .batches = 4 * sixteenth,
                                        .sources = 2 * sixteenth };
    count_lanes(pipeline, &ret_split->source_count, &ret_split->sink_count);
}

void memory_check(struct resolver *resolver, struct place place)
{
    const struct pipeline *pipeline = resolver->pipeline;
    uint64_t least = memory_least(pipeline);
    if (pipeline->memory_bytes == 0) {
        return;
    }
    if ((uint64_t)pipeline->memory_bytes < least) {
        resolver_fault(resolver, place,
                       "'memory' is too little; the least with these sources and sinks is "
                       "%lluMiB",
                       (unsigned long long)(least >> 20));
    } else if (strcmp(pipeline->log_url, "memory") == 0) {
        resolver_warn(resolver, place,
                      "the log 'memory' keeps all that it gets, whatever is written here; use "
                      "local:DIR");
    }
}
