/* SPDX-License-Identifier: MIT */
/*
 * The record line, `content: record` of sources and sinks: a message as one JSON object with the
 * members topic, partition, offset, timestamp, key, value, headers. Only `value` is required. Bytes
 * are {"$bytes": "<base64>"}; headers are [["name", "text"], ...].
 */
#ifndef SUPPORT_MESSAGE_LINE_H
#define SUPPORT_MESSAGE_LINE_H

#include <weir/host.h>

/*
 * Levels of nesting that a record line may have: what message_line_write writes of a value with 254, the
 * line itself, and the map that stands for bytes.
 */
enum { MESSAGE_LINE_DEPTH = 256 };

struct message_fault {
    char message[256];
};

/* Appends the line without a line break. WEIR_E_DATA: nothing was appended, `ret_fault` is set. */
weir_status message_line_write(const weir_values_api *values, const weir_record *record,
                               const weir_origin *origin, weir_buffer *out,
                               struct message_fault *ret_fault);

/*
 * A record from a decoded line; its values stay where they are, headers and bytes go into the memory
 * of the batch. topic and partition are checked and forgotten.
 *
 * source   the line; its text tells whether it holds tagged bytes at all
 * Returns  WEIR_OK; WEIR_E_DATA with `ret_fault` set; WEIR_E_NOMEM
 */
weir_status message_line_read(weir_context *ctx, const weir_values_api *values,
                              const weir_value *object, weir_slice source, weir_record *ret_record,
                              struct message_fault *ret_fault);

#endif
