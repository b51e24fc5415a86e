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

static bool append(weir_buffer *out, weir_slice key, weir_slice value)
{
    return append_size(out, key.size) && append_size(out, value.size) &&
           weir_buffer_append(out, key.data, key.size) == WEIR_OK &&
           weir_buffer_append(out, value.data, value.size) == WEIR_OK;
}

static weir_slice key_of(const struct log_fact *fact)
{
    return (weir_slice){ (const uint8_t *)fact->key, strlen(fact->key) };
}

bool facts_pack(weir_buffer *out, const struct log_fact *fact)
{
    return append(out, key_of(fact), fact->value);
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

static bool is_among(weir_slice key, const struct log_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        weir_slice one = key_of(&facts[i]);
        if (facts[i].topic == NULL && one.size == key.size &&
            memcmp(one.data, key.data, (size_t)key.size) == 0) {
            return true;
        }
    }
    return false;
}

bool facts_keep(weir_buffer *out, const weir_buffer *before, const struct log_fact *changed,
                size_t count)
{
    weir_slice key;
    weir_slice value;
    uint64_t offset = 0;
    while (unpack(before, &offset, &key, &value)) {
        if (!is_among(key, changed, count) && !append(out, key, value)) {
            return false;
        }
    }
    return true;
}
