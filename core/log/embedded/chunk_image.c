/* SPDX-License-Identifier: MIT */
/*
 * The head of a chunk's image, and whether bytes that came from a store are one.
 */
#include <stddef.h>

/* The library chooses what the processor can do best; compiled in, it is what every x86 has. */
#ifdef HAVE_XXH_DISPATCH
# include <xxh_x86dispatch.h>
#else
# define XXH_INLINE_ALL
# include <xxhash.h>
#endif

#include "log/embedded/chunk.h"
#include "log/embedded/chunk_bytes.h"

/* Places in the head. */
enum {
    AT_FORMAT = 0,
    AT_FLAGS = 1,
    AT_COUNT = 4,
    AT_BASE = 8,
    AT_END = 16,
    AT_PEAK = 24,
    AT_BYTES = 32,
    AT_CHECKSUM = 40,
    FLAG_SPARSE = 1
};

static uint64_t checksum_of(const uint8_t *image, uint64_t size)
{
    return XXH3_64bits_withSeed(image + CHUNK_HEAD, (size_t)(size - CHUNK_HEAD),
                                XXH3_64bits(image, AT_CHECKSUM));
}

void chunk_stamp(uint8_t *image, uint64_t size)
{
    store64(image + AT_CHECKSUM, checksum_of(image, size));
}

void chunk_seal(struct chunk *chunk)
{
    uint8_t *image = chunk->image;
    memset(image, 0, CHUNK_HEAD);
    image[AT_FORMAT] = CHUNK_FORMAT;
    image[AT_FLAGS] = chunk->end - chunk->base == chunk->count ? 0 : FLAG_SPARSE;
    store32(image + AT_COUNT, chunk->count);
    store64(image + AT_BASE, (uint64_t)chunk->base);
    store64(image + AT_END, (uint64_t)chunk->end);
    store64(image + AT_PEAK, (uint64_t)chunk->peak);
    store64(image + AT_BYTES, chunk->size - CHUNK_HEAD);
    chunk_stamp(image, chunk->size);
}

/* ---- checking ---------------------------------------------------------------------------------- */

/* Takes `packed` (all ones: null) from the bytes that are left. */
static bool take_size(uint64_t *left, uint32_t packed)
{
    uint64_t size = packed == PACKED_NULL ? 0 : packed;
    if (size > *left) {
        return false;
    }
    *left -= size;
    return true;
}

/* The bytes of a message must be used up exactly by what it claims to hold. */
static bool is_message(const uint8_t *at, uint64_t size)
{
    uint64_t left = size - CHUNK_MESSAGE_HEAD;
    if (!take_size(&left, load32(at + 4)) || !take_size(&left, load32(at + 8))) {
        return false;
    }
    uint32_t header_count = load32(at + 12);
    for (uint32_t i = 0; i < header_count; i++) {
        if (left < 8) {
            return false;
        }
        const uint8_t *header = at + size - left;
        left -= 8;
        uint32_t name_len = load32(header);
        if (name_len == PACKED_NULL || !take_size(&left, name_len) ||
            !take_size(&left, load32(header + 4))) {
            return false;
        }
    }
    return left == 0;
}

/* size: where the messages end. */
static const char *messages_fault(const uint8_t *image, uint64_t size, uint32_t count)
{
    uint64_t at = CHUNK_HEAD;
    for (uint32_t i = 0; i < count; i++) {
        if (size - at < CHUNK_MESSAGE_HEAD) {
            return "it ends inside a message";
        }
        uint64_t message_size = load32(image + at);
        if (message_size < CHUNK_MESSAGE_HEAD || message_size > size - at ||
            !is_message(image + at, message_size)) {
            return "the sizes inside a message do not fit together";
        }
        at += message_size;
    }
    return at == size ? NULL : "bytes are left over behind its last message";
}

/* The offsets behind the messages rise and lie within the chunk. */
static const char *table_fault(const uint8_t *table, uint32_t count, uint64_t span)
{
    int64_t before = -1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t offset = load32(table + (uint64_t)i * CHUNK_OFFSET_BYTES);
        if (offset <= before || (uint64_t)offset >= span) {
            return "its offsets do not rise";
        }
        before = offset;
    }
    return NULL;
}

/* What the head says of counts and offsets fits together; *ret_table: bytes of the offsets. */
static const char *shape_fault(const uint8_t *image, uint64_t size, int64_t base,
                               uint64_t *ret_table)
{
    uint32_t count = load32(image + AT_COUNT);
    int64_t end = (int64_t)load64(image + AT_END);
    bool is_sparse = (image[AT_FLAGS] & FLAG_SPARSE) != 0;
    if ((int64_t)load64(image + AT_BASE) != base) {
        return "it belongs to another offset";
    }
    if (base < 0 || end <= base || end - base > CHUNK_SPAN_LIMIT || count > CHUNK_MESSAGES ||
        (is_sparse ? count >= end - base : count != end - base)) {
        return "its count of messages is impossible";
    }
    *ret_table = is_sparse ? (uint64_t)count * CHUNK_OFFSET_BYTES : 0;
    return *ret_table > size - CHUNK_HEAD ? "it ends inside its offsets" : NULL;
}

const char *chunk_fault(const uint8_t *image, uint64_t size, int64_t base)
{
    if (size < CHUNK_HEAD) {
        return "it is too short";
    }
    if (image[AT_FORMAT] != CHUNK_FORMAT) {
        return "its format is not known to this version of weir";
    }
    if (load64(image + AT_BYTES) != size - CHUNK_HEAD) {
        return "its size is not what its head says";
    }
    if (load64(image + AT_CHECKSUM) != checksum_of(image, size)) {
        return "its checksum is not that of its bytes";
    }
    uint64_t table = 0;
    const char *fault = shape_fault(image, size, base, &table);
    if (fault != NULL) {
        return fault;
    }
    uint32_t count = load32(image + AT_COUNT);
    fault = messages_fault(image, size - table, count);
    if (fault == NULL && table > 0) {
        fault = table_fault(image + size - table, count,
                            load64(image + AT_END) - load64(image + AT_BASE));
    }
    return fault;
}

void chunk_load(struct chunk *chunk, const uint8_t *image, uint64_t size)
{
    chunk_clear(chunk, (int64_t)load64(image + AT_BASE), (int64_t)load64(image + AT_PEAK));
    chunk->end = (int64_t)load64(image + AT_END);
    chunk->count = load32(image + AT_COUNT);
    chunk->size = size;
    if ((image[AT_FLAGS] & FLAG_SPARSE) != 0) {
        chunk->table = (uint64_t)chunk->count * CHUNK_OFFSET_BYTES;
    }
    if (chunk->image != image) {
        memcpy(chunk->image, image, (size_t)size);
    }
}
