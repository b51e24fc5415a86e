/* SPDX-License-Identifier: MIT */
/*
 * The hash that spreads keys over partitions. It must give what the Java client's default partitioner
 * gives, bit for bit, so that both put a key into the same partition.
 */
#include <endian.h>
#include <string.h>

#include "log/log.h"

static uint32_t load_word(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return le32toh(word);
}

uint32_t log_murmur2(const void *key, size_t size)
{
    const uint32_t multiplier = 0x5bd1e995;
    const uint8_t *at = key;
    size_t left = size;
    uint32_t hash = 0x9747b28cu ^ (uint32_t)size;
    for (; left >= 4; at += 4, left -= 4) {
        uint32_t word = load_word(at) * multiplier;
        word = (word ^ (word >> 24)) * multiplier;
        hash = (hash * multiplier) ^ word;
    }
    if (left > 0) {
        for (size_t i = left; i-- > 0;) {
            hash ^= (uint32_t)at[i] << (8 * i);
        }
        hash *= multiplier;
    }
    hash = (hash ^ (hash >> 13)) * multiplier;
    return (hash ^ (hash >> 15)) & 0x7fffffffu;
}
