/* SPDX-License-Identifier: MIT */
/*
 * A set of offsets as spans of neighbours, and its text: "0-4,7-7". It tells which letters of a
 * partition have been replayed.
 */
#ifndef CLI_SPANS_H
#define CLI_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/abi.h>

struct span {
    int64_t first;
    int64_t last;
};

/* Zeroed: empty. Ascending; between two spans some offset is missing. */
struct spans {
    struct span *list;
    uint32_t count;
    uint32_t capacity;
};

void spans_deinit(struct spans *spans);
bool spans_has(const struct spans *spans, int64_t offset);
/* False: no memory. */
bool spans_add(struct spans *spans, int64_t offset);
/* False: no memory, or not such a text. */
bool spans_read(struct spans *spans, weir_slice text);
/* Appends the text. */
weir_status spans_write(const struct spans *spans, weir_buffer *out);

#endif
