/* SPDX-License-Identifier: MIT */
/*
 * The record line: a message as one JSON object, for golden tests,
 * `topic cat --json`, `topic put --json`, `content: record`.
 */
#ifndef VALUE_RECORD_LINE_H
#define VALUE_RECORD_LINE_H

#include <weir/record.h>

#include "base/error.h"

/*
 * topic_len 0, partition < 0, offset < 0, timestamp WEIR_NO_TIMESTAMP: that member is left out
 */
struct record_line {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
    weir_record record;
};

/* Appends the line, without line break. */
weir_status record_line_write(const struct record_line *line, weir_buffer *out,
                              struct error *error);
/* Appends what stands there behind "headers": [["name","text"],...]. *ret_fault: why they cannot be written */
weir_status record_line_headers(const weir_record *record, weir_buffer *out,
                                const char **ret_fault);
/* Takes a decoded JSON object apart; values stay where they are. Memory for headers: arena. */
struct arena;
weir_status record_line_read(const weir_value *object, struct arena *arena, struct record_line *ret,
                             struct error *error);

#endif
