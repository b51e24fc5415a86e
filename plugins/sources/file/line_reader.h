/* SPDX-License-Identifier: MIT */
/*
 * Lines of a file that may still grow, or records of CSV, whose line breaks between quotes count for
 * nothing. Owns the buffer; borrows the file descriptor, which it reads
 * at places of its own (pread), so that nothing depends on the descriptor's position.
 *
 * `offset` is where the next line begins. The bytes before it stay in the buffer as far as the
 * position's hash reaches (POSITION_EDGE), the file's first bytes in `head`.
 */
#ifndef FILE_LINE_READER_H
#define FILE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file_position.h"
#include "support/csv.h"

enum line_status {
    LINE_READ,     /* *ret_line is set */
    LINE_NONE,     /* the end of the file, as it is now; a part of a line may be left */
    LINE_PAUSE,    /* much has been read and no line has come of it: call again */
    LINE_TOO_LONG, /* this one is skipped; *ret_line is what has been read of it */
    LINE_WENT_ON,  /* a line that had been taken as a whole at the file's end goes on */
    LINE_FAILED,   /* errno tells why */
    LINE_NO_MEMORY
};

struct line {
    const char *text; /* good until the next call */
    size_t size;      /* without the line break */
    uint64_t number;  /* of the line that it begins with, from 1 */
    bool is_whole;    /* LINE_TOO_LONG: all of it has been read */
};

/*
 * begin, end  of what is in the buffer and not yet given out
 * scanned     bytes from `begin` that hold no line break
 * max_line    bytes that a line may have
 * is_skipping inside a line that was too long
 * is_open     the last line given out had no line break
 * delimiter   of CSV; 0: plain lines
 * state       of CSV: at `begin`, which is inside a record only while one is skipped
 * scan_state  of CSV: behind what has been scanned
 */
struct line_reader {
    int fd;
    char *buffer;
    size_t room;
    size_t begin;
    size_t end;
    size_t scanned;
    size_t max_line;
    uint64_t offset;
    uint64_t lines;
    char head[POSITION_EDGE];
    bool is_skipping;
    bool is_open;
    char delimiter;
    enum csv_state state;
    enum csv_state scan_state;
};

/* Nothing but blanks, which is no record. A delimiter is no blank. */
bool line_is_blank(const struct line *line, char delimiter);

void line_reader_init(struct line_reader *reader, size_t max_line);
void line_reader_deinit(struct line_reader *reader);
/* Begins a file anew. */
void line_reader_restart(struct line_reader *reader, int fd);

/*
 * Goes on behind a position. head and tail are the bytes that its hashes were made of: edge of them
 * each. False: no memory.
 */
bool line_reader_resume(struct line_reader *reader, int fd, const struct file_position *position,
                        const char *head, const char *tail, size_t edge);

enum line_status line_reader_next(struct line_reader *reader, struct line *ret_line);
/* The last line, which has no line break. False: there is none, or a blank one, which is left. */
bool line_reader_last(struct line_reader *reader, struct line *ret_line);
/* Undoes the last line given out, which was LINE_READ or the last one. */
void line_reader_put_back(struct line_reader *reader, const struct line *line);
/* Forgets what was read beyond `offset`, since the file may have changed there. */
void line_reader_rewind(struct line_reader *reader);
/* One behind the last byte that has been read. */
uint64_t line_reader_reach(const struct line_reader *reader);
/* All of a position but the count of records. */
struct file_position line_reader_position(const struct line_reader *reader);

#endif
