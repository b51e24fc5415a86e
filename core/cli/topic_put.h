/* SPDX-License-Identifier: MIT */
/*
 * What the parts of `weir topic put` share: topic_put.c is the command, topic_put_lines.c makes records of
 * lines, topic_put_messages.c messages of records.
 */
#ifndef CLI_TOPIC_PUT_H
#define CLI_TOPIC_PUT_H

#include "base/buffer.h"
#include "cli/codec.h"
#include "cli/line_input.h"
#include "cli/topic_use.h"

enum { BATCH_LINES = 500 };

/*
 * One call of the command.
 *
 * line       decodes record lines
 * arena      of one batch
 * is_record  --json: lines are record lines
 * needs_key  the topic is compacted, as far as it is known
 */
struct put {
    struct topic_use *use;
    struct codec key;
    struct codec value;
    struct codec line;
    const weir_expression *key_expression;
    struct arena arena;
    struct line_input input;
    weir_buffer key_bytes;
    weir_buffer value_bytes;
    uint64_t appended;
    uint64_t committed;
    bool is_raw;
    bool is_record;
    bool needs_key;
};

/* Lines on their way to messages. */
struct put_batch {
    uint32_t count;
    uint64_t numbers[BATCH_LINES]; /* of lines */
    weir_slice lines[BATCH_LINES];
    weir_record records[BATCH_LINES];
    int32_t partitions[BATCH_LINES]; /* wanted; -1: the key decides */
    weir_slice keys[BATCH_LINES];
    weir_slice values[BATCH_LINES];
};

/* "FILE:LINE: FAULT". Returns a negative status. */
weir_status put_line_fault(const struct put *put, uint64_t line, const char *message,
                           const char *hint, struct error *error);
/* The first lane that a serializer has refused. */
weir_status put_check_lanes(const struct put *put, const struct put_batch *batch,
                            const struct codec *codec, struct error *error);

/* The next lines. WEIR_END: there are no more; the batch may hold some nevertheless. */
weir_status put_read_lines(struct put *put, struct put_batch *batch, struct error *error);
/* What the lines are; values that go out as they came are kept so. */
weir_status put_read_records(struct put *put, struct put_batch *batch, struct error *error);
/* Encodes what is no payload yet, and appends all. */
weir_status put_append(struct put *put, struct put_batch *batch, struct error *error);

#endif
