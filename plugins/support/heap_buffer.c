/* SPDX-License-Identifier: MIT */
#include "support/heap_buffer.h"

#include <stdlib.h>

#include <weir/field.h>

void heap_buffer_init(weir_buffer *buffer, uint64_t limit)
{
    *buffer = (weir_buffer){ .limit = limit, .grow = weir_heap_grow };
}

void heap_buffer_deinit(weir_buffer *buffer)
{
    free(buffer->data);
    heap_buffer_init(buffer, buffer->limit);
}
