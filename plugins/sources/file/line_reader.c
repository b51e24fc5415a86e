/* SPDX-License-Identifier: MIT */
#include "line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_ROOM = 256 << 10, READS_WITHOUT_PAUSE = 64 };

bool line_is_blank(const struct line *line, char delimiter)
{
    size_t i = 0;
    while (i < line->size && line->text[i] != delimiter &&
           memchr(" \t\r", line->text[i], 3) != NULL) {
        i++;
    }
    return i == line->size;
}

void line_reader_init(struct line_reader *reader, size_t max_line)
{
    memset(reader, 0, sizeof *reader);
    reader->fd = -1;
    reader->max_line = max_line;
}

void line_reader_deinit(struct line_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
    reader->room = 0;
}

void line_reader_restart(struct line_reader *reader, int fd)
{
    reader->fd = fd;
    reader->begin = 0;
    reader->end = 0;
    reader->scanned = 0;
    reader->offset = 0;
    reader->lines = 0;
    reader->is_skipping = false;
    reader->is_open = false;
    reader->state = CSV_START;
}

static bool resize(struct line_reader *reader, size_t room)
{
    char *buffer = realloc(reader->buffer, room);
    if (buffer == NULL) {
        return false;
    }
    reader->buffer = buffer;
    reader->room = room;
    return true;
}

bool line_reader_resume(struct line_reader *reader, int fd, const struct file_position *position,
                        const char *head, const char *tail, size_t edge)
{
    if (reader->room < FIRST_ROOM && !resize(reader, FIRST_ROOM)) {
        return false;
    }
    line_reader_restart(reader, fd);
    memcpy(reader->head, head, edge);
    memcpy(reader->buffer, tail, edge);
    reader->begin = edge;
    reader->end = edge;
    reader->offset = position->bytes;
    reader->lines = position->lines;
    reader->is_skipping = (position->flags & POSITION_IN_LONG_LINE) != 0;
    reader->is_open = (position->flags & POSITION_OPEN_LINE) != 0;
    reader->state = (enum csv_state)(position->flags >> POSITION_STATE_SHIFT & POSITION_STATE_MASK);
    return true;
}

/* ---- filling the buffer ------------------------------------------------------------------------ */

/* Makes room behind `end`; keeps what the position's hash needs before `begin`. */
static bool make_room(struct line_reader *reader)
{
    if (reader->end < reader->room) {
        return true;
    }
    if (reader->begin > POSITION_EDGE) {
        size_t drop = reader->begin - POSITION_EDGE;
        memmove(reader->buffer, reader->buffer + drop, reader->end - drop);
        reader->begin -= drop;
        reader->end -= drop;
        if (reader->end < reader->room / 2) {
            return true;
        }
    }
    return resize(reader, reader->room == 0 ? FIRST_ROOM : reader->room * 2);
}

static void keep_head(struct line_reader *reader, uint64_t at, const char *bytes, size_t size)
{
    if (at < POSITION_EDGE) {
        size_t room = POSITION_EDGE - (size_t)at;
        memcpy(reader->head + at, bytes, size < room ? size : room);
    }
}

