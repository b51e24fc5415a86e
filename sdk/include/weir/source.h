/* SPDX-License-Identifier: MIT */
/*
 * Kind "weir.source/1": brings records from outside. The host polls it on a thread of its own,
 * writes what it emits to the source's topic, and keeps its position with the checkpoint.
 */
#ifndef WEIR_SOURCE_H
#define WEIR_SOURCE_H

#include "host.h"

WEIR_BEGIN_C

#define WEIR_KIND_SOURCE "weir.source/1"

enum {
    WEIR_SOURCE_UNTIL_END = 1u /* end when there is nothing more, even where an option says wait */
};

/*
 * create, destroy  as in operator.h
 * open      [lane] position: what `position` wrote at the last checkpoint; size 0 at the first start.
 *           Called again after it has failed where the source says `on_start_failure: retry`
 * poll      [lane] emits up to max_records with weir_produce and returns WEIR_OK; WEIR_AGAIN after
 *           waiting at most timeout_ms for records that did not come; WEIR_END when there are no
 *           more. A record that cannot be read is reported with weir_reject, counts in max_records,
 *           and is not met again
 * position  [lane] appends what is needed to go on behind the last record emitted. Between polls
 * close     [lane] may be NULL; called only where open has succeeded. A fault ends the run with an error
 * describe  [lane] may be NULL: one line about where it stands ("nothing new in flights.jsonl"),
 *           appended for the summary
 */
typedef struct weir_source_vtable {
    uint32_t struct_size;
    uint32_t reserved;
    weir_status (*create)(const weir_host *host, const void *config, void **ret_self);
    void (*destroy)(void *self);
    weir_status (*open)(void *self, weir_context *ctx, weir_slice position, uint32_t flags);
    weir_status (*poll)(void *self, weir_context *ctx, uint32_t max_records, int64_t timeout_ms);
    weir_status (*position)(void *self, weir_context *ctx, weir_buffer *out);
    weir_status (*close)(void *self, weir_context *ctx);
    weir_status (*describe)(void *self, weir_context *ctx, weir_buffer *out);
} weir_source_vtable;

WEIR_END_C

#endif
