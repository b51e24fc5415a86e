/* SPDX-License-Identifier: MIT */
/*
 * Source `file`: the lines of one file as records, with a position that knows the file again.
 *
 * line_reader cuts lines, file_position tells whether the file is still the same one; here stand the
 * plugin's life, what becomes of a line, and following a file that grows or is renamed away.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <weir/plugin.h>
#include <weir/source.h>

#include "line_reader.h"
#include "support/code_point.h"
#include "support/fault.h"
#include "support/json_decode.h"
#include "support/message_line.h"

enum { CONTENT_VALUE, CONTENT_TEXT, CONTENT_RECORD };
enum { REPLACED_FAIL, REPLACED_RESTART };

struct config {
    weir_text path;
    int64_t content;
    int64_t on_replaced;
    int64_t max_line;
    int64_t poll_ms;
    uint8_t follow;
};

/*
 * fd           -1: the file is gone and may come again
 * records      that the file has given since its start; `given`, `rejected`: since open
 * is_at_end    everything has been read: before more is, the file must be looked at
 * is_renamed   another file has taken the name, or none: this one is read to its end
 * is_gone      no file has the name
 */
struct source {
    const struct config *config;
    const weir_values_api *values;
    const char *name; /* the path's last part, for the summary */
    struct json_decoder decoder;
    struct line_reader reader;
    int fd;
    uint64_t records;
    uint64_t given;
    uint64_t rejected;
    bool is_following;
    bool is_at_end;
    bool is_renamed;
    bool is_gone;
};

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    if (memory == NULL || values == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct source *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->config = config_data;
    self->values = values;
    self->fd = -1;
    const char *slash = strrchr(self->config->path.data, '/');
    self->name = slash == NULL ? self->config->path.data : slash + 1;
    json_decoder_init(&self->decoder, host, 0);
    line_reader_init(&self->reader, (size_t)self->config->max_line);
    *ret_self = self;
    return WEIR_OK;
}

static void close_file(struct source *self)
{
    if (self->fd >= 0) {
        close(self->fd);
        self->fd = -1;
    }
}

static void destroy(void *data)
{
    struct source *self = data;
    close_file(self);
    line_reader_deinit(&self->reader);
    json_decoder_deinit(&self->decoder);
}

/* ---- faults of the file as a whole ------------------------------------------------------------- */

/* file_bytes < 0: there is no file. */
static weir_status fail_replaced(const struct source *self, weir_context *ctx, uint64_t read_bytes,
                                 int64_t file_bytes)
{
    const char *path = self->config->path.data;
    const char *hint =
        "set 'on_replaced: restart' to read it from its start, or start with --fresh";
    unsigned long long read = read_bytes;
    if (file_bytes < 0) {
        return fault_call(ctx, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, hint,
                          "file '%s' is gone, of which %llu bytes had been read", path, read);
    }
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, hint,
                      "file '%s' has been replaced: %llu bytes had been read, it now has %lld and "
                      "they are others",
                      path, read, (long long)file_bytes);
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* Opens the file by its name; *ret_fd -1 where there is none. */
static weir_status open_by_name(const struct source *self, weir_context *ctx, int *ret_fd,
                                uint64_t *ret_bytes)
{
    const char *path = self->config->path.data;
    struct stat info;
    *ret_fd = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return errno == ENOENT ? WEIR_OK : fault_errno(ctx, "open", path);
    }
    if (fstat(fd, &info) != 0) {
        weir_status st = fault_errno(ctx, "look at", path);
        close(fd);
        return st;
    }
    if (!S_ISREG(info.st_mode)) {
        close(fd);
        return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "give the path of a plain file",
                          "'%s' is %s, not a file", path,
                          S_ISDIR(info.st_mode) ? "a folder" : "a device or a pipe");
    }
    *ret_fd = fd;
    *ret_bytes = (uint64_t)info.st_size;
    return WEIR_OK;
}

static void start_over(struct source *self, int fd)
{
    self->fd = fd;
    self->records = 0;
    line_reader_restart(&self->reader, fd);
}