/* LINE_READ: there is more in the buffer. */
static enum line_status fill(struct line_reader *reader)
{
    if (!make_room(reader)) {
        return LINE_NO_MEMORY;
    }
    uint64_t at = line_reader_reach(reader);
    ssize_t got;
    do {
        got =
            pread(reader->fd, reader->buffer + reader->end, reader->room - reader->end, (off_t)at);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return LINE_FAILED;
    }
    keep_head(reader, at, reader->buffer + reader->end, (size_t)got);
    reader->end += (size_t)got;
    return got == 0 ? LINE_NONE : LINE_READ;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void advance(struct line_reader *reader, size_t size)
{
    reader->begin += size;
    reader->offset += size;
    reader->scanned = 0;
}

/* A byte order mark, at the start of the file, all of it read. */
static void skip_mark(struct line_reader *reader)
{
    if (reader->offset == 0 && reader->end - reader->begin >= 3 &&
        memcmp(reader->buffer + reader->begin, "\xEF\xBB\xBF", 3) == 0) {
        advance(reader, 3);
    }
}

/* The line break of a line that was given out without one. LINE_READ: passed, or none was due. */
static enum line_status close_line(struct line_reader *reader)
{
    size_t left = reader->end - reader->begin;
    if (!reader->is_open) {
        return LINE_READ;
    }
    if (left == 0) {
        return LINE_NONE;
    }
    const char *p = reader->buffer + reader->begin;
    if (p[0] == '\r' && left == 1) {
        return LINE_NONE;
    }
    size_t size = p[0] == '\r' ? 2 : 1;
    if (p[size - 1] != '\n') {
        return LINE_WENT_ON;
    }
    reader->is_open = false;
    advance(reader, size);
    return LINE_READ;
}

static uint64_t count_breaks(const char *text, size_t size)
{
    uint64_t count = 0;
    const char *end = text + size;
    while ((text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        count++;
        text++;
    }
    return count;
}

/* Bytes of the line that begins at `begin`, or all there are, which *ret_is_whole tells. */
static size_t measure(struct line_reader *reader, const char *begin, size_t left,
                      bool *ret_is_whole)
{
    size_t scanned = reader->scanned;
    size_t size = left;
    if (reader->delimiter == 0) {
        const char *found = left == scanned ? NULL : memchr(begin + scanned, '\n', left - scanned);
        size = found == NULL ? left : (size_t)(found - begin);
    } else {
        reader->scan_state = scanned == 0 ? reader->state : reader->scan_state;
        size = scanned +
               csv_scan(begin + scanned, left - scanned, reader->delimiter, &reader->scan_state);
    }
    *ret_is_whole = size < left;
    return size;
}

/* Passes over the line, or over as much of it as there is. */
static void skip(struct line_reader *reader, const char *begin, size_t size, bool is_whole)
{
    reader->is_skipping = !is_whole;
    reader->state = is_whole ? CSV_START : reader->scan_state;
    reader->lines += count_breaks(begin, size) + is_whole;
    advance(reader, size + is_whole);
}

/* LINE_NONE: the buffer holds no whole line. */
static enum line_status take_line(struct line_reader *reader, struct line *ret_line)
{
    const char *begin = reader->buffer + reader->begin;
    bool is_whole;
    size_t size = measure(reader, begin, reader->end - reader->begin, &is_whole);
    if (reader->is_skipping) {
        skip(reader, begin, size, is_whole);
        return is_whole ? LINE_PAUSE : LINE_NONE;
    }
    *ret_line = (struct line){ begin, size, reader->lines + 1, is_whole };
    if (size > reader->max_line) {
        skip(reader, begin, size, is_whole);
        return LINE_TOO_LONG;
    }
    if (!is_whole) {
        reader->scanned = size;
        return LINE_NONE;
    }
    reader->lines += 1 + (reader->delimiter == 0 ? 0 : count_breaks(begin, size));
    advance(reader, size + 1);
    return LINE_READ;
}

static enum line_status take_next(struct line_reader *reader, struct line *ret_line)
{
    skip_mark(reader);
    enum line_status status = close_line(reader);
    if (status != LINE_READ) {
        return status;
    }
    do { /* the rest of a line that was too long is nothing that anybody waits for */
        status = take_line(reader, ret_line);
    } while (status == LINE_PAUSE);
    return status;
}

enum line_status line_reader_next(struct line_reader *reader, struct line *ret_line)
{
    for (int reads = 0; reads < READS_WITHOUT_PAUSE; reads++) {
        enum line_status status = take_next(reader, ret_line);
        if (status != LINE_NONE) {
            return status;
        }
        status = fill(reader);
        if (status != LINE_READ) {
            return status;
        }
    }
    return LINE_PAUSE;
}

bool line_reader_last(struct line_reader *reader, struct line *ret_line)
{
    struct line line = { reader->buffer + reader->begin, reader->end - reader->begin,
                         reader->lines + 1, true };
    if (reader->is_open || line_is_blank(&line, reader->delimiter)) {
        return false;
    }
    *ret_line = line;
    reader->lines += 1 + (reader->delimiter == 0 ? 0 : count_breaks(line.text, line.size));
    reader->is_open = true;
    advance(reader, line.size);
    return true;
}

void line_reader_put_back(struct line_reader *reader, const struct line *line)
{
    size_t size = line->size + !reader->is_open; /* with its line break */
    reader->begin -= size;
    reader->offset -= size;
    reader->scanned = 0;
    reader->lines = line->number - 1;
    reader->is_open = false;
}

void line_reader_rewind(struct line_reader *reader)
{
    reader->end = reader->begin;
    reader->scanned = 0;
}

uint64_t line_reader_reach(const struct line_reader *reader)
{
    return reader->offset + (reader->end - reader->begin);
}

struct file_position line_reader_position(const struct line_reader *reader)
{
    size_t edge = file_position_edge(reader->offset);
    struct file_position position = {
        .bytes = reader->offset,
        .lines = reader->lines,
        .head_hash = file_position_hash(reader->head, edge),
        .tail_hash = edge == 0 ? file_position_hash(reader->head, 0)
                               : file_position_hash(reader->buffer + reader->begin - edge, edge),
        .flags = (reader->is_skipping ? POSITION_IN_LONG_LINE : 0u) |
                 (reader->is_open ? POSITION_OPEN_LINE : 0u) |
                 (uint32_t)reader->state << POSITION_STATE_SHIFT,
    };
    return position;
}
