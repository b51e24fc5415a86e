/* SPDX-License-Identifier: MIT */
#include "plugin/debug/lent_buffer.h"

#include <inttypes.h>
#include <string.h>

#include "plugin/debug/debug_host.h"

enum { FRESH = 0xA5 };

static bool lend_block(struct lent_buffer *lent, uint64_t capacity)
{
    uint8_t *data = lent_memory_alloc(&lent->visit->memory, capacity, FRESH);
    if (data == NULL) {
        return false;
    }
    if (lent->buffer.size > 0) {
        memcpy(data, lent->buffer.data, lent->buffer.size);
    }
    lent->data = data;
    lent->capacity = capacity;
    lent->buffer.data = data;
    lent->buffer.capacity = capacity;
    return true;
}

static weir_status grow(weir_buffer *buffer, uint64_t more)
{
    struct lent_buffer *lent = (struct lent_buffer *)(void *)buffer;
    if (lent->visit != visit_current()) {
        visit_breach_outside(lent->visit->who, lent->visit->slot, RULE_CONTEXT_THREAD,
                             "lent its buffer to another thread");
        return WEIR_E_INVALID;
    }
    if (!lent_buffer_judge(lent)) {
        return WEIR_E_INVALID;
    }
    if (more > buffer->limit || buffer->size > buffer->limit - more) {
        return WEIR_E_LIMIT;
    }
    if (debug_host_refuses()) {
        lent->visit->is_refused = true;
        return WEIR_E_NOMEM;
    }
    uint64_t needed = buffer->size + more;
    uint64_t capacity = needed > buffer->capacity * 2 ? needed : buffer->capacity * 2;
    capacity = capacity > buffer->limit ? buffer->limit : capacity;
    return lend_block(lent, capacity) ? WEIR_OK : WEIR_E_NOMEM;
}

bool lent_buffer_init(struct lent_buffer *lent, struct visit *visit, const weir_buffer *own)
{
    *lent = (struct lent_buffer){ .visit = visit, .own = own };
    lent->buffer = (weir_buffer){ own->data, own->size, own->size, own->limit, grow };
    return lend_block(lent, own->size);
}

bool lent_buffer_judge(struct lent_buffer *lent)
{
    const weir_buffer *now = &lent->buffer;
    const weir_buffer *own = lent->own;
    if (now->size > lent->capacity) {
        visit_breach(lent->visit, RULE_BUFFER,
                     "set the size of a buffer to %" PRIu64 ", beyond its capacity of %" PRIu64,
                     now->size, lent->capacity);
        return false;
    }
    if (now->data != lent->data || now->capacity != lent->capacity || now->limit != own->limit ||
        now->grow != grow || now->size < own->size ||
        (own->size > 0 && memcmp(now->data, own->data, own->size) != 0)) {
        visit_breach(lent->visit, RULE_BUFFER, "changed a buffer otherwise than by appending");
        return false;
    }
    return true;
}

weir_status lent_buffer_hand_on(const struct lent_buffer *lent, weir_buffer *own)
{
    uint64_t before = own->size;
    return weir_buffer_append(own, lent->buffer.data + before, lent->buffer.size - before);
}
