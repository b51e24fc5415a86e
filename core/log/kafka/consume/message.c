/* SPDX-License-Identifier: MIT */
#include "log/kafka/consume/message.h"

#include <string.h>

static weir_slice slice_of(const void *data, size_t size)
{
    return (weir_slice){ data, data == NULL ? LOG_ABSENT : size };
}

static bool read_headers(rd_kafka_headers_t *from, struct arena *arena, struct log_message *ret)
{
    size_t count = rd_kafka_header_cnt(from);
    struct log_header *headers = arena_zeroed(arena, (count + 1) * sizeof *headers);
    for (size_t i = 0; headers != NULL && i < count; i++) {
        const void *value = NULL;
        size_t size = 0;
        (void)rd_kafka_header_get_all(from, i, &headers[i].name, &value, &size);
        headers[i].name_len = (uint32_t)strlen(headers[i].name);
        headers[i].value = slice_of(value, size);
    }
    ret->headers = headers;
    ret->header_count = (uint32_t)count;
    return headers != NULL;
}

bool kafka_message_read(rd_kafka_message_t *from, struct arena *arena, struct log_message *ret)
{
    rd_kafka_timestamp_type_t type;
    rd_kafka_headers_t *headers = NULL;
    *ret = (struct log_message){ .offset = from->offset,
                                 .timestamp = rd_kafka_message_timestamp(from, &type),
                                 .key = slice_of(from->key, from->key_len),
                                 .value = slice_of(from->payload, from->len) };
    return rd_kafka_message_headers(from, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
           read_headers(headers, arena, ret);
}