/* Goes on in a freshly opened file behind the position, if it is the same one. Takes the fd. */
static weir_status take_up(struct source *self, weir_context *ctx,
                           const struct file_position *position, int fd, uint64_t bytes)
{
    char head[POSITION_EDGE];
    char tail[POSITION_EDGE];
    self->fd = fd;
    switch (file_position_compare(position, fd, bytes, head, tail)) {
    case FILE_UNREADABLE:
        return fault_errno(ctx, "read", self->config->path.data);
    case FILE_REPLACED:
        if (self->config->on_replaced == REPLACED_FAIL) {
            return fail_replaced(self, ctx, position->bytes, (int64_t)bytes);
        }
        start_over(self, fd);
        return WEIR_OK;
    default:
        self->records = position->records;
        return line_reader_resume(&self->reader, fd, position, head, tail,
                                  file_position_edge(position->bytes))
                   ? WEIR_OK
                   : WEIR_E_NOMEM;
    }
}

static weir_status open_missing(struct source *self, weir_context *ctx,
                                const struct file_position *position)
{
    bool may_wait =
        position != NULL && self->is_following && self->config->on_replaced == REPLACED_RESTART;
    if (may_wait) {
        start_over(self, -1);
        return WEIR_OK;
    }
    if (position != NULL && self->config->on_replaced == REPLACED_FAIL) {
        return fail_replaced(self, ctx, position->bytes, -1);
    }
    errno = ENOENT;
    return fault_errno(ctx, "open", self->config->path.data);
}

static weir_status open_source(void *data, weir_context *ctx, weir_slice position_bytes,
                               uint32_t flags)
{
    struct source *self = data;
    struct file_position position = { 0 };
    bool has_position = position_bytes.size > 0;
    if (has_position && !file_position_read(position_bytes, &position)) {
        return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                          "start with --fresh, or with the version of weir that stored it",
                          "cannot read the stored position in '%s'", self->config->path.data);
    }
    close_file(self);
    self->is_following = self->config->follow && (flags & WEIR_SOURCE_UNTIL_END) == 0;
    self->is_at_end = false;
    self->is_renamed = false;
    self->given = 0;
    self->rejected = 0;
    int fd;
    uint64_t bytes;
    weir_status st = open_by_name(self, ctx, &fd, &bytes);
    if (st != WEIR_OK) {
        return st;
    }
    if (fd < 0) {
        return open_missing(self, ctx, has_position ? &position : NULL);
    }
    if (has_position) {
        return take_up(self, ctx, &position, fd, bytes);
    }
    start_over(self, fd);
    return WEIR_OK;
}

/* ---- one line ---------------------------------------------------------------------------------- */

/* Rejects line number `line` of the file. */
static void reject(struct source *self, weir_context *ctx, uint64_t line, uint64_t byte,
                   const char *why)
{
    self->rejected++;
    weir_reject(ctx, "'%s' line %llu, byte %llu: %s", self->config->path.data,
                (unsigned long long)line, (unsigned long long)byte, why);
}

/* WEIR_E_DATA: the line has been rejected. */
static weir_status read_text(struct source *self, weir_context *ctx, weir_slice line,
                             weir_record *record)
{
    const char *text = (const char *)line.data;
    size_t size = line.size > 0 && text[line.size - 1] == '\r' ? line.size - 1 : line.size;
    size_t valid = code_point_valid_prefix(text, size);
    if (valid < size) {
        reject(self, ctx, self->reader.lines, valid, "the line is not UTF-8");
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
        reject(self, ctx, self->reader.lines, fault.byte, fault.message);
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
        reject(self, ctx, self->reader.lines, 0, fault.message);
    }
    record->offset = WEIR_NO_OFFSET;
    return st;
}

