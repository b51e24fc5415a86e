/* SPDX-License-Identifier: MIT */
#include "engine/tasks/align.h"

static bool is_there(const struct align_head *head)
{
    return head->front == ALIGN_FREE || head->front == ALIGN_TIMED;
}

static bool is_before(const struct align_head *a, const struct align_head *b)
{
    if (a->front != b->front) {
        return a->front == ALIGN_FREE;
    }
    return a->front == ALIGN_TIMED && a->timestamp < b->timestamp;
}

uint32_t align_first(const struct align_head *heads, uint32_t count)
{
    uint32_t first = ALIGN_NOTHING;
    bool is_awaited = false;
    for (uint32_t i = 0; i < count; i++) {
        is_awaited |= heads[i].front == ALIGN_AWAITED;
        if (is_there(&heads[i]) &&
            (first == ALIGN_NOTHING || is_before(&heads[i], &heads[first]))) {
            first = i;
        }
    }
    bool has_free = first != ALIGN_NOTHING && heads[first].front == ALIGN_FREE;
    return is_awaited && first != ALIGN_NOTHING && !has_free ? ALIGN_WAIT : first;
}

int64_t align_until(const struct align_head *heads, uint32_t count, uint32_t first)
{
    int64_t until = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (i == first || heads[i].front != ALIGN_TIMED) {
            continue;
        }
        /* Of equal ones the first goes first; the head of a later one is newer than INT64_MIN. */
        int64_t last = first < i ? heads[i].timestamp : heads[i].timestamp - 1;
        until = last < until ? last : until;
    }
    return until;
}
