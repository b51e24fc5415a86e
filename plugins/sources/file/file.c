/* SPDX-License-Identifier: MIT */
/*
 * Source `file`: the lines of one file as records, with a position that knows the file again.
 *
 * line_reader cuts lines, file_position tells whether the file is still the same one, file_follow and
 * file_record do with them what is wanted; here stand the plugin's life, its polls and its options.
 */
#include <stdio.h>
#include <string.h>

#include <weir/plugin.h>

#include "file_source.h"
#include "support/fault.h"
#include "support/message_line.h"

static weir_status validate(const void *config_data, weir_error_info *fault)
{
    const struct config *config = config_data;
    fault->message = source_csv_options_fault(config);
    if (fault->message == NULL && config->replay != NULL && config->replay->speed <= 0) {
        fault->message = "a replay cannot have the speed 0; give more, or leave 'replay' out to "
                         "read as fast as possible";
    }
    return fault->message == NULL ? WEIR_OK : WEIR_E_INVALID;
}

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    const weir_clock_api *clock = host->get_extension(host, WEIR_CLOCK);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || values == NULL || clock == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct source *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->host = host;
    self->clock = clock;
    self->expressions = expressions;
    self->config = config_data;
    self->values = values;
    self->fd = -1;
    const char *slash = strrchr(self->config->path.data, '/');
    self->name = slash == NULL ? self->config->path.data : slash + 1;
    uint32_t max_depth = self->config->content == CONTENT_RECORD ? MESSAGE_LINE_DEPTH : 0;
    line_reader_init(&self->reader, (size_t)self->config->max_line);
    *ret_self = self;
    return json_decoder_init(&self->decoder, host, max_depth);
}

static void destroy(void *data)
{
    struct source *self = data;
    source_close_file(self);
    line_reader_deinit(&self->reader);
    json_decoder_deinit(&self->decoder);
}

/* ---- polling ----------------------------------------------------------------------------------- */

static weir_status fail_went_on(const struct source *self, weir_context *ctx)
{
    return fault_call(ctx, WEIR_E_DATA, WEIR_CLASS_DATA,
                      "whoever writes the file must end each line with a line break; correct "
                      "the line and start with --fresh",
                      "'%s' line %llu goes on at byte %llu of the file, where it had ended without "
                      "a line break and been taken as a whole",
                      self->config->path.data, (unsigned long long)self->reader.lines,
                      (unsigned long long)self->reader.offset);
}

/* At the end of the file as it is now. */
static weir_status reach_end(struct source *self, weir_context *ctx)
{
    struct line line;
    if (self->is_following) {
        self->is_at_end = true;
        return ctx->cursor > 0 ? WEIR_OK : WEIR_AGAIN;
    }
    if (line_reader_last(&self->reader, &line)) {
        return source_take_line(self, ctx, &line);
    }
    return ctx->cursor > 0 ? WEIR_OK : WEIR_END;
}

/* Takes lines until there are enough records or no more lines. */
static weir_status read_lines(struct source *self, weir_context *ctx, uint32_t max_records)
{
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && ctx->cursor < max_records) {
        struct line line;
        switch (line_reader_next(&self->reader, &line)) {
        case LINE_READ:
            st = source_take_line(self, ctx, &line);
            break;
        case LINE_TOO_LONG:
            source_take_too_long(self, ctx, &line);
            break;
        case LINE_NONE:
            return reach_end(self, ctx);
        case LINE_PAUSE:
            return WEIR_OK;
        case LINE_WENT_ON:
            return fail_went_on(self, ctx);
        case LINE_FAILED:
            return fault_errno(ctx, "read", self->config->path.data);
        case LINE_NO_MEMORY:
            return WEIR_E_NOMEM;
        }
    }
    return st;
}

static weir_status poll_source(void *data, weir_context *ctx, uint32_t max_records,
                               int64_t timeout_ms)
{
    struct source *self = data;
    if (source_replay_wait(self, timeout_ms) == WEIR_AGAIN) {
        return WEIR_AGAIN;
    }
    if (self->fd < 0 || self->is_at_end) {
        weir_status st = source_wait(self, ctx, timeout_ms);
        if (st != WEIR_OK || ctx->cursor > 0) {
            return st;
        }
    }
    weir_status st = read_lines(self, ctx, max_records);
    return st == WEIR_AGAIN && ctx->cursor > 0 ? WEIR_OK : st;
}

static weir_status position(void *data, weir_context *ctx, weir_buffer *out)
{
    const struct source *self = data;
    (void)ctx;
    struct file_position position = line_reader_position(&self->reader);
    position.records = self->records;
    return file_position_write(&position, out);
}

static weir_status close_source(void *data, weir_context *ctx)
{
    (void)ctx;
    source_close_file(data);
    return WEIR_OK;
}

static weir_status describe(void *data, weir_context *ctx, weir_buffer *out)
{
    const struct source *self = data;
    (void)ctx;
    char text[512];
    unsigned long long lines = self->reader.lines;
    if (self->given == 0 && self->rejected == 0) {
        snprintf(text, sizeof text, "nothing new in '%s' (%llu line%s)", self->name, lines,
                 lines == 1 ? "" : "s");
    } else {
        snprintf(text, sizeof text, "%llu record%s from '%s' (%llu line%s)",
                 (unsigned long long)self->given, self->given == 1 ? "" : "s", self->name, lines,
                 lines == 1 ? "" : "s");
    }
    return weir_buffer_append(out, text, strlen(text));
}

/* ---- the table --------------------------------------------------------------------------------- */

