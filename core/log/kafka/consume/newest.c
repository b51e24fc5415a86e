/* SPDX-License-Identifier: MIT */
#include "log/kafka/consume/newest.h"

#include <string.h>

#include <librdkafka/rdkafka.h>

#include "log/kafka/consume/browse.h"

enum { READ_MESSAGES = 256, READ_BYTES = 4 << 20 };

static bool is_key(weir_slice key, const char *wanted, size_t size)
{
    return key.size == size && memcmp(key.data, wanted, size) == 0;
}

/* The newest of a batch replaces what is in the buffer. */
static weir_status take_batch(const struct log_batch *batch, const char *key, weir_buffer *out,
                              bool *is_found, struct error *error)
{
    size_t size = strlen(key);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct log_message *message = &batch->messages[i];
        if (!is_key(message->key, key, size)) {
            continue;
        }
        *is_found = message->value.size != LOG_ABSENT;
        buffer_clear(out);
        if (*is_found &&
            weir_buffer_append(out, message->value.data, message->value.size) != WEIR_OK) {
            return error_no_memory(error);
        }
    }
    return WEIR_OK;
}

weir_status kafka_newest(struct kafka_log *log, struct kafka_topic *topic, const char *key,
                         weir_buffer *out, struct error *error)
{
    struct arena arena;
    struct log_batch batch = { .is_at_end = false };
    struct kafka_place next = KAFKA_BEGINNING;
    weir_status st = WEIR_OK;
    bool is_found = false;
    arena_init(&arena, 0);
    while (st == WEIR_OK && !batch.is_at_end) {
        arena_reset(&arena);
        st = kafka_browse(log, topic, 0, next, READ_MESSAGES, READ_BYTES, &arena, &batch, error);
        next = kafka_place(batch.next);
        st = st == WEIR_OK ? take_batch(&batch, key, out, &is_found, error) : st;
    }
    arena_deinit(&arena);
    return st == WEIR_OK && !is_found ? WEIR_E_NOT_FOUND : st;
}
