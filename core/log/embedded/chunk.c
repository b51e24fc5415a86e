/* SPDX-License-Identifier: MIT */
/*
 * Packing messages into chunks and taking them out again. What is packed here, or has passed
 * chunk_fault, is trusted by everything else.
 */
#include "log/embedded/chunk.h"

#include <string.h>

#include "log/embedded/chunk_bytes.h"

void chunk_clear(struct chunk *chunk, int64_t base, int64_t peak)
{
    chunk->base = base;
    chunk->end = base;
    chunk->peak = peak;
    chunk->count = 0;
    chunk->size = CHUNK_HEAD;
    chunk->table = 0;
    chunk->marks = (struct chunk_marks){ .written_ms = 0 };
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
    chunk->end++;
    if (message->timestamp > chunk->peak) {
        chunk->peak = message->timestamp;
    }
}

/* ---- finding ----------------------------------------------------------------------------------- */

/* Where the messages end. */
static uint64_t messages_end(const struct chunk *chunk)
{
    return chunk->size - chunk->table;
}

static int64_t offset_of(const struct chunk *chunk, uint32_t index)
{
    if (chunk->table == 0) {
        return chunk->base + index;
    }
    return chunk->base +
           load32(chunk->image + messages_end(chunk) + (uint64_t)index * CHUNK_OFFSET_BYTES);
}

uint32_t chunk_index(const struct chunk *chunk, int64_t offset)
{
    if (offset <= chunk->base) {
        return 0;
    }
    if (chunk->table == 0) {
        int64_t index = offset - chunk->base;
        return index < chunk->count ? (uint32_t)index : chunk->count;
    }
    uint32_t low = 0;
    uint32_t high = chunk->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (offset_of(chunk, middle) < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

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
    chunk->end = chunk->base + count;
    chunk->peak = peak;
    chunk->hint_index = 0;
    chunk->hint_at = CHUNK_HEAD;
}

int64_t chunk_find_time(const struct chunk *chunk, int64_t offset, int64_t timestamp)
{
    uint32_t index = chunk_index(chunk, offset);
    uint64_t at = place_of(chunk, index);
    for (; index < chunk->count; index++) {
        if ((int64_t)load64(chunk->image + at + 16) >= timestamp) {
            break;
        }
        at += load32(chunk->image + at);
    }
    return index < chunk->count ? offset_of(chunk, index) : chunk->end;
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
 * Where all messages that are left belong to the run, its end is known: walking from length to length
 * through memory that is not in a cache would take longer than all else.
 */
struct chunk_run chunk_run_at(const struct chunk *chunk, uint32_t index, uint32_t max_count,
                              uint64_t max_bytes)
{
    struct chunk_run run = { .index = index, .at = place_of(chunk, index) };
    uint32_t left = chunk->count - index;
    uint64_t bytes = messages_end(chunk) - run.at;
    if (left <= max_count && bytes <= max_bytes) {
        run.count = left;
        run.size = bytes;
        return run;
    }
    while (run.count < left && run.count < max_count && (run.count == 0 || run.size < max_bytes)) {
        run.size += load32(chunk->image + run.at + run.size);
        run.count++;
    }
    return run;
}

const uint8_t *chunk_copy(const struct chunk *chunk, const struct chunk_run *run,
                          struct arena *arena)
{
    return (const uint8_t *)arena_copy(arena, chunk->image + run->at, (size_t)run->size);
}

/*
 * Each message says where the next one begins, so the processor cannot look ahead by itself. Most are about
 * as long as their neighbours.
 */
static inline void fetch_ahead(const uint8_t *at, uint32_t size)
{
    enum { MESSAGES = 10 };
    __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)size * MESSAGES));
}

bool chunk_unpack(struct chunk *chunk, const struct chunk_run *run, const uint8_t *bytes,
                  struct arena *arena, struct log_message *messages)
{
    const uint8_t *at = bytes;
    for (uint32_t i = 0; i < run->count; i++) {
        messages[i].offset = offset_of(chunk, run->index + i);
        if (!unpack_message(at, arena, &messages[i])) {
            return false;
        }
        uint32_t size = load32(at);
        fetch_ahead(at, size);
        at += size;
    }
    chunk->hint_index = run->index + run->count;
    chunk->hint_at = run->at + run->size;
    return true;
}

/* ---- thinning out ------------------------------------------------------------------------------ */

struct chunk_walk chunk_walk_start(const struct chunk *chunk)
{
    return (struct chunk_walk){ .chunk = chunk, .at = CHUNK_HEAD };
}

bool chunk_walk_next(struct chunk_walk *walk, struct chunk_message *ret)
{
    const struct chunk *chunk = walk->chunk;
    if (walk->index == chunk->count) {
        return false;
    }
    const uint8_t *at = chunk->image + walk->at;
    ret->offset = offset_of(chunk, walk->index);
    ret->timestamp = (int64_t)load64(at + 16);
    ret->key = slice_at(at + CHUNK_MESSAGE_HEAD, load32(at + 4));
    ret->value = slice_at(ret->key.data + present_size(&ret->key), load32(at + 8));
    ret->at = walk->at;
    ret->size = load32(at);
    walk->at += ret->size;
    walk->index++;
    return true;
}

void chunk_take(struct chunk *to, uint32_t *offsets, const struct chunk *from,
                const struct chunk_message *message)
{
    memcpy(to->image + to->size, from->image + message->at, (size_t)message->size);
    offsets[to->count++] = (uint32_t)(message->offset - to->base);
    to->size += message->size;
}

void chunk_close(struct chunk *chunk, const uint32_t *offsets, int64_t end, int64_t peak)
{
    chunk->end = end;
    chunk->peak = peak;
    if (end - chunk->base == chunk->count) {
        return;
    }
    for (uint32_t i = 0; i < chunk->count; i++) {
        store32(chunk->image + chunk->size + (uint64_t)i * CHUNK_OFFSET_BYTES, offsets[i]);
    }
    chunk->table = (uint64_t)chunk->count * CHUNK_OFFSET_BYTES;
    chunk->size += chunk->table;
}
