/* SPDX-License-Identifier: MIT */
/*
 * Records and batches, layout version 1. Immutable, shared by every branch.
 */
#ifndef WEIR_RECORD_H
#define WEIR_RECORD_H

#include "value.h"

WEIR_BEGIN_C

/* timestamp of a record that has none yet: the host puts the time of reading. */
#define WEIR_NO_TIMESTAMP INT64_MIN
/* offset of a record that is not from a log. */
#define WEIR_NO_OFFSET (-1)

/*
 * timestamp     event time, ms since 1970 UTC
 * offset        of the input message, whatever has become of the record since
 * headers       header_count members; names may repeat; values are bytes, text or null
 */
typedef struct weir_record {
    int64_t timestamp;
    int64_t offset;
    weir_value key;
    weir_value value;
    const weir_member *headers;
    uint32_t header_count;
    uint32_t flags; /* none yet: 0 */
} weir_record;

/*
 * A record's place in a batch: what differs between the branches that share the record.
 *
 * ordinal  the record's number at the last branch point; set by the host, inherited by what a step
 *          emits
 * input    index of the input port that it arrived at
 * origin   index into the batch's table of origins
 */
typedef struct weir_entry {
    const weir_record *record;
    uint32_t ordinal;
    uint16_t input;
    uint16_t origin;
} weir_entry;

/* Topic and partition that input messages came from. topic: UTF-8, topic_len bytes. */
typedef struct weir_origin {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
} weir_origin;

/*
 * Records that are handed over together. How many there are is the host's choice, from 1 up:
 * results must never depend on it.
 */
typedef struct weir_batch {
    uint32_t struct_size;
    uint32_t count;
    const weir_entry *entries;
    const weir_origin *origins;
    uint32_t origin_count;
    uint32_t reserved;
} weir_batch;

WEIR_END_C

#endif
