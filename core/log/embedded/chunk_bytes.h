/* SPDX-License-Identifier: MIT */
/*
 * Numbers in the packed form of messages.
 */
#ifndef LOG_CHUNK_BYTES_H
#define LOG_CHUNK_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define PACKED_NULL UINT32_MAX

static inline uint32_t load32(const uint8_t *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return le32toh(n);
}

static inline uint64_t load64(const uint8_t *at)
{
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return le64toh(n);
}

static inline void store32(uint8_t *at, uint32_t n)
{
    n = htole32(n);
    memcpy(at, &n, sizeof n);
}

static inline void store64(uint8_t *at, uint64_t n)
{
    n = htole64(n);
    memcpy(at, &n, sizeof n);
}

#endif
