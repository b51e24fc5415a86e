/* SPDX-License-Identifier: MIT */
/*
 * A chunk: consecutive messages of one partition in one piece of memory, packed as the store keeps
 * them, so that committing and loading one is a single copy.
 *
 * Layout, little-endian. Head of CHUNK_HEAD bytes: format, flags, 2 zeros, count (4), base (8), end
 * (8), peak (8), bytes behind the head (8), checksum (8): XXH3 of those, seeded with that of the head
 * before it. Then each message: its size (4), size of the key (4), size of the value (4), number of
 * headers (4), timestamp (8), key, value; each header: size of the name (4), size of the value (4),
 * name, value. A size of all ones stands for null.
 *
 * A chunk that compaction has thinned out is sparse: behind the messages stand their offsets, less the
 * base (4 each, rising). It still stands for all offsets from base to end, so that a hole between two
 * chunks is always damage.
 */
#ifndef LOG_CHUNK_H
#define LOG_CHUNK_H

#include <stdatomic.h>

#include "log/log.h"

enum {
    CHUNK_FORMAT = 2,
    CHUNK_HEAD = 48,
    CHUNK_MESSAGE_HEAD = 24,
    CHUNK_OFFSET_BYTES = 4,
    CHUNK_MESSAGES = 1024,   /* a chunk takes no more messages */
    CHUNK_BYTES = 256 * 1024 /* nor more memory, unless a single message needs it */
};
/* A message may need no more than this. */
#define CHUNK_MESSAGE_LIMIT ((uint64_t)1 << 30)
/* Nor may a chunk stand for more offsets. */
#define CHUNK_SPAN_LIMIT ((int64_t)UINT32_MAX)

/*
 * What retention and compaction know of a chunk. Times are the wall clock's.
 *
 * written_ms      when its last message was appended
 * is_clean        it was compacted: no two messages up to its end have one key
 * has_tombstones  messages without a value are in it; they stay until `horizon_ms`
 */
struct chunk_marks {
    int64_t written_ms;
    bool is_clean;
    bool has_tombstones;
    int64_t horizon_ms;
};

/* A chunk without its messages. bytes: without the head. */
struct chunk_about {
    int64_t base;
    int64_t end;
    int64_t peak;
    uint64_t bytes;
    uint32_t count;
    struct chunk_marks marks;
};

/* Memory of somebody else's, given back once. give_back NULL: none. Any thread. */
struct chunk_loan {
    void (*give_back)(void *self);
    void *self;
};

/*
 * base       first offset that it stands for
 * end        one behind the last
 * peak       newest timestamp of the partition up to the end of this chunk: never falls from chunk
 *            to chunk, so that a time can be searched by halving
 * size       bytes in use of the image, head included
 * table      of them, those of the offsets behind the messages; 0: base, base + 1, ...
 * capacity   bytes of the image
 * mapped     bytes of a mapping of its own, 0: a slice of the pool
 * hint_*     where the last reader stopped: number of the message and its place
 * holders    who use it: the list or cache that it is in, and batches that look into it
 * image      the head is written by chunk_seal only; what readers have been given is never written again
 * loan       whose the image is, where it is not the pool's; then it is not written at all
 */
struct chunk {
    int64_t base;
    int64_t end;
    int64_t peak;
    uint32_t count;
    uint32_t hint_index;
    uint64_t hint_at;
    uint64_t size;
    uint64_t table;
    struct chunk_marks marks;
    uint64_t capacity;
    uint64_t mapped;
    struct chunk *next_free;
    atomic_uint holders;
    uint8_t *image;
    struct chunk_loan loan;
};

static inline struct chunk_about chunk_about(const struct chunk *chunk)
{
    return (struct chunk_about){ .base = chunk->base,
                                 .end = chunk->end,
                                 .peak = chunk->peak,
                                 .bytes = chunk->size - CHUNK_HEAD,
                                 .count = chunk->count,
                                 .marks = chunk->marks };
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
/* Number of the first message whose offset is not smaller, or the count. */
uint32_t chunk_index(const struct chunk *chunk, int64_t offset);

/* ---- thinning out: of two chunks one after the other, the messages that stay go into a third ---- */

struct chunk_message {
    int64_t offset;
    int64_t timestamp;
    weir_slice key;
    weir_slice value;
    uint64_t at;
    uint64_t size;
};

/* A walk over all messages. False: there is none any more. */
struct chunk_walk {
    const struct chunk *chunk;
    uint32_t index;
    uint64_t at;
};
struct chunk_walk chunk_walk_start(const struct chunk *chunk);
bool chunk_walk_next(struct chunk_walk *walk, struct chunk_message *ret);
/* Copies a message of `from` behind those of `to`, which has room for it and CHUNK_OFFSET_BYTES more.
 * offsets: of the messages of `to`, room for CHUNK_MESSAGES. */
void chunk_take(struct chunk *to, uint32_t *offsets, const struct chunk *from,
                const struct chunk_message *message);
/* Puts the offsets behind the messages, where they have gaps. The chunk stands for all up to `end`. */
void chunk_close(struct chunk *chunk, const uint32_t *offsets, int64_t end, int64_t peak);

/* ---- chunk_image.c: what is stored ---------------------------------------------------------------- */

/* Writes the head of the image. */
void chunk_seal(struct chunk *chunk);
/* Writes the checksum into an image with a head. */
void chunk_stamp(uint8_t *image, uint64_t size);

/* Why these bytes are no chunk at this offset, or NULL. Everything is checked, also each message:
 * no bytes that have passed lead a reader out of the image. */
const char *chunk_fault(const uint8_t *image, uint64_t size, int64_t base);
/* Fills the chunk from an image without fault that fits its capacity, or is its own already. */
void chunk_load(struct chunk *chunk, const uint8_t *image, uint64_t size);

/* ---- reading -------------------------------------------------------------------------------------- */

/* Messages one after the other: number of the first, how many, and their place in the image. */
struct chunk_run {
    uint32_t index;
    uint32_t count;
    uint64_t at;
    uint64_t size;
};

/* From number `index` (one that is there) on, until there are `max_count` or the bytes reach `max_bytes`;
 * at least one. */
struct chunk_run chunk_run_at(const struct chunk *chunk, uint32_t index, uint32_t max_count,
                              uint64_t max_bytes);
/* Copies its bytes. NULL: no memory. */
const uint8_t *chunk_copy(const struct chunk *chunk, const struct chunk_run *run,
                          struct arena *arena);
/*
 * Lays its messages out. They point into `bytes`: those of the run in the chunk, or a copy.
 * False: no memory, for arrays of headers.
 */
bool chunk_unpack(struct chunk *chunk, const struct chunk_run *run, const uint8_t *bytes,
                  struct arena *arena, struct log_message *messages);
/* The first offset from `offset` on whose message is not older, or the chunk's end. */
int64_t chunk_find_time(const struct chunk *chunk, int64_t offset, int64_t timestamp);

#endif
