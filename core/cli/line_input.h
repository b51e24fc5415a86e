/* SPDX-License-Identifier: MIT */
/*
 * A file or standard input, line by line.
 */
#ifndef CLI_LINE_INPUT_H
#define CLI_LINE_INPUT_H

#include "base/arena.h"
#include "base/error.h"

enum { LINE_INPUT_PADDING = 64 };

struct line_input {
    int fd;
    const char *name;   /* for messages */
    uint64_t line;      /* number of the last line given, from 1 */
    weir_buffer buffer; /* what has been read and not given */
    uint64_t start;     /* of it in the buffer */
    uint64_t searched;  /* bytes behind start without a line break */
    bool is_at_end;
};

/* path NULL: standard input */
weir_status line_input_open(struct line_input *input, const char *path, struct error *error);
void line_input_close(struct line_input *input);
/*
 * The next line, without its line break, copied into the arena with LINE_INPUT_PADDING zeros behind.
 * The last line may lack the line break. WEIR_END: there is none; WEIR_E_LIMIT: it is too long.
 */
weir_status line_input_next(struct line_input *input, struct arena *arena, weir_slice *ret_line,
                            struct error *error);

#endif
