/* SPDX-License-Identifier: MIT */
/* Lines of the input as records: checked by the topic's serializer, as they are, or record lines. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/topic_put.h"
#include "value/record_line.h"

enum { BATCH_BYTES = 1 << 20 };

weir_status put_line_fault(const struct put *put, uint64_t line, const char *message,
                           const char *hint, struct error *error)
{
    weir_status st = error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA, "%s:%" PRIu64 ": %s",
                               put->input.name, line, message);
    if (hint != NULL && hint[0] != '\0') {
        error_hint(error, "%s", hint);
    }
    return st;
}

weir_status put_check_lanes(const struct put *put, const struct put_batch *batch,
                            const struct codec *codec, struct error *error)
{
    if (codec->call.failure_count == 0) {
        return WEIR_OK;
    }
    const struct call_failure *failure = &codec->call.failures[0];
    return put_line_fault(put, batch->numbers[failure->index], failure->message, failure->hint,
                          error);
}

static bool is_blank(weir_slice line)
{
    for (uint64_t i = 0; i < line.size; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t') {
            return false;
        }
    }
    return true;
}

/* Cuts what editors add: a byte order mark at the start, a carriage return at the end of a line. */
static weir_slice trim_line(const struct put *put, weir_slice line)
{
    if (put->input.line == 1 && line.size >= 3 && memcmp(line.data, "\xef\xbb\xbf", 3) == 0) {
        line.data += 3;
        line.size -= 3;
    }
    if (line.size > 0 && line.data[line.size - 1] == '\r') {
        line.size--;
    }
    return line;
}

weir_status put_read_lines(struct put *put, struct put_batch *batch, struct error *error)
{
    uint64_t bytes = 0;
    batch->count = 0;
    arena_reset(&put->arena);
    while (batch->count < BATCH_LINES && bytes < BATCH_BYTES) {
        weir_slice line;
        weir_status st = line_input_next(&put->input, &put->arena, &line, error);
        if (st != WEIR_OK) {
            return st;
        }
        if (!put->is_raw) {
            line = trim_line(put, line);
            if (is_blank(line)) {
                continue;
            }
        }
        batch->numbers[batch->count] = put->input.line;
        batch->lines[batch->count] = line;
        batch->partitions[batch->count] = -1;
        batch->records[batch->count++] =
            (weir_record){ .timestamp = WEIR_NO_TIMESTAMP, .offset = WEIR_NO_OFFSET };
        bytes += line.size;
    }
    return WEIR_OK;
}

/* Values that nobody has decoded, for --key. */
static void take_raw(struct put_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const char *text = (const char *)batch->lines[i].data;
        uint32_t len = (uint32_t)batch->lines[i].size;
        bool is_text = utf8_valid_prefix(text, len) == len;
        batch->records[i].value =
            is_text ? weir_text_value(text, len) : weir_bytes_value(text, len);
        batch->values[i] = batch->lines[i];
    }
}

static weir_status decode_lines(struct put *put, struct put_batch *batch, struct codec *codec,
                                weir_value *values, struct error *error)
{
    weir_status st = codec_decode(codec, &put->arena, batch->lines, batch->count, values, error);
    return st == WEIR_OK ? put_check_lanes(put, batch, codec, error) : st;
}

static weir_status take_values(struct put *put, struct put_batch *batch, struct error *error)
{
    weir_value values[BATCH_LINES];
    weir_status st = decode_lines(put, batch, &put->value, values, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        batch->records[i].value = values[i];
        batch->values[i] = batch->lines[i];
    }
    return st;
}

static weir_status take_record(struct put *put, struct put_batch *batch, uint32_t i,
                               const weir_value *object, struct error *error)
{
    struct record_line line;
    struct error fault = { .status = WEIR_OK };
    weir_status st = record_line_read(object, &put->arena, &line, &fault);
    if (st != WEIR_OK) {
        return put_line_fault(put, batch->numbers[i], fault.message, fault.hint, error);
    }
    batch->records[i] = line.record;
    batch->partitions[i] = line.partition;
    if (line.partition >= (int64_t)put->use->log_topic->partitions) {
        struct error wrong = { .status = WEIR_OK };
        error_set(&wrong, WEIR_E_DATA, WEIR_CLASS_DATA,
                  "the topic '%s' has no partition %" PRId32 "; it has %" PRIu32, put->use->name,
                  line.partition, put->use->log_topic->partitions);
        return put_line_fault(put, batch->numbers[i], wrong.message, NULL, error);
    }
    return WEIR_OK;
}

static weir_status take_records(struct put *put, struct put_batch *batch, struct error *error)
{
    weir_value objects[BATCH_LINES];
    weir_status st = decode_lines(put, batch, &put->line, objects, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        st = take_record(put, batch, i, &objects[i], error);
    }
    return st;
}

weir_status put_read_records(struct put *put, struct put_batch *batch, struct error *error)
{
    if (put->is_record) {
        return take_records(put, batch, error);
    }
    if (!put->is_raw) {
        return take_values(put, batch, error);
    }
    take_raw(batch);
    return WEIR_OK;
}
