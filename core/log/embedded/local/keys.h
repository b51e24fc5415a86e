/* SPDX-License-Identifier: MIT */
/*
 * Keys and small values of the store. The first byte tells the kind; numbers in keys are big-endian,
 * so that byte order is their order.
 *
 *   c  topic id (4)  partition (4)  base offset (8)    a chunk (log/embedded/chunk.h)
 *   f  group  NUL  key                                 a fact
 *   i  topic id (4)  partition (4)  base offset (8)    what is known of the chunk without reading it
 *   p  topic id (4)  partition (4)                     state of a partition, where it ever had messages
 *   t  name                                            a topic
 */
#ifndef LOG_LOCAL_KEYS_H
#define LOG_LOCAL_KEYS_H

#include <endian.h>
#include <string.h>

#include "log/embedded/store.h"

enum {
    KEY_CHUNK = 'c',
    KEY_FACT = 'f',
    KEY_INDEX = 'i',
    KEY_PART = 'p',
    KEY_TOPIC = 't',
    CHUNK_KEY_SIZE = 17,
    PART_KEY_SIZE = 9,
    PART_VALUE_SIZE = 65,
    INDEX_VALUE_SIZE = 46,
    TOPIC_VALUE_SIZE = 34,
    RECORD_FORMAT = 2 /* first byte of the values of i, p and t */
};

static inline void key_put32(char *at, uint32_t n)
{
    n = htobe32(n);
    memcpy(at, &n, sizeof n);
}

static inline void key_put64(char *at, uint64_t n)
{
    n = htobe64(n);
    memcpy(at, &n, sizeof n);
}

static inline uint32_t key_get32(const char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return be32toh(n);
}

static inline uint64_t key_get64(const char *at)
{
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return be64toh(n);
}

/* kind, topic id, partition: a whole key of kind p, the prefix of one of kind c. */
static inline void key_part(char key[PART_KEY_SIZE], char kind, uint32_t topic_id,
                            uint32_t partition)
{
    key[0] = kind;
    key_put32(key + 1, topic_id);
    key_put32(key + 5, partition);
}

/* kind: KEY_CHUNK or KEY_INDEX */
static inline void key_chunk(char key[CHUNK_KEY_SIZE], char kind, uint32_t topic_id,
                             uint32_t partition, int64_t base)
{
    key_part(key, kind, topic_id, partition);
    key_put64(key + PART_KEY_SIZE, (uint64_t)base);
}

static inline void part_encode(char value[PART_VALUE_SIZE], const struct partition_state *state)
{
    value[0] = RECORD_FORMAT;
    key_put64(value + 1, (uint64_t)state->begin);
    key_put64(value + 9, (uint64_t)state->end);
    key_put64(value + 17, (uint64_t)state->peak);
    key_put64(value + 25, state->bytes);
    key_put64(value + 33, (uint64_t)state->count);
    key_put64(value + 41, (uint64_t)state->clean);
    key_put64(value + 49, state->clean_bytes);
    key_put64(value + 57, (uint64_t)state->horizon_ms);
}

/* False: it cannot be understood. */
static inline bool part_decode(const char *value, size_t size, struct partition_state *ret)
{
    if (size != PART_VALUE_SIZE || value[0] != RECORD_FORMAT) {
        return false;
    }
    ret->begin = (int64_t)key_get64(value + 1);
    ret->end = (int64_t)key_get64(value + 9);
    ret->peak = (int64_t)key_get64(value + 17);
    ret->bytes = key_get64(value + 25);
    ret->count = (int64_t)key_get64(value + 33);
    ret->clean = (int64_t)key_get64(value + 41);
    ret->clean_bytes = key_get64(value + 49);
    ret->horizon_ms = (int64_t)key_get64(value + 57);
    return ret->begin >= 0 && ret->begin <= ret->end && ret->count >= 0 &&
           ret->count <= ret->end - ret->begin && ret->clean >= 0 && ret->clean <= ret->end &&
           ret->clean_bytes <= ret->bytes;
}

enum { INDEX_CLEAN = 1, INDEX_TOMBSTONES = 2 };

static inline void index_encode(char value[INDEX_VALUE_SIZE], const struct chunk_about *about)
{
    value[0] = RECORD_FORMAT;
    value[1] = (char)((about->marks.is_clean ? INDEX_CLEAN : 0) |
                      (about->marks.has_tombstones ? INDEX_TOMBSTONES : 0));
    key_put32(value + 2, about->count);
    key_put64(value + 6, (uint64_t)about->end);
    key_put64(value + 14, (uint64_t)about->peak);
    key_put64(value + 22, about->bytes);
    key_put64(value + 30, (uint64_t)about->marks.written_ms);
    key_put64(value + 38, (uint64_t)about->marks.horizon_ms);
}

static inline bool index_decode(const char *value, size_t size, int64_t base,
                                struct chunk_about *ret)
{
    if (size != INDEX_VALUE_SIZE || value[0] != RECORD_FORMAT) {
        return false;
    }
    ret->base = base;
    ret->marks.is_clean = (value[1] & INDEX_CLEAN) != 0;
    ret->marks.has_tombstones = (value[1] & INDEX_TOMBSTONES) != 0;
    ret->count = key_get32(value + 2);
    ret->end = (int64_t)key_get64(value + 6);
    ret->peak = (int64_t)key_get64(value + 14);
    ret->bytes = key_get64(value + 22);
    ret->marks.written_ms = (int64_t)key_get64(value + 30);
    ret->marks.horizon_ms = (int64_t)key_get64(value + 38);
    return base >= 0 && ret->end > base && ret->count <= ret->end - base;
}

static inline void topic_encode(char value[TOPIC_VALUE_SIZE], uint32_t id, uint32_t partitions,
                                const struct log_topic_options *options)
{
    value[0] = RECORD_FORMAT;
    key_put32(value + 1, id);
    key_put32(value + 5, partitions);
    key_put64(value + 9, (uint64_t)options->retention_ms);
    key_put64(value + 17, (uint64_t)options->retention_bytes);
    key_put64(value + 25, (uint64_t)options->tombstone_ms);
    value[33] = (char)options->is_compacted;
}

/* Without its name and the states of its partitions. */
static inline bool topic_decode(const char *value, size_t size, struct stored_topic *ret)
{
    if (size != TOPIC_VALUE_SIZE || value[0] != RECORD_FORMAT) {
        return false;
    }
    ret->id = key_get32(value + 1);
    ret->partitions = key_get32(value + 5);
    ret->options.retention_ms = (int64_t)key_get64(value + 9);
    ret->options.retention_bytes = (int64_t)key_get64(value + 17);
    ret->options.tombstone_ms = (int64_t)key_get64(value + 25);
    ret->options.is_compacted = value[33] != 0;
    return true;
}

#endif
