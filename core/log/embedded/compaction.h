/* SPDX-License-Identifier: MIT */
/* The inside of compaction: a pass over a partition, and rewriting its chunks. */
#ifndef LOG_COMPACTION_H
#define LOG_COMPACTION_H

#include "log/embedded/committed.h"
#include "log/embedded/key_table.h"

enum { COMPACTION_PIECE = 16 /* chunks of one step */ };

/*
 * The pass under way; there is one at a time.
 *
 * dirty_end  the chunks before it are compacted
 * position   of the next chunk
 * limit      tombstones behind it have not been read by everybody
 * horizon_ms the first of the tombstones that stay; 0: none do
 */
struct compaction {
    struct topic *topic;
    uint32_t partition;
    int64_t dirty_end;
    int64_t position;
    bool is_mapped;
    int64_t limit;
    int64_t horizon_ms;
    struct key_table table;
};

/* Leaves of these chunks what stays, in one write; goes on with the pass behind them. */
weir_status compaction_thin(struct compaction *pass, const struct chunk_about *chunks, size_t count,
                            int64_t now_ms, struct error *error);

#endif