/* Emits or rejects the record of a line; a blank line has none. */
static weir_status take_line(struct source *self, weir_context *ctx, const struct line *line)
{
    if (line_is_blank(line)) {
        return WEIR_OK;
    }
    weir_record *record = weir_alloc(ctx, sizeof *record);
    char *copy = weir_alloc(ctx, line->size);
    if (record == NULL || copy == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(copy, line->text, line->size);
    memset(record, 0, sizeof *record);
    record->timestamp = WEIR_NO_TIMESTAMP;
    record->offset = WEIR_NO_OFFSET;
    weir_slice bytes = { (const uint8_t *)copy, line->size };
    static weir_status (*const readers[])(struct source *, weir_context *, weir_slice,
                                          weir_record *) = {
        [CONTENT_VALUE] = read_json,
        [CONTENT_TEXT] = read_text,
        [CONTENT_RECORD] = read_message,
    };
    weir_status st = readers[self->config->content](self, ctx, bytes, record);
    if (st == WEIR_OK) {
        self->records++;
        self->given++;
        st = weir_produce(ctx, record);
    }
    return st == WEIR_E_DATA ? WEIR_OK : st;
}

static void take_too_long(struct source *self, weir_context *ctx)
{
    uint64_t line = self->reader.lines + self->reader.is_skipping; /* counted at its line break */
    char why[96];
    snprintf(why, sizeof why, "the line is longer than %lld bytes; see option 'max_line'",
             (long long)self->config->max_line);
    reject(self, ctx, line, (uint64_t)self->config->max_line, why);
}

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

/* ---- following --------------------------------------------------------------------------------- */

/* Is the name still that of the open file? *ret_is_gone: it is nobody's. */
static bool has_name(const struct source *self, const struct stat *open_file, bool *ret_is_gone)
{
    struct stat named;
    *ret_is_gone = stat(self->config->path.data, &named) != 0;
    return !*ret_is_gone && named.st_dev == open_file->st_dev && named.st_ino == open_file->st_ino;
}

/* The file under the name takes the place of the one that has been read to its end. */
static weir_status change_file(struct source *self, weir_context *ctx)
{
    struct file_position position = line_reader_position(&self->reader);
    int fd;
    uint64_t bytes;
    position.records = self->records;
    weir_status st = open_by_name(self, ctx, &fd, &bytes);
    if (st != WEIR_OK) {
        return st;
    }
    if (fd < 0) {
        return self->config->on_replaced == REPLACED_FAIL
                   ? fail_replaced(self, ctx, position.bytes, -1)
                   : WEIR_AGAIN;
    }
    close_file(self);
    self->is_renamed = false;
    self->is_at_end = false;
    return take_up(self, ctx, &position, fd, bytes);
}

/*
 * At the end of the open file: WEIR_OK where there may be more to read, WEIR_AGAIN where there is
 * nothing new.
 */
static weir_status look_at_open(struct source *self, weir_context *ctx)
{
    struct stat info;
    if (fstat(self->fd, &info) != 0) {
        return fault_errno(ctx, "look at", self->config->path.data);
    }
    bool is_renamed = !has_name(self, &info, &self->is_gone);
    if (is_renamed && !self->is_renamed) {
        self->is_renamed = true; /* what was written until then is read first */
        self->is_at_end = false;
        return WEIR_OK;
    }
    if ((uint64_t)info.st_size == line_reader_reach(&self->reader)) {
        return WEIR_AGAIN;
    }
    struct file_position position = line_reader_position(&self->reader);
    position.records = self->records;
    line_reader_rewind(&self->reader);
    self->is_at_end = false;
    return take_up(self, ctx, &position, self->fd, (uint64_t)info.st_size);
}

/*
 * Reads a renamed file's last line, then goes over to the file that has its name now. Until there is
 * one, its writer may not have left the old one.
 */
static weir_status leave_renamed(struct source *self, weir_context *ctx)
{
    struct line line;
    if (self->is_gone && self->config->on_replaced == REPLACED_RESTART) {
        return WEIR_AGAIN;
    }
    if (line_reader_last(&self->reader, &line)) {
        return take_line(self, ctx, &line);
    }
    return change_file(self, ctx);
}

static weir_status look(struct source *self, weir_context *ctx)
{
    if (self->fd < 0) {
        int fd;
        uint64_t bytes;
        weir_status st = open_by_name(self, ctx, &fd, &bytes);
        if (st != WEIR_OK || fd < 0) {
            return st != WEIR_OK ? st : WEIR_AGAIN;
        }
        start_over(self, fd);
        return WEIR_OK;
    }
    weir_status st = look_at_open(self, ctx);
    return st == WEIR_AGAIN && self->is_renamed ? leave_renamed(self, ctx) : st;
}

static void sleep_ms(int64_t ms)
{
    struct timespec time = { .tv_sec = (time_t)(ms / 1000),
                             .tv_nsec = (long)(ms % 1000) * 1000000 };
    nanosleep(&time, NULL); /* a signal ends it early: the caller looks again */
}

/* Waits until the file has more, at most timeout_ms. */
static weir_status wait_for_more(struct source *self, weir_context *ctx, int64_t timeout_ms)
{
    int64_t step_ms = self->config->poll_ms > 0 ? self->config->poll_ms : 1;
    for (;;) {
        weir_status st = look(self, ctx);
        if (st != WEIR_AGAIN || timeout_ms <= 0) {
            return st;
        }
        int64_t pause_ms = step_ms < timeout_ms ? step_ms : timeout_ms;
        sleep_ms(pause_ms);
        timeout_ms -= pause_ms;
    }
}

/* ---- polling ----------------------------------------------------------------------------------- */

/* At the end of the file as it is now. */
static weir_status reach_end(struct source *self, weir_context *ctx)
{
    struct line line;
    if (self->is_following) {
        self->is_at_end = true;
        return ctx->cursor > 0 ? WEIR_OK : WEIR_AGAIN;
    }
    if (line_reader_last(&self->reader, &line)) {
        return take_line(self, ctx, &line);
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
            st = take_line(self, ctx, &line);
            break;
        case LINE_TOO_LONG:
            take_too_long(self, ctx);
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
    if (self->fd < 0 || self->is_at_end) {
        weir_status st = wait_for_more(self, ctx, timeout_ms);
        if (st != WEIR_OK || ctx->cursor > 0) {
            return st;
        }
    }
    return read_lines(self, ctx, max_records);
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
    close_file(data);
    return WEIR_OK;
}

static weir_status describe(void *data, weir_context *ctx, weir_buffer *out)
{
    const struct source *self = data;
    (void)ctx;
    char text[512];
    unsigned long long lines = self->reader.lines;
    if (self->given == 0 && self->rejected == 0) {
        snprintf(text, sizeof text, "nothing new in '%s' (%llu lines)", self->name, lines);
    } else {
        snprintf(text, sizeof text, "%llu record%s from '%s' (%llu lines)",
                 (unsigned long long)self->given, self->given == 1 ? "" : "s", self->name, lines);
    }
    return weir_buffer_append(out, text, strlen(text));
}

/* ---- the table --------------------------------------------------------------------------------- */

static const char *const content_names[] = { "value", "text", "record", NULL };
static const char *const replaced_names[] = { "fail", "restart", NULL };

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
      .summary = "Bytes that a line may have",
      .doc = "A longer line is an error of that record, and is passed over if `on_error` allows "
             "it." },
    { .name = "poll",
      .type = WEIR_OPTION_DURATION,
      .offset = offsetof(struct config, poll_ms),
      .default_text = "250ms",
      .min = 1,
      .max = 3600000,
      .summary = "How often a followed file is looked at" },
    WEIR_OPTIONS_END
};

static const weir_source_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = open_source,
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
           "Each line becomes a record; what no step touches goes on byte for byte. A line that "
           "cannot be read is an error with file, line and byte, counted from 0 in the line; with "
           "`on_error: skip` it is passed over, and it is never met again.\n\n"
           "The position is kept with the checkpoint: the next run goes on where the last one "
           "stopped. A last line without line break is a record when the input ends; if the file "
           "later goes on in that same line, that is an error, since a part had been taken for a "
           "whole.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &file_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.source.file", .name = "file", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Reads the lines of a file",
            .factories = factories);
