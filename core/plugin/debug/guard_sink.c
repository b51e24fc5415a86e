/* SPDX-License-Identifier: MIT */
/*
 * A sink under guard. Beside what is judged everywhere, two things are done that a crash would do:
 * each token is published twice, and before the first record what was written, nothing, is discarded.
 */
#include "plugin/debug/copy.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/lent_buffer.h"

_Static_assert(sizeof(weir_sink_vtable) == 96, "each slot has its guard");

enum { FIRST_ORDINAL = 1 << 24 };

static const weir_sink_vtable *real_of(const struct guard *guard)
{
    return guard->real->vtable;
}

static void begin(struct guard *guard, struct visit *visit, const char *slot,
                  enum guard_state state)
{
    visit_begin(visit, &guard->visitee, slot);
    if (guard->state != state) {
        visit_breach(visit, RULE_SINK_ORDER, "was called by weir where it may not be");
    }
}

static weir_status guard_open(void *self, weir_context *ctx, weir_slice token)
{
    struct guard *guard = self;
    struct visit visit;
    weir_slice lent;
    begin(guard, &visit, "open", GUARD_MADE);
    weir_status st = WEIR_E_NOMEM;
    if (copy_slice_in(&visit, token, &lent) && visit_lend_context(&visit, 0, NULL, 0)) {
        st = WEIR_OK;
        if (real_of(guard)->open != NULL) {
            st = real_of(guard)->open(guard->self, visit_context(&visit), lent);
        }
        visit_settle(&visit, st, 0);
        guard->state = st == WEIR_OK ? GUARD_OPEN : GUARD_CLOSED;
    }
    return visit_end(&visit, ctx, 0, st);
}

