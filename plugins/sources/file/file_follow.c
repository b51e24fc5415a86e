/* SPDX-License-Identifier: MIT */
/*
 * Which file is read: opening it at a position, looking for more at its end, going over to the one
 * that has taken its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file_source.h"
#include "support/fault.h"

void source_close_file(struct source *self)
{
    if (self->fd >= 0) {
        close(self->fd);
        self->fd = -1;
    }
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
    source_csv_forget_names(self);
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
                   ? source_csv_read_header(self, ctx)
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

weir_status source_open(void *data, weir_context *ctx, weir_slice position_bytes, uint32_t flags)
{
    struct source *self = data;
    struct file_position position = { 0 };
    bool has_position = position_bytes.size > 0;
    if (has_position && !file_position_read(position_bytes, &position)) {
        return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                          "start with --fresh, or with the version of weir that stored it",
                          "cannot read the stored position in '%s'", self->config->path.data);
    }
    source_close_file(self);
    self->is_following = self->config->follow && (flags & WEIR_SOURCE_UNTIL_END) == 0;
    self->is_at_end = false;
    self->is_renamed = false;
    self->given = 0;
    self->rejected = 0;
    int fd = -1;
    uint64_t bytes = 0;
    source_replay_open(self);
    weir_status st = source_csv_open(self, ctx);
    if (st == WEIR_OK) {
        st = open_by_name(self, ctx, &fd, &bytes);
    }
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
    source_close_file(self);
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
        return source_take_line(self, ctx, &line);
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

weir_status source_wait(struct source *self, weir_context *ctx, int64_t timeout_ms)
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
