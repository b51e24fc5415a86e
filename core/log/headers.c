/* SPDX-License-Identifier: MIT */
#include "log/headers.h"

const weir_member *log_headers_read(struct arena *arena, const struct log_message *message)
{
    static const weir_member none[1];
    if (message->header_count == 0) {
        return none;
    }
    weir_member *members = arena_zeroed(arena, message->header_count * sizeof *members);
    for (uint32_t i = 0; members != NULL && i < message->header_count; i++) {
        const struct log_header *header = &message->headers[i];
        members[i].key = header->name;
        members[i].key_len = header->name_len;
        members[i].value = header->value.size == LOG_ABSENT
                               ? weir_null()
                               : weir_bytes_value(header->value.data, (uint32_t)header->value.size);
    }
    return members;
}

const struct log_header *log_headers_make(struct arena *arena, const weir_record *record)
{
    static const struct log_header none[1];
    if (record->header_count == 0) {
        return none;
    }
    struct log_header *headers = arena_zeroed(arena, record->header_count * sizeof *headers);
    for (uint32_t i = 0; headers != NULL && i < record->header_count; i++) {
        const weir_member *member = &record->headers[i];
        headers[i].name = member->key;
        headers[i].name_len = member->key_len;
        headers[i].value =
            member->value.tag == WEIR_NULL
                ? (weir_slice){ NULL, LOG_ABSENT }
                : (weir_slice){ (const uint8_t *)member->value.as.text, member->value.len };
    }
    return headers;
}
