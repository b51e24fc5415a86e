/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/message_hash.h"

#include <string.h>

#include "base/hashmap.h"

static uint64_t hash_number(uint64_t number, uint64_t seed)
{
    return hash_bytes(&number, sizeof number, seed);
}

/* data NULL: there is none, which is not the same as an empty one */
static uint64_t hash_field(const void *data, size_t size, uint64_t seed)
{
    return data == NULL ? hash_number(UINT64_MAX, seed)
                        : hash_bytes(data, size, hash_number(size, seed));
}

static uint64_t hash_slice(weir_slice slice, uint64_t seed)
{
    bool is_null = slice.size == LOG_ABSENT;
    return hash_field(is_null           ? NULL
                      : slice.size == 0 ? (const void *)""
                                        : slice.data,
                      is_null ? 0 : (size_t)slice.size, seed);
}

static uint64_t hash_place(const char *topic, uint32_t partition)
{
    return hash_bytes(topic, strlen(topic), partition);
}

uint64_t kafka_hash_message(const struct log_topic *topic, uint32_t partition,
                            const struct log_message *message)
{
    uint64_t hash = hash_place(topic->name, partition);
    hash = hash_slice(message->value, hash_slice(message->key, hash));
    for (uint32_t i = 0; i < message->header_count; i++) {
        const struct log_header *header = &message->headers[i];
        hash = hash_bytes(header->name, header->name_len, hash);
        hash = hash_slice(header->value, hash);
    }
    return hash;
}

uint64_t kafka_hash_time(uint64_t hash, int64_t timestamp)
{
    return hash_number((uint64_t)timestamp, hash);
}

static uint64_t hash_headers(const rd_kafka_message_t *message, uint64_t hash)
{
    rd_kafka_headers_t *headers = NULL;
    const char *name;
    const void *value;
    size_t size;
    if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return hash;
    }
    for (size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         i++) {
        hash = hash_bytes(name, strlen(name), hash);
        hash = hash_field(value, size, hash);
    }
    return hash;
}

uint64_t kafka_hash_report(const rd_kafka_message_t *message)
{
    uint64_t hash = hash_place(rd_kafka_topic_name(message->rkt), (uint32_t)message->partition);
    hash = hash_field(message->key, message->key_len, hash);
    hash = hash_field(message->payload, message->len, hash);
    return hash_headers(message, hash);
}