/* reset, discard and close: nothing but a context. */
static weir_status call_plain(struct guard *guard, weir_context *ctx, const char *what,
                              enum guard_state state,
                              weir_status (*slot)(void *self, weir_context *ctx))
{
    struct visit visit;
    begin(guard, &visit, what, state);
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0)) {
        st = slot(guard->self, visit_context(&visit));
        visit_settle(&visit, st, 0);
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status guard_reset(void *self, weir_context *ctx)
{
    return call_plain(self, ctx, "reset", GUARD_MADE, real_of(self)->reset);
}

static weir_status guard_discard(void *self, weir_context *ctx)
{
    return call_plain(self, ctx, "discard", GUARD_OPEN, real_of(self)->discard);
}

static weir_status guard_close(void *self, weir_context *ctx)
{
    struct guard *guard = self;
    weir_status st = call_plain(guard, ctx, "close", GUARD_OPEN, real_of(guard)->close);
    guard->state = GUARD_CLOSED;
    return st;
}

static weir_status write_piece(struct guard *guard, weir_context *ctx, const weir_batch *in,
                               uint32_t from, uint32_t count)
{
    struct visit visit;
    begin(guard, &visit, "write", GUARD_OPEN);
    const weir_batch *batch = copy_batch_in(&visit, in, from, count, FIRST_ORDINAL + from);
    weir_status st = WEIR_E_NOMEM;
    if (batch != NULL && visit_lend_context(&visit, 0, batch, count)) {
        st = real_of(guard)->write(guard->self, visit_context(&visit), batch);
        visit_settle(&visit, st, 1u << WEIR_END);
    }
    return visit_end(&visit, ctx, from, st);
}

static weir_status guard_write(void *self, weir_context *ctx, const weir_batch *in)
{
    struct guard *guard = self;
    weir_status st = WEIR_OK;
    if (!guard->has_written && real_of(guard)->discard != NULL) {
        st = guard_discard(guard, ctx);
    }
    guard->has_written = true;
    for (uint32_t from = 0; from < in->count && st == WEIR_OK;) {
        uint32_t count = guard_piece(guard, in->count - from);
        st = write_piece(guard, ctx, in, from, count);
        if (st < 0) {
            weir_delivered(ctx, 0, from); /* the pieces before */
        }
        from += count;
    }
    return st;
}

static weir_status guard_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                               weir_buffer *ret_token)
{
    struct guard *guard = self;
    struct visit visit;
    struct lent_buffer lent;
    begin(guard, &visit, "flush", GUARD_OPEN);
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0) && lent_buffer_init(&lent, &visit, ret_token)) {
        st = real_of(guard)->flush(guard->self, visit_context(&visit), deadline_ns, flags,
                                   &lent.buffer);
        visit_settle(&visit, st, 1u << WEIR_END);
        if (lent_buffer_judge(&lent) && st >= 0) {
            weir_status copied = lent_buffer_hand_on(&lent, ret_token);
            st = copied == WEIR_OK ? st : copied;
        }
        if (st >= 0 && ret_token->size > 0 && real_of(guard)->publish == NULL) {
            visit_breach(&visit, RULE_TOKEN, "gave a token and has no publish");
        }
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status publish_once(struct guard *guard, weir_context *ctx, weir_slice token,
                                bool is_again)
{
    struct visit visit;
    weir_slice lent;
    begin(guard, &visit, "publish", GUARD_OPEN);
    weir_status st = WEIR_E_NOMEM;
    if (copy_slice_in(&visit, token, &lent) && visit_lend_context(&visit, 0, NULL, 0)) {
        st = real_of(guard)->publish(guard->self, visit_context(&visit), lent);
        visit_settle(&visit, st, 0);
        if (is_again && st != WEIR_OK) {
            visit_breach(&visit, RULE_PUBLISH_TWICE,
                         "returned status %d for a token that it had "
                         "published already",
                         st);
        }
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status guard_publish(void *self, weir_context *ctx, weir_slice token)
{
    struct guard *guard = self;
    weir_status st = publish_once(guard, ctx, token, false);
    return st == WEIR_OK ? publish_once(guard, ctx, token, true) : st;
}

static weir_status guard_locate(void *self, weir_buffer *out)
{
    struct guard *guard = self;
    struct visit visit;
    struct lent_buffer lent;
    visit_begin(&visit, &guard->visitee, "locate");
    weir_status st = WEIR_E_NOMEM;
    if (lent_buffer_init(&lent, &visit, out)) {
        st = real_of(guard)->locate(guard->self, &lent.buffer);
        visit_settle(&visit, st, 0);
        if (lent_buffer_judge(&lent) && st == WEIR_OK) {
            st = lent_buffer_hand_on(&lent, out);
        }
    }
    return visit_end(&visit, NULL, 0, st);
}

static weir_status guard_tick(void *self, weir_context *ctx, int64_t now_ms, int64_t *ret_next_ms)
{
    struct guard *guard = self;
    struct visit visit;
    begin(guard, &visit, "tick", GUARD_OPEN);
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0)) {
        st = real_of(guard)->tick(guard->self, visit_context(&visit), now_ms, ret_next_ms);
        visit_settle(&visit, st, 1u << WEIR_AGAIN);
    }
    return visit_end(&visit, ctx, 0, st);
}

void guard_fill_sink(struct guard *guard)
{
    const weir_sink_vtable *real = real_of(guard);
    guard->vtable.sink = (weir_sink_vtable){
        .struct_size = sizeof guard->vtable.sink,
        .open = guard_open,
        .write = guard_write,
        .flush = real->flush != NULL ? guard_flush : NULL,
        .publish = real->publish != NULL ? guard_publish : NULL,
        .discard = real->discard != NULL ? guard_discard : NULL,
        .reset = real->reset != NULL ? guard_reset : NULL,
        .close = real->close != NULL ? guard_close : NULL,
        .locate = real->locate != NULL ? guard_locate : NULL,
        .tick =
            WEIR_HAS_FIELD(real, weir_sink_vtable, tick) && real->tick != NULL ? guard_tick : NULL,
    };
}
