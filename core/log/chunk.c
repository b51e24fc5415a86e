/* SPDX-License-Identifier: MIT */
/*
 * Packing messages into chunks and taking them out again. What is packed here, or has passed
 * chunk_fault, is trusted by everything else.
 */
#include "log/chunk.h"

#include <endian.h>
#include <string.h>

enum { BLOCK_PADDING = 64 };
#define PACKED_NULL UINT32_MAX

static uint32_t load32(const uint8_t *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return le32toh(n);
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return le64toh(n);
}

static void store32(uint8_t *at, uint32_t n)
{
    n = htole32(n);
    memcpy(at, &n, sizeof n);
}

static void store64(uint8_t *at, uint64_t n)
{
    n = htole64(n);
    memcpy(at, &n, sizeof n);
}

void chunk_clear(struct chunk *chunk, int64_t base, int64_t peak)
{
    chunk->base = base;
    chunk->peak = peak;
    chunk->count = 0;
    chunk->size = CHUNK_HEAD;
    chunk->hint_index = 0;
    chunk->hint_at = CHUNK_HEAD;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Adds sizes up to one beyond the limit, so that a sum never wraps around. */
static uint64_t add_size(uint64_t sum, uint64_t size)
{
    return size > CHUNK_MESSAGE_LIMIT - sum ? CHUNK_MESSAGE_LIMIT + 1 : sum + size;
}

static uint64_t present_size(const weir_slice *slice)
{
    return slice->size == LOG_ABSENT ? 0 : slice->size;
}

uint64_t chunk_message_size(const struct log_message *message)
{
    uint64_t sizes[2] = { present_size(&message->key), present_size(&message->value) };
    uint64_t sum = CHUNK_MESSAGE_HEAD;
    for (size_t i = 0; i < 2 && sum <= CHUNK_MESSAGE_LIMIT; i++) {
        sum = add_size(sum, sizes[i]);
    }
    for (uint32_t i = 0; i < message->header_count && sum <= CHUNK_MESSAGE_LIMIT; i++) {
        sum = add_size(sum, (uint64_t)8 + message->headers[i].name_len);
        if (sum <= CHUNK_MESSAGE_LIMIT) {
            sum = add_size(sum, present_size(&message->headers[i].value));
        }
    }
    return sum;
}

bool chunk_has_room(const struct chunk *chunk, uint64_t size)
{
    return chunk->count < CHUNK_MESSAGES && size <= chunk->capacity - chunk->size;
}

static uint32_t packed_size(const weir_slice *slice)
{
    return slice->size == LOG_ABSENT ? PACKED_NULL : (uint32_t)slice->size;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, uint64_t size)
{
    if (size > 0) {
        memcpy(at, bytes, (size_t)size);
    }
    return at + size;
}

void chunk_add(struct chunk *chunk, const struct log_message *message, uint64_t size)
{
    uint8_t *at = chunk->image + chunk->size;
    store32(at, (uint32_t)size);
    store32(at + 4, packed_size(&message->key));
    store32(at + 8, packed_size(&message->value));
    store32(at + 12, message->header_count);
    store64(at + 16, (uint64_t)message->timestamp);
    at = put_bytes(at + CHUNK_MESSAGE_HEAD, message->key.data, present_size(&message->key));
    at = put_bytes(at, message->value.data, present_size(&message->value));
    for (uint32_t i = 0; i < message->header_count; i++) {
        const struct log_header *header = &message->headers[i];
        store32(at, header->name_len);
        store32(at + 4, packed_size(&header->value));
        at = put_bytes(at + 8, header->name, header->name_len);
        at = put_bytes(at, header->value.data, present_size(&header->value));
    }
    chunk->size += size;
    chunk->count++;
    if (message->timestamp > chunk->peak) {
        chunk->peak = message->timestamp;
    }
}

void chunk_seal(struct chunk *chunk)
{
    memset(chunk->image, 0, CHUNK_HEAD);
    chunk->image[0] = CHUNK_FORMAT;
    store32(chunk->image + 4, chunk->count);
    store64(chunk->image + 8, (uint64_t)chunk->base);
    store64(chunk->image + 16, (uint64_t)chunk->peak);
    store64(chunk->image + 24, chunk->size - CHUNK_HEAD);
}

/* ---- finding ----------------------------------------------------------------------------------- */

/* Place of a message. The hint makes reading on cheap. */
static uint64_t place_of(const struct chunk *chunk, uint32_t index)
{
    uint32_t i = 0;
    uint64_t at = CHUNK_HEAD;
    if (index >= chunk->hint_index) {
        i = chunk->hint_index;
        at = chunk->hint_at;
    }
    for (; i < index; i++) {
        at += load32(chunk->image + at);
    }
    return at;
}

void chunk_truncate(struct chunk *chunk, uint32_t count, int64_t peak)
{
    chunk->size = place_of(chunk, count);
    chunk->count = count;
    chunk->peak = peak;
    chunk->hint_index = 0;
    chunk->hint_at = CHUNK_HEAD;
}

int64_t chunk_find_time(const struct chunk *chunk, int64_t offset, int64_t timestamp)
{
    uint32_t index = (uint32_t)(offset - chunk->base);
    uint64_t at = place_of(chunk, index);
    for (; index < chunk->count; index++) {
        if ((int64_t)load64(chunk->image + at + 16) >= timestamp) {
            break;
        }
        at += load32(chunk->image + at);
    }
    return chunk->base + index;
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

const char *chunk_fault(const uint8_t *image, uint64_t size, int64_t base)
{
    if (size < CHUNK_HEAD) {
        return "it is too short";
    }
    if (image[0] != CHUNK_FORMAT) {
        return "its format is not known to this version of weir";
    }
    uint32_t count = load32(image + 4);
    if (count == 0 || count > CHUNK_MESSAGES) {
        return "its count of messages is impossible";
    }
    if ((int64_t)load64(image + 8) != base) {
        return "it belongs to another offset";
    }
    if (load64(image + 24) != size - CHUNK_HEAD) {
        return "its size is not what its head says";
    }
    return messages_fault(image, size, count);
}

void chunk_load(struct chunk *chunk, const uint8_t *image, uint64_t size)
{
    chunk_clear(chunk, (int64_t)load64(image + 8), (int64_t)load64(image + 16));
    chunk->count = load32(image + 4);
    chunk->size = size;
    memcpy(chunk->image, image, (size_t)size);
}

/* ---- taking out -------------------------------------------------------------------------------- */

static weir_slice slice_at(const uint8_t *at, uint32_t packed)
{
    weir_slice slice = { at, packed == PACKED_NULL ? LOG_ABSENT : packed };
    return slice;
}

/* False: no memory. */
static bool unpack_headers(const uint8_t *at, uint32_t count, struct arena *arena,
                           const struct log_header **ret_headers)
{
    *ret_headers = NULL;
    if (count == 0) {
        return true;
    }
    struct log_header *headers = arena_alloc(arena, count * sizeof *headers);
    if (headers == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name_len = load32(at);
        uint32_t packed = load32(at + 4);
        at += 8;
        headers[i] = (struct log_header){ .name = (const char *)at,
                                          .name_len = name_len,
                                          .value = slice_at(at + name_len, packed) };
        at += name_len + present_size(&headers[i].value);
    }
    *ret_headers = headers;
    return true;
}

static bool unpack_message(const uint8_t *at, struct arena *arena, struct log_message *message)
{
    message->timestamp = (int64_t)load64(at + 16);
    message->header_count = load32(at + 12);
    message->reserved = 0;
    message->key = slice_at(at + CHUNK_MESSAGE_HEAD, load32(at + 4));
    const uint8_t *next = message->key.data + present_size(&message->key);
    message->value = slice_at(next, load32(at + 8));
    next += present_size(&message->value);
    return unpack_headers(next, message->header_count, arena, &message->headers);
}

/*
 * How many messages from `at` on belong to the run, and where it ends. Where all `left` ones do, the
 * end is known: walking from length to length through memory that is not in a cache would take longer
 * than copying it.
 */
static uint32_t measure_run(const struct chunk *chunk, uint64_t at, uint32_t left, uint32_t limit,
                            uint64_t max_bytes, uint64_t *ret_end)
{
    if (left <= limit && chunk->size - at <= max_bytes) {
        *ret_end = chunk->size;
        return left;
    }
    uint64_t end = at;
    uint32_t count = 0;
    while (count < left && count < limit && (count == 0 || end - at < max_bytes)) {
        end += load32(chunk->image + end);
        count++;
    }
    *ret_end = end;
    return count;
}

uint32_t chunk_copy(struct chunk *chunk, int64_t offset, uint32_t max_count, uint64_t max_bytes,
                    struct arena *arena, struct log_message *messages, uint64_t *ret_bytes)
{
    uint32_t index = (uint32_t)(offset - chunk->base);
    uint32_t left = chunk->count - index;
    uint64_t from = place_of(chunk, index);
    uint64_t end = from;
    uint32_t count = measure_run(chunk, from, left, max_count, max_bytes, &end);
    uint64_t size = end - from;
    uint8_t *block = arena_alloc(arena, (size_t)size + BLOCK_PADDING);
    if (block == NULL) {
        return 0;
    }
    memcpy(block, chunk->image + from, (size_t)size);
    memset(block + size, 0, BLOCK_PADDING);
    const uint8_t *at = block;
    for (uint32_t i = 0; i < count; i++) {
        messages[i].offset = offset + i;
        if (!unpack_message(at, arena, &messages[i])) {
            return 0;
        }
        at += load32(at);
    }
    chunk->hint_index = index + count;
    chunk->hint_at = end;
    *ret_bytes = size;
    return count;
}
