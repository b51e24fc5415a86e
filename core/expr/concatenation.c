/* SPDX-License-Identifier: MIT */
/*
 * text + text, list * int and the like: new values, bounded in size.
 */
#include <string.h>

#include "expr/chain.h"

static uint64_t size_limit(const weir_value *v)
{
    return v->tag == WEIR_LIST ? RESULT_MAX_ITEMS : RESULT_MAX_BYTES;
}

static size_t unit_size(const weir_value *v)
{
    return v->tag == WEIR_LIST ? sizeof(weir_value) : 1;
}

static uint32_t too_large(const struct link_run *run, const weir_value *v, weir_value *out)
{
    bool is_list = v->tag == WEIR_LIST;
    return chain_fail(run, out,
                      is_list ? "the list would have more than 1048576 items"
                              : "the result would have more than 16 MiB");
}

/* The bytes or items `pieces` times behind each other, as a value of the kind of `v`. */
uint32_t chain_repeat(const struct link_run *run, const weir_value *v, int64_t times,
                      weir_value *out)
{
    uint64_t count = times < 0 ? 0 : (uint64_t)times;
    if (v->len == 0) {
        count = 0;
    }
    if (count > 0 && count > size_limit(v) / v->len) {
        return too_large(run, v, out);
    }
    size_t piece = v->len * unit_size(v);
    char *bytes = frame_alloc(run->frame, count * piece);
    if (bytes == NULL) {
        return chain_fail(run, out, "out of memory");
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(bytes + i * piece, v->as.text, piece);
    }
    weir_value made = { .tag = v->tag, .len = (uint32_t)(count * v->len) };
    made.flags = v->tag == WEIR_TEXT ? v->flags & WEIR_VALUE_PLAIN : 0;
    made.as.text = bytes;
    *out = made;
    return 0;
}

uint32_t chain_concatenate(const struct link_run *run, const weir_value *a, const weir_value *b,
                           weir_value *out)
{
    uint64_t len = (uint64_t)a->len + b->len;
    if (len > size_limit(a)) {
        return too_large(run, a, out);
    }
    size_t unit = unit_size(a);
    char *bytes = frame_alloc(run->frame, len * unit);
    if (bytes == NULL) {
        return chain_fail(run, out, "out of memory");
    }
    if (a->len > 0) {
        memcpy(bytes, a->as.text, a->len * unit);
    }
    if (b->len > 0) {
        memcpy(bytes + a->len * unit, b->as.text, b->len * unit);
    }
    weir_value made = { .tag = a->tag, .len = (uint32_t)len };
    made.flags = a->tag == WEIR_TEXT ? a->flags & b->flags & WEIR_VALUE_PLAIN : 0;
    made.as.text = bytes;
    *out = made;
    return 0;
}
