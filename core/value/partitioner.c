/* SPDX-License-Identifier: MIT */
/*
 * The hashes that spread keys over partitions: that of the Java client (murmur2) and those that
 * librdkafka has besides. Where librdkafka takes a random partition, this takes one by a hash of which
 * message it is: as evenly spread, and the same after a crash.
 */
#include "value/partitioner.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include <weir/serializer.h>

const char *const partitioner_names[] = {
    "random",         "consistent", "consistent_random", "murmur2",
    "murmur2_random", "fnv1a",      "fnv1a_random",      NULL
};

static uint32_t load_word(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return le32toh(word);
}

/* Made positive, as the Java client does. */
static uint32_t murmur2(const uint8_t *at, uint64_t size)
{
    const uint32_t multiplier = 0x5bd1e995;
    uint64_t left = size;
    uint32_t hash = 0x9747b28cu ^ (uint32_t)size;
    for (; left >= 4; at += 4, left -= 4) {
        uint32_t word = load_word(at) * multiplier;
        word = (word ^ (word >> 24)) * multiplier;
        hash = (hash * multiplier) ^ word;
    }
    if (left > 0) {
        for (uint64_t i = left; i-- > 0;) {
            hash ^= (uint32_t)at[i] << (8 * i);
        }
        hash *= multiplier;
    }
    hash = (hash ^ (hash >> 13)) * multiplier;
    return (hash ^ (hash >> 15)) & 0x7fffffffu;
}

/* Of what is negative as a signed number, the absolute value. */
static uint32_t fnv1a(const uint8_t *at, uint64_t size)
{
    uint32_t hash = 0x811c9dc5u;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x01000193u;
    }
    return hash > (uint32_t)INT32_MAX ? 0u - hash : hash;
}

static uint32_t crc(const uint8_t *at, uint64_t size)
{
    return size > 0 ? (uint32_t)crc32_z(0, at, (size_t)size) : 0;
}

/* Each bit of the result depends on all of the number. */
static uint64_t scatter(uint64_t number)
{
    number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
    return number ^ (number >> 31);
}

uint64_t partitioner_identity(int32_t partition, int64_t offset, uint64_t nth)
{
    return scatter(scatter((uint64_t)offset + 1) ^ (uint64_t)(uint32_t)partition << 32) + nth;
}

static uint32_t random_partition(uint64_t identity, uint32_t count)
{
    uint64_t high = scatter(identity + UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    return (uint32_t)(high * count >> 32);
}

/* What keys are placed by; what happens without a key is left out. */
static enum partitioner hash_of(enum partitioner partitioner)
{
    switch (partitioner) {
    case PARTITIONER_RANDOM:
        break;
    case PARTITIONER_CONSISTENT:
    case PARTITIONER_CONSISTENT_RANDOM:
        return PARTITIONER_CONSISTENT;
    case PARTITIONER_NONE:
    case PARTITIONER_MURMUR2:
    case PARTITIONER_MURMUR2_RANDOM:
        return PARTITIONER_MURMUR2;
    case PARTITIONER_FNV1A:
    case PARTITIONER_FNV1A_RANDOM:
        return PARTITIONER_FNV1A;
    }
    return PARTITIONER_RANDOM;
}

bool partitioner_agrees(enum partitioner one, enum partitioner other)
{
    return hash_of(one) == hash_of(other) && hash_of(one) != PARTITIONER_RANDOM;
}

uint32_t partitioner_choose(enum partitioner partitioner, const struct partitioner_message *message,
                            uint32_t count)
{
    bool has_key = message->key.size != WEIR_ABSENT;
    const uint8_t *key = message->key.data;
    uint64_t size = has_key ? message->key.size : 0;
    switch (partitioner) {
    case PARTITIONER_NONE:
        return has_key ? murmur2(key, size) % count : (uint32_t)(message->turn % count);
    case PARTITIONER_RANDOM:
        break;
    case PARTITIONER_CONSISTENT:
        return crc(key, size) % count;
    case PARTITIONER_CONSISTENT_RANDOM: /* to which an empty key is none */
        if (size > 0) {
            return crc(key, size) % count;
        }
        break;
    case PARTITIONER_MURMUR2:
        return murmur2(key, size) % count;
    case PARTITIONER_MURMUR2_RANDOM:
        if (has_key) {
            return murmur2(key, size) % count;
        }
        break;
    case PARTITIONER_FNV1A:
        return fnv1a(key, size) % count;
    case PARTITIONER_FNV1A_RANDOM:
        if (has_key) {
            return fnv1a(key, size) % count;
        }
        break;
    }
    return random_partition(message->identity, count);
}
