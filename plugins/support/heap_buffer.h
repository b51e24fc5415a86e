/* SPDX-License-Identifier: MIT */
/*
 * A weir_buffer on the heap, for what outlives a batch and grows.
 */
#ifndef SUPPORT_HEAP_BUFFER_H
#define SUPPORT_HEAP_BUFFER_H

#include <weir/abi.h>

/* limit: bytes that it may ever hold. Allocates nothing. */
void heap_buffer_init(weir_buffer *buffer, uint64_t limit);
/* Frees the memory; the buffer is empty and may be used again. */
void heap_buffer_deinit(weir_buffer *buffer);

#endif
