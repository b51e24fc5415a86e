/* SPDX-License-Identifier: MIT */
#include "cli/spans.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { FIRST_CAPACITY = 16 };

void spans_deinit(struct spans *spans)
{
    memory_free(spans->list);
    *spans = (struct spans){ .list = NULL };
}

/* The first span that ends at or behind `offset`; count: there is none. */
static uint32_t find(const struct spans *spans, int64_t offset)
{
    uint32_t low = 0;
    uint32_t high = spans->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (spans->list[middle].last < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool spans_has(const struct spans *spans, int64_t offset)
{
    uint32_t at = find(spans, offset);
    return at < spans->count && spans->list[at].first <= offset;
}

static bool insert(struct spans *spans, uint32_t at, struct span span)
{
    if (spans->count == spans->capacity) {
        uint32_t capacity = spans->capacity == 0 ? FIRST_CAPACITY : spans->capacity * 2;
        struct span *list = memory_resize(spans->list, capacity * sizeof *list);
        if (list == NULL) {
            return false;
        }
        spans->list = list;
        spans->capacity = capacity;
    }
    memmove(&spans->list[at + 1], &spans->list[at], (spans->count - at) * sizeof *spans->list);
    spans->list[at] = span;
    spans->count++;
    return true;
}

static void remove_at(struct spans *spans, uint32_t at)
{
    spans->count--;
    memmove(&spans->list[at], &spans->list[at + 1], (spans->count - at) * sizeof *spans->list);
}

bool spans_add(struct spans *spans, int64_t offset)
{
    uint32_t at = find(spans, offset);
    if (spans_has(spans, offset)) {
        return true;
    }
    bool joins_before = at > 0 && spans->list[at - 1].last == offset - 1;
    bool joins_after = at < spans->count && spans->list[at].first == offset + 1;
    if (joins_before && joins_after) {
        spans->list[at - 1].last = spans->list[at].last;
        remove_at(spans, at);
    } else if (joins_before) {
        spans->list[at - 1].last = offset;
    } else if (joins_after) {
        spans->list[at].first = offset;
    } else {
        return insert(spans, at, (struct span){ offset, offset });
    }
    return true;
}

/* A number and the sign behind it. False: there is none. */
static bool read_number(weir_slice *text, char sign, int64_t *ret)
{
    int64_t number = 0;
    bool has_digit = false;
    while (text->size > 0 && *text->data >= '0' && *text->data <= '9') {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *text->data - '0', &number)) {
            return false;
        }
        has_digit = true;
        text->data++;
        text->size--;
    }
    if (text->size > 0 && *text->data == (uint8_t)sign) {
        text->data++;
        text->size--;
    } else if (text->size > 0 || sign == '-') {
        return false;
    }
    *ret = number;
    return has_digit;
}

bool spans_read(struct spans *spans, weir_slice text)
{
    while (text.size > 0) {
        struct span span;
        if (!read_number(&text, '-', &span.first) || !read_number(&text, ',', &span.last) ||
            span.last < span.first ||
            (spans->count > 0 && spans->list[spans->count - 1].last >= span.first - 1) ||
            !insert(spans, spans->count, span)) {
            return false;
        }
    }
    return true;
}

weir_status spans_write(const struct spans *spans, weir_buffer *out)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; st == WEIR_OK && i < spans->count; i++) {
        st = buffer_printf(out, "%s%" PRId64 "-%" PRId64, i > 0 ? "," : "", spans->list[i].first,
                           spans->list[i].last);
    }
    return st;
}
