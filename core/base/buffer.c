/* SPDX-License-Identifier: MIT */
/*
 * Growing buffers: capacity doubles up to the limit, so that appending is linear in what is
 * appended. One byte more than the capacity is held for the NUL of buffer_c_string.
 */
#include "base/buffer.h"

#include <stdio.h>

#include "base/memory.h"

static weir_status grow(weir_buffer *buffer, uint64_t more)
{
    enum { SMALLEST = 64 };
    if (more > buffer->limit || buffer->size > buffer->limit - more) {
        return WEIR_E_LIMIT;
    }
    uint64_t wanted = buffer->size + more;
    uint64_t doubled = buffer->capacity > UINT64_MAX / 2 ? wanted : buffer->capacity * 2;
    uint64_t capacity = doubled > wanted ? doubled : wanted;
    if (capacity < SMALLEST) {
        capacity = SMALLEST;
    }
    if (capacity > buffer->limit) {
        capacity = buffer->limit;
    }
    if (capacity >= SIZE_MAX) {
        return WEIR_E_NOMEM;
    }
    uint8_t *data = memory_resize(buffer->data, (size_t)capacity + 1);
    if (data == NULL) {
        return WEIR_E_NOMEM;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return WEIR_OK;
}

void buffer_init(weir_buffer *buffer, uint64_t limit)
{
    *buffer = (weir_buffer){ .limit = limit, .grow = grow };
}

void buffer_deinit(weir_buffer *buffer)
{
    memory_free(buffer->data);
    buffer->data = NULL;
    buffer->size = 0;
    buffer->capacity = 0;
}

weir_status buffer_vprintf(weir_buffer *buffer, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length <= 0) {
        return length == 0 ? WEIR_OK : WEIR_E_INVALID;
    }
    /* Of buffers made elsewhere nothing is known about a byte beyond the capacity. */
    uint64_t terminator = buffer->grow == grow ? 0 : 1;
    weir_status st = weir_buffer_reserve(buffer, (uint64_t)length + terminator);
    if (st == WEIR_OK) {
        vsnprintf((char *)buffer->data + buffer->size, (size_t)length + 1, format, args);
        buffer->size += (uint64_t)length;
    }
    return st;
}

weir_status buffer_printf(weir_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    weir_status st = buffer_vprintf(buffer, format, args);
    va_end(args);
    return st;
}

const char *buffer_c_string(weir_buffer *buffer)
{
    if (buffer->data == NULL && grow(buffer, 0) != WEIR_OK) {
        return NULL;
    }
    buffer->data[buffer->size] = '\0';
    return (const char *)buffer->data;
}
