/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a chunk of a topic, as the embedded log's files hold them, with a checksum that fits so that it
 * does not refuse all of them. What is taken for a chunk must be readable from its first offset to its end.
 */
#include <stdlib.h>
#include <string.h>

#include "log/embedded/chunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_LIMIT = 64 * 1024 };

static void require(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

/* Bytes are added up, so that the sanitizer sees each read. */
static uint64_t sum_of(weir_slice bytes)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; bytes.size != LOG_ABSENT && i < bytes.size; i++) {
        sum += bytes.data[i];
    }
    return sum;
}

static uint64_t sum_of_message(const struct log_message *message)
{
    uint64_t sum = sum_of(message->key) + sum_of(message->value);
    for (uint32_t i = 0; i < message->header_count; i++) {
        const struct log_header *header = &message->headers[i];
        sum += sum_of((weir_slice){ (const uint8_t *)header->name, header->name_len }) +
               sum_of(header->value);
    }
    return sum;
}

/* What the reads came to; kept, so that the compiler does not leave them out. */
static volatile uint64_t total;

static void read_all(struct chunk *chunk)
{
    struct arena arena;
    arena_init(&arena, 0);
    int64_t offset = chunk->base;
    for (uint32_t index = 0; index < chunk->count;) {
        struct log_message messages[7];
        struct chunk_run run = chunk_run_at(chunk, index, 7, SIZE_LIMIT);
        require(run.count > 0 && run.count <= 7 && run.count <= chunk->count - index);
        require(chunk_unpack(chunk, &run, chunk->image + run.at, &arena, messages));
        for (uint32_t i = 0; i < run.count; i++) {
            require(messages[i].offset >= offset && messages[i].offset < chunk->end);
            offset = messages[i].offset + 1;
            total = total + sum_of_message(&messages[i]);
        }
        index += run.count;
        arena_reset(&arena);
    }
    int64_t found = chunk_find_time(chunk, chunk->base, 1);
    require(found >= chunk->base && found <= chunk->end);
    arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHUNK_HEAD || size > SIZE_LIMIT) {
        return 0;
    }
    struct chunk chunk = { .capacity = size };
    uint8_t *image = malloc(size);
    require(image != NULL);
    memcpy(image, data, size);
    chunk_stamp(image, size);
    int64_t base;
    memcpy(&base, image + 8, sizeof base);
    const char *fault = chunk_fault(image, size, base);
    if (fault == NULL) {
        chunk.image = image;
        chunk_load(&chunk, image, size);
        read_all(&chunk);
    } else {
        require(fault[0] != 0);
    }
    free(image);
    return 0;
}
