/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/facts.h"

#include <string.h>

enum { SIZE_BYTES = 8 };

static bool append_size(weir_buffer *out, uint64_t size)
{
    uint8_t bytes[SIZE_BYTES];
    for (int i = 0; i < SIZE_BYTES; i++) {
        bytes[i] = (uint8_t)(size >> (8 * i));
    }
    return weir_buffer_append(out, bytes, sizeof bytes) == WEIR_OK;
}

bool facts_pack(weir_buffer *out, const struct log_fact *fact)
{
    size_t key_size = strlen(fact->key);
    return append_size(out, key_size) && append_size(out, fact->value.size) &&
           weir_buffer_append(out, fact->key, key_size) == WEIR_OK &&
           weir_buffer_append(out, fact->value.data, fact->value.size) == WEIR_OK;
}

static uint64_t read_size(const uint8_t *bytes)
{
    uint64_t size = 0;
    for (int i = SIZE_BYTES - 1; i >= 0; i--) {
        size = size << 8 | bytes[i];
    }
    return size;
}

/* The fact at *offset, which moves behind it. False: there is none, or not all of it. */
static bool unpack(const weir_buffer *facts, uint64_t *offset, weir_slice *ret_key,
                   weir_slice *ret_value)
{
    uint64_t left = facts->size - *offset;
    const uint8_t *at = facts->data + *offset;
    if (left < 2 * SIZE_BYTES) {
        return false;
    }
    uint64_t key_size = read_size(at);
    uint64_t value_size = read_size(at + SIZE_BYTES);
    left -= 2 * SIZE_BYTES;
    if (key_size > left || value_size > left - key_size) {
        return false;
    }
    *ret_key = (weir_slice){ at + 2 * SIZE_BYTES, key_size };
    *ret_value = (weir_slice){ at + 2 * SIZE_BYTES + key_size, value_size };
    *offset += 2 * SIZE_BYTES + key_size + value_size;
    return true;
}

weir_slice facts_find(const weir_buffer *facts, const char *key)
{
    weir_slice name;
    weir_slice value;
    uint64_t offset = 0;
    size_t size = strlen(key);
    while (unpack(facts, &offset, &name, &value)) {
        if (name.size == size && memcmp(name.data, key, size) == 0) {
            return value;
        }
    }
    return (weir_slice){ NULL, LOG_ABSENT };
}
