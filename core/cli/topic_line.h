/* SPDX-License-Identifier: MIT */
/*
 * A message as `weir topic cat` shows it: a line for people, a record line, or its value as it is.
 */
#ifndef CLI_TOPIC_LINE_H
#define CLI_TOPIC_LINE_H

#include "log/log.h"
#include "value/record_line.h"

/* Each appends to `out`, with the line break. */

/* 0@1048  2026-01-01T06:00:00.000Z  KEY  VALUE, and headers as in a record line where there are any. */
weir_status topic_line_human(const struct record_line *line, weir_buffer *out, struct error *error);
weir_status topic_line_record(const struct record_line *line, weir_buffer *out,
                              struct error *error);
weir_status topic_line_raw(const struct log_message *message, weir_buffer *out,
                           struct error *error);

#endif
