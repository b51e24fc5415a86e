/* SPDX-License-Identifier: MIT */
/*
 * The topics whose records come to a step. Behind a step that gives records another place those are the
 * ones of that step's own topic, whatever came in.
 */
#ifndef PIPELINE_ORIGINS_H
#define PIPELINE_ORIGINS_H

#include "pipeline/resolver.h"

/* One walk after the other through the streams. */
struct origins {
    struct resolver *resolver;
    bool *is_seen; /* by index of the stream */
    const struct stream **streams;
    size_t stream_count;
    struct topic *
        *topics; /* what the last walk has found, as it was met; one may stand there twice */
    size_t count;
};

/* False: no memory, which is noted in the diagnostics. */
bool origins_init(struct origins *origins, struct resolver *resolver);
/* step: its index, all of its inputs count; step_count: what the stream emits. */
void origins_find(struct origins *origins, const struct stream *stream, size_t step);

#endif
