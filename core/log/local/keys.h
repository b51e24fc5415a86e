/* SPDX-License-Identifier: MIT */
/*
 * Keys and small values of the store. The first byte tells the kind; numbers in keys are big-endian,
 * so that byte order is their order.
 *
 *   c  topic id (4)  partition (4)  base offset (8)    a chunk (log/chunk.h)
 *   f  group  NUL  key                                 a fact
 *   m  name                                            about the store itself
 *   p  topic id (4)  partition (4)                     state of a partition, where it ever had messages
 *   t  name                                            a topic
 */
#ifndef LOG_LOCAL_KEYS_H
#define LOG_LOCAL_KEYS_H

#include <endian.h>
#include <string.h>

#include "log/store.h"

enum {
    KEY_CHUNK = 'c',
    KEY_FACT = 'f',
    KEY_ABOUT = 'm',
    KEY_PART = 'p',
    KEY_TOPIC = 't',
    CHUNK_KEY_SIZE = 17,
    PART_KEY_SIZE = 9,
    PART_VALUE_SIZE = 33,
    TOPIC_VALUE_SIZE = 9,
    RECORD_FORMAT = 1 /* first byte of the values of p and t */
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

static inline void key_chunk(char key[CHUNK_KEY_SIZE], uint32_t topic_id, uint32_t partition,
                             int64_t base)
{
    key_part(key, KEY_CHUNK, topic_id, partition);
    key_put64(key + PART_KEY_SIZE, (uint64_t)base);
}

static inline void part_encode(char value[PART_VALUE_SIZE], const struct partition_state *state)
{
    value[0] = RECORD_FORMAT;
    key_put64(value + 1, (uint64_t)state->begin);
    key_put64(value + 9, (uint64_t)state->end);
    key_put64(value + 17, (uint64_t)state->peak);
    key_put64(value + 25, state->bytes);
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
    return ret->begin >= 0 && ret->begin <= ret->end;
}

static inline void topic_encode(char value[TOPIC_VALUE_SIZE], uint32_t id, uint32_t partitions)
{
    value[0] = RECORD_FORMAT;
    key_put32(value + 1, id);
    key_put32(value + 5, partitions);
}

static inline bool topic_decode(const char *value, size_t size, uint32_t *ret_id,
                                uint32_t *ret_partitions)
{
    if (size != TOPIC_VALUE_SIZE || value[0] != RECORD_FORMAT) {
        return false;
    }
    *ret_id = key_get32(value + 1);
    *ret_partitions = key_get32(value + 5);
    return true;
}

#endif
