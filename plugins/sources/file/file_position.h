/* SPDX-License-Identifier: MIT */
/*
 * How far a file has been read, and the marks by which it is known again: hashes of its first bytes
 * and of the last bytes before the position.
 */
#ifndef FILE_FILE_POSITION_H
#define FILE_FILE_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/abi.h>

enum { POSITION_EDGE = 1024 }; /* bytes that a hash covers, or as many as have been read */

enum {
    POSITION_OPEN_LINE = 1u,    /* the last record's line had no line break */
    POSITION_IN_LONG_LINE = 2u, /* inside a line that was too long and is skipped */
    POSITION_STATE_SHIFT = 2,   /* then, of CSV, where in the record (enum csv_state) */
    POSITION_STATE_MASK = 3u
};

struct file_position {
    uint64_t bytes;
    uint64_t lines;
    uint64_t records;
    uint64_t head_hash;
    uint64_t tail_hash;
    uint32_t flags;
};

/* Bytes that each of the hashes covers. */
static inline size_t file_position_edge(uint64_t bytes)
{
    return bytes < POSITION_EDGE ? (size_t)bytes : POSITION_EDGE;
}

uint64_t file_position_hash(const char *bytes, size_t size);

weir_status file_position_write(const struct file_position *position, weir_buffer *out);
/* False: these bytes are no position that this version knows. */
bool file_position_read(weir_slice bytes, struct file_position *ret_position);

/* What has become of a file since a position in it. */
enum file_change {
    FILE_UNCHANGED, /* nothing new */
    FILE_LONGER,
    FILE_REPLACED,
    FILE_UNREADABLE /* errno tells why */
};

/* head, tail: room for POSITION_EDGE bytes each; filled where the file is not replaced. */
enum file_change file_position_compare(const struct file_position *position, int fd,
                                       uint64_t file_bytes, char *head, char *tail);

#endif