static const char *const content_names[] = { "value", "text", "record", NULL };
static const char *const types_names[] = { "text", "infer", NULL };
static const char *const replaced_names[] = { "fail", "restart", NULL };

static const weir_option replay_fields[] = {
    { .name = "time",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED,
      .offset = offsetof(struct replay, time),
      .summary = "The time of a record",
      .doc = "Milliseconds since 1970 as an int, RFC 3339 as a text, or a timestamp. It becomes "
             "the record's timestamp, unless its line or `event_time` gives one." },
    { .name = "speed",
      .type = WEIR_OPTION_FLOAT,
      .offset = offsetof(struct replay, speed),
      .default_text = "1",
      .max = 1000000000,
      .summary = "How many times as fast as it was" },
    WEIR_OPTIONS_END
};

static const weir_option column_element = {
    .name = "column",
    .type = WEIR_OPTION_TEXT,
    .summary = "A column's name",
};

static const weir_option options[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      .offset = offsetof(struct config, path),
      .summary = "The file to read",
      .doc = "One file in UTF-8. Blank lines and a byte order mark at the start are skipped." },
    { .name = "follow",
      .type = WEIR_OPTION_BOOL,
      .offset = offsetof(struct config, follow),
      .default_text = "false",
      .summary = "Wait for more at the end of the file",
      .doc = "A file that is renamed away meanwhile is read to its end before the one that has "
             "taken its name. `run --until-end` ends the source at the end of the file all the "
             "same." },
    { .name = "format",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, format),
      .default_text = "jsonl",
      .enum_names = csv_format_names,
      .summary = "What the file holds",
      .doc = "`jsonl`: JSON, a value a line, or what `content` says. `csv`: a map a record, as RFC "
             "4180 has it: a field in quotes may hold delimiters, doubled quotes and line breaks. "
             "A record with more or fewer fields than there are columns is an error of that "
             "record." },
    { .name = "columns",
      .type = WEIR_OPTION_LIST,
      .offset = offsetof(struct config, columns),
      .element = &column_element,
      .max = 65536,
      .summary = "CSV: the names of the columns of a file without a header",
      .doc = "Without it the first record of the file gives the names. Names must differ." },
    CSV_DELIMITER_OPTION(offsetof(struct config, delimiter)),
    { .name = "types",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, types),
      .default_text = "text",
      .enum_names = types_names,
      .summary = "CSV: what kinds the values have",
      .doc = "`text`: all are texts, an empty field too, so a column never changes its kind; write "
             "`int(delay)`. `infer`, field by field: without quotes, what JSON has as a number is "
             "one (its digits are kept, `007` stays text), `true` and `false` are bools, and an "
             "empty field is null; all else, and everything in quotes, is text." },
    { .name = "content",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, content),
      .default_text = "value",
      .enum_names = content_names,
      .summary = "What a line holds",
      .doc = "`value`: the record's value as JSON, any kind of value. `text`: the value as plain "
             "text; a CR before the line break is dropped. `record`: a whole record as a JSON "
             "object with `value` and, where there is something to say, `key`, `timestamp`, "
             "`headers`, `topic`, `partition`, `offset`; the last three are not used." },
    { .name = "on_replaced",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, on_replaced),
      .default_text = "fail",
      .enum_names = replaced_names,
      .summary = "What to do when the file is not the one that was read before",
      .doc = "A file is known again by its size and by its bytes at the start and before the "
             "position. `fail`: stop and say so. `restart`: read the file from its start." },
    { .name = "max_line",
      .type = WEIR_OPTION_SIZE,
      .offset = offsetof(struct config, max_line),
      .default_text = "16MiB",
      .min = 1,
      .max = 1 << 30,
      .summary = "Bytes that a line, or a record of CSV, may have",
      .doc = "A longer line is an error of that record, and is passed over if `on_error` allows "
             "it." },
    { .name = "poll",
      .type = WEIR_OPTION_DURATION,
      .offset = offsetof(struct config, poll_ms),
      .default_text = "250ms",
      .min = 1,
      .max = 3600000,
      .summary = "How often a followed file is looked at" },
    { .name = "replay",
      .type = WEIR_OPTION_STRUCT,
      .offset = offsetof(struct config, replay),
      .fields = replay_fields,
      .fields_size = sizeof(struct replay),
      .summary = "Give the records at the pace of their times",
      .doc = "`replay: {time: ts, speed: 10}` gives what came in ten seconds within one. The first "
             "record of a run comes at once, each further one when its time has come since then; "
             "one that is earlier than those before it does not wait. A run that goes on begins "
             "with its own first record. A record whose time cannot be told is an error of that "
             "record." },
    WEIR_OPTIONS_END
};

static const weir_source_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = source_open,
    .poll = poll_source,
    .position = position,
    .close = close_source,
    .describe = describe,
};

static const weir_factory file_factory = {
    .struct_size = sizeof file_factory,
    .kind = WEIR_KIND_SOURCE,
    .name = "file",
    .summary = "Reads the lines of a file",
    .doc = "```yaml\nfrom: {file: flights.jsonl}\n```\n\n"
           "Each line, or record of CSV, becomes a record; what no step touches goes on byte for "
           "byte. A line that "
           "cannot be read is an error with file, line and byte, counted from 0 in the line; with "
           "`on_error: skip` it is passed over, and it is never met again.\n\n"
           "The position is kept with the checkpoint: the next run goes on where the last one "
           "stopped. A last line without line break is a record when the input ends; if the file "
           "later goes on in that same line, that is an error, since a part had been taken for a "
           "whole.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
};

static const weir_factory *const factories[] = { &file_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.source.file", .name = "file", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Reads the lines of a file",
            .factories = factories);
