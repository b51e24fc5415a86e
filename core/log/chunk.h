/* SPDX-License-Identifier: MIT */
/*
 * A chunk: consecutive messages of one partition in one piece of memory, packed as the store keeps
 * them, so that committing and loading one is a single copy.
 *
 * Layout, little-endian. Head of CHUNK_HEAD bytes: format, 3 zeros, count (4), base (8), peak (8),
 * bytes of the messages (8). Then each message: its size (4), size of the key (4), size of the value
 * (4), number of headers (4), timestamp (8), key, value; each header: size of the name (4), size of
 * the value (4), name, value. A size of all ones stands for null.
 */
#ifndef LOG_CHUNK_H
#define LOG_CHUNK_H

#include "log/log.h"

enum {
    CHUNK_FORMAT = 1,
    CHUNK_HEAD = 32,
    CHUNK_MESSAGE_HEAD = 24,
    CHUNK_MESSAGES = 1024,   /* a chunk takes no more messages */
    CHUNK_BYTES = 256 * 1024 /* nor more memory, unless a single message needs it */
};
/* A message may need no more than this. */
#define CHUNK_MESSAGE_LIMIT ((uint64_t)1 << 30)

/*
 * base       offset of the first message
 * peak       newest timestamp of the partition up to the end of this chunk: never falls from chunk
 *            to chunk, so that a time can be searched by halving
 * size       bytes in use of the image, head included
 * capacity   bytes of the image
 * mapped     bytes of a mapping of its own, 0: a slice of the pool
 * hint_*     where the last reader stopped: number of the message and its place
 * image      the head is written by chunk_seal only
 */
struct chunk {
    int64_t base;
    int64_t peak;
    uint32_t count;
    uint32_t hint_index;
    uint64_t hint_at;
    uint64_t size;
    uint64_t capacity;
    uint64_t mapped;
    struct chunk *next_free;
    uint8_t image[];
};

static inline int64_t chunk_end(const struct chunk *chunk)
{
    return chunk->base + chunk->count;
}

/* Makes it empty. */
void chunk_clear(struct chunk *chunk, int64_t base, int64_t peak);
/* Bytes that a message takes; more than CHUNK_MESSAGE_LIMIT: it cannot be kept. */
uint64_t chunk_message_size(const struct log_message *message);
/* size: what chunk_message_size gave. */
bool chunk_has_room(const struct chunk *chunk, uint64_t size);
void chunk_add(struct chunk *chunk, const struct log_message *message, uint64_t size);
/* Keeps the first `count` messages. peak: of what stays. */
void chunk_truncate(struct chunk *chunk, uint32_t count, int64_t peak);
/* Writes the head of the image. */
void chunk_seal(struct chunk *chunk);

/* Why these bytes are no chunk at this offset, or NULL. Everything is checked, also each message. */
const char *chunk_fault(const uint8_t *image, uint64_t size, int64_t base);
/* Fills the chunk from an image without fault that fits its capacity. */
void chunk_load(struct chunk *chunk, const uint8_t *image, uint64_t size);

/*
 * Copies messages from `offset` (inside the chunk) on into the arena, as one block with zeros behind
 * it, until there are `max_count` or the bytes reach `max_bytes`; at least one.
 * Returns how many; 0: no memory. *ret_bytes: their packed size
 */
uint32_t chunk_copy(struct chunk *chunk, int64_t offset, uint32_t max_count, uint64_t max_bytes,
                    struct arena *arena, struct log_message *messages, uint64_t *ret_bytes);
/* The first offset from `offset` on whose message is not older, or the chunk's end. */
int64_t chunk_find_time(const struct chunk *chunk, int64_t offset, int64_t timestamp);

#endif
