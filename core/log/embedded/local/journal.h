/* SPDX-License-Identifier: MIT */
/*
 * The bytes of RocksDB's journals (the write-ahead logs and the MANIFEST), of which RocksDB says only that
 * there is damage, or takes it for the end of a write that a crash has cut off.
 *
 * A journal consists of blocks of 32 KiB, a block of records: checksum (4, CRC-32C, masked), length
 * (2), type (1), bytes. A write is one record or a first, middle ones and a last. In a write-ahead log it
 * begins with the number of its first change (8) and their count (4); numbers go on from log to log.
 */
#ifndef LOG_LOCAL_JOURNAL_H
#define LOG_LOCAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of the first damaged record; < 0: there is none. */
int64_t journal_damaged_place(const uint8_t *bytes, size_t size);

/*
 * What a write-ahead log holds, by lengths alone.
 *
 * first     number of its first change; 0: it has no whole write
 * next      behind its last whole write
 * cut_place  where a write begins that is not whole; < 0: none does
 */
struct journal_span {
    uint64_t first;
    uint64_t next;
    int64_t cut_place;
};
struct journal_span journal_span(const uint8_t *bytes, size_t size);

#endif
