/* SPDX-License-Identifier: MIT */
#include "cli/line_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"

enum { READ_BYTES = 256 * 1024 };
#define LONGEST_LINE (UINT64_C(1) << 30)

weir_status line_input_open(struct line_input *input, const char *path, struct error *error)
{
    *input = (struct line_input){ .fd = STDIN_FILENO, .name = "standard input" };
    buffer_init(&input->buffer, LONGEST_LINE + READ_BYTES);
    if (path == NULL) {
        return WEIR_OK;
    }
    input->name = path;
    input->fd = open(path, O_RDONLY | O_CLOEXEC);
    return input->fd >= 0 ? WEIR_OK : error_from_errno(error, "open the file", path);
}

void line_input_close(struct line_input *input)
{
    if (input->fd > STDIN_FILENO) {
        close(input->fd);
    }
    buffer_deinit(&input->buffer);
}

/* Moves what is left to the front and reads more behind it. */
static weir_status read_more(struct line_input *input, struct error *error)
{
    weir_buffer *buffer = &input->buffer;
    if (input->start > 0) {
        buffer->size -= input->start;
        memmove(buffer->data, buffer->data + input->start, (size_t)buffer->size);
        input->start = 0;
    }
    weir_status st = weir_buffer_reserve(buffer, READ_BYTES);
    if (st != WEIR_OK) {
        return st == WEIR_E_LIMIT
                   ? error_set(error, st, WEIR_CLASS_DATA, "the line is longer than 1 GiB")
                   : error_no_memory(error);
    }
    ssize_t n;
    do {
        n = read(input->fd, buffer->data + buffer->size, READ_BYTES);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return error_from_errno(error, "read", input->name);
    }
    buffer->size += (uint64_t)n;
    input->is_at_end = n == 0;
    return WEIR_OK;
}

static weir_status give(struct line_input *input, uint64_t size, struct arena *arena,
                        weir_slice *ret_line, struct error *error)
{
    char *copy = arena_alloc(arena, (size_t)size + LINE_INPUT_PADDING);
    if (copy == NULL) {
        return error_no_memory(error);
    }
    if (size > 0) {
        memcpy(copy, input->buffer.data + input->start, (size_t)size);
    }
    memset(copy + size, 0, LINE_INPUT_PADDING);
    *ret_line = (weir_slice){ (const uint8_t *)copy, size };
    input->start += size;
    input->searched = 0;
    input->line++;
    return WEIR_OK;
}

weir_status line_input_next(struct line_input *input, struct arena *arena, weir_slice *ret_line,
                            struct error *error)
{
    for (;;) {
        uint64_t held = input->buffer.size - input->start;
        const uint8_t *from = input->buffer.data + input->start;
        const uint8_t *found = held == input->searched ? NULL
                                                       : memchr(from + input->searched, '\n',
                                                                (size_t)(held - input->searched));
        if (found != NULL) {
            weir_status st = give(input, (uint64_t)(found - from), arena, ret_line, error);
            input->start += st == WEIR_OK;
            return st;
        }
        input->searched = held;
        if (input->is_at_end) {
            return held == 0 ? WEIR_END : give(input, held, arena, ret_line, error);
        }
        weir_status st = read_more(input, error);
        if (st != WEIR_OK) {
            return st;
        }
    }
}
