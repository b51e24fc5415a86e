/* SPDX-License-Identifier: MIT */
/*
 * A buffer of the engine as a plugin sees it for one visit: small, on lent memory, and looked through
 * before what was appended goes on to the engine's own.
 */
#ifndef PLUGIN_DEBUG_LENT_BUFFER_H
#define PLUGIN_DEBUG_LENT_BUFFER_H

#include "plugin/debug/visit.h"

struct lent_buffer {
    weir_buffer buffer; /* first: grow finds the rest by its address */
    struct visit *visit;
    const weir_buffer *own;
    uint8_t *data; /* as lent last */
    uint64_t capacity;
};

/* own: the engine's; what it holds already is lent with it. False: no memory. */
bool lent_buffer_init(struct lent_buffer *lent, struct visit *visit, const weir_buffer *own);
/* False: it was changed otherwise than by appending, which was told. */
bool lent_buffer_judge(struct lent_buffer *lent);
/* Appends to `own` what the plugin has appended. */
weir_status lent_buffer_hand_on(const struct lent_buffer *lent, weir_buffer *own);

#endif
