/* SPDX-License-Identifier: MIT */
/*
 * weir_buffer (weir/abi.h) on the heap: the maker's side.
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdarg.h>

#include <weir/abi.h>

/* limit: bytes it may ever hold. Allocates nothing. */
void buffer_init(weir_buffer *buffer, uint64_t limit);
void buffer_deinit(weir_buffer *buffer);
/* Empties it and keeps its memory. */
static inline void buffer_clear(weir_buffer *buffer)
{
    buffer->size = 0;
}
/* Appends text in the manner of printf. */
weir_status buffer_printf(weir_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
weir_status buffer_vprintf(weir_buffer *buffer, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static inline weir_status buffer_text(weir_buffer *buffer, const char *text)
{
    return weir_buffer_append(buffer, text, __builtin_strlen(text));
}
/* Puts a NUL behind the contents (not counted) and returns them; NULL: no memory. */
const char *buffer_c_string(weir_buffer *buffer);

#endif
