/* SPDX-License-Identifier: MIT */
/*
 * One line as a record. Its bytes are copied into the memory of the batch once; the value points
 * there.
 */
#include <string.h>

#include "file_source.h"
#include "support/code_point.h"
#include "support/message_line.h"

/* Bytes of a line that is too long which are handed in. */
enum { BEGINNING = 4096 };

/* Rejects line number `line` of the file. bytes: of the line. */
static void reject(struct source *self, weir_context *ctx, uint64_t line, weir_slice bytes,
                   uint64_t byte, const char *why)
{
    self->rejected++;
    weir_reject_input(ctx, bytes.data, bytes.size, "'%s' line %llu, byte %llu: %s",
                      self->config->path.data, (unsigned long long)line, (unsigned long long)byte,
                      why);
}

/* WEIR_E_DATA: the line has been rejected. */
static weir_status read_text(struct source *self, weir_context *ctx, weir_slice line,
                             weir_record *record)
{
    const char *text = (const char *)line.data;
    size_t size = line.size > 0 && text[line.size - 1] == '\r' ? line.size - 1 : line.size;
    size_t valid = code_point_valid_prefix(text, size);
    if (valid < size) {
        reject(self, ctx, self->reader.lines, line, valid, "the line is not UTF-8");
        return WEIR_E_DATA;
    }
    record->value = weir_text_value(text, (uint32_t)size);
    return WEIR_OK;
}

static weir_status read_json(struct source *self, weir_context *ctx, weir_slice line,
                             weir_record *record)
{
    struct json_fault fault;
    weir_status st = json_decode(&self->decoder, ctx, line, &record->value, &fault);
    if (st == WEIR_E_DATA) {
        reject(self, ctx, self->reader.lines, line, fault.byte, fault.message);
    }
    return st;
}

static weir_status read_message(struct source *self, weir_context *ctx, weir_slice line,
                                weir_record *record)
{
    weir_status st = read_json(self, ctx, line, record);
    if (st != WEIR_OK) {
        return st;
    }
    struct message_fault fault;
    weir_value object = record->value;
    st = message_line_read(ctx, self->values, &object, line, record, &fault);
    if (st == WEIR_E_DATA) {
        reject(self, ctx, self->reader.lines, line, 0, fault.message);
    }
    record->offset = WEIR_NO_OFFSET;
    return st;
}

/* The line as JSON or text, in the memory of the batch. */
static weir_status read_line(struct source *self, weir_context *ctx, const struct line *line,
                             weir_record *record)
{
    static weir_status (*const readers[])(struct source *, weir_context *, weir_slice,
                                          weir_record *) = {
        [CONTENT_VALUE] = read_json,
        [CONTENT_TEXT] = read_text,
        [CONTENT_RECORD] = read_message,
    };
    char *copy = weir_alloc(ctx, line->size);
    if (copy == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(copy, line->text, line->size);
    weir_slice bytes = { (const uint8_t *)copy, line->size };
    return readers[self->config->content](self, ctx, bytes, record);
}

weir_status source_take_line(struct source *self, weir_context *ctx, const struct line *line)
{
    if (line_is_blank(line, self->reader.delimiter)) {
        return WEIR_OK;
    }
    weir_record *record = weir_alloc(ctx, sizeof *record);
    if (record == NULL) {
        return WEIR_E_NOMEM;
    }
    memset(record, 0, sizeof *record);
    record->timestamp = WEIR_NO_TIMESTAMP;
    record->offset = WEIR_NO_OFFSET;
    weir_status st = self->config->format == FORMAT_CSV ? source_csv_take(self, ctx, line, record)
                                                        : read_line(self, ctx, line, record);
    if (st == WEIR_OK && self->config->replay != NULL) {
        st = source_replay_hold(self, ctx, line, record);
    }
    if (st == WEIR_OK) {
        self->records++;
        self->given++;
        st = weir_produce(ctx, record);
    }
    return st == WEIR_E_DATA ? WEIR_OK : st;
}

void source_take_too_long(struct source *self, weir_context *ctx, const struct line *line)
{
    size_t size = line->size < BEGINNING ? line->size : BEGINNING;
    weir_slice beginning = { (const uint8_t *)line->text, size };
    long long most = (long long)self->config->max_line;
    self->rejected++;
    weir_reject_beginning(ctx, beginning, line->is_whole ? line->size : UINT64_MAX,
                          "'%s' line %llu, byte %lld: the line is longer than %lld bytes; see "
                          "option 'max_line'",
                          self->config->path.data, (unsigned long long)line->number, most, most);
}
