/* SPDX-License-Identifier: MIT */
#include "support/heap_buffer.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 4096 };

static weir_status grow(weir_buffer *buffer, uint64_t more)
{
    if (more > buffer->limit - buffer->size) {
        return WEIR_E_LIMIT;
    }
    uint64_t needed = buffer->size + more;
    uint64_t capacity = buffer->capacity == 0 ? FIRST_CAPACITY : buffer->capacity * 2;
    if (capacity < needed) {
        capacity = needed;
    }
    if (capacity > buffer->limit) {
        capacity = buffer->limit;
    }
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) {
        return WEIR_E_NOMEM;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return WEIR_OK;
}

void heap_buffer_init(weir_buffer *buffer, uint64_t limit)
{
    *buffer = (weir_buffer){ .limit = limit, .grow = grow };
}

void heap_buffer_deinit(weir_buffer *buffer)
{
    free(buffer->data);
    heap_buffer_init(buffer, buffer->limit);
}
