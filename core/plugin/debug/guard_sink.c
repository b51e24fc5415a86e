/* SPDX-License-Identifier: MIT */
/*
 * A sink under guard. Beside what is judged everywhere, some things are done that happen rarely: each flush
 * is done twice, as where another sink has put off the checkpoint; and as after a crash each token is
 * published twice, and where nothing was written since the last one, that is discarded before the sink is
 * closed.
 */
#include <stdio.h>

#include "plugin/debug/copy.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/lent_buffer.h"

_Static_assert(sizeof(weir_sink_vtable) == 104, "each slot has its guard");

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

/* write, tick and flush: not while a token is committed and not published. */
static void begin_unpublished(struct guard *guard, struct visit *visit, const char *slot)
{
    begin(guard, visit, slot, GUARD_OPEN);
    if (guard->is_publishing) {
        visit_breach(visit, RULE_SINK_COMMITTED,
                     "was called by weir before the publish of a token has succeeded");
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
        guard->state = st == WEIR_OK ? GUARD_OPEN : guard->state;
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
    struct guard *guard = self;
    guard->awaits_publish = false;
    guard->has_written = false;
    return call_plain(guard, ctx, "discard", GUARD_OPEN, real_of(guard)->discard);
}

static weir_status guard_close(void *self, weir_context *ctx)
{
    struct guard *guard = self;
    weir_status st = WEIR_OK;
    if (!guard->has_written && !guard->awaits_publish && real_of(guard)->discard != NULL) {
        st = guard_discard(guard, ctx);
    }
    if (st == WEIR_OK && real_of(guard)->close != NULL) {
        st = call_plain(guard, ctx, "close", GUARD_OPEN, real_of(guard)->close);
    }
    guard->state = GUARD_CLOSED;
    return st;
}

/* ---- write ------------------------------------------------------------------------------------- */

/* The first record that a piece has failed for now, in the words of the plugin. */
struct for_now {
    bool is_met;
    weir_status status;
    uint32_t error_class;
    char message[256];
};

static void note_for_now(const struct call *call, struct for_now *for_now)
{
    for (uint32_t i = 0; i < call->failure_count && !for_now->is_met; i++) {
        const struct call_failure *failure = &call->failures[i];
        if (failure->is_retriable) {
            *for_now = (struct for_now){ true, failure->status, failure->error_class, "" };
            snprintf(for_now->message, sizeof for_now->message, "%s", failure->message);
        }
    }
}

static void judge_outcomes(struct visit *visit)
{
    const struct call *call = &visit->page->call;
    for (uint32_t i = 0; i < call->failure_count; i++) {
        if (call_is_delivered(call, call->failures[i].index)) {
            visit_breach(visit, RULE_SINK_OUTCOME, "failed record %u and delivered it",
                         call->failures[i].index);
        }
    }
}

static weir_status write_piece(struct guard *guard, weir_context *ctx, const weir_batch *in,
                               uint32_t from, uint32_t count, struct for_now *for_now)
{
    struct visit visit;
    begin_unpublished(guard, &visit, "write");
    const weir_batch *batch = copy_batch_in(&visit, in, from, count, FIRST_ORDINAL + from);
    weir_status st = WEIR_E_NOMEM;
    if (batch != NULL && visit_lend_context(&visit, 0, batch, count)) {
        st = real_of(guard)->write(guard->self, visit_context(&visit), batch);
        visit_settle(&visit, st, 1u << WEIR_END);
        judge_outcomes(&visit);
        note_for_now(&visit.page->call, for_now);
    }
    return visit_end(&visit, ctx, from, st);
}

/* What comes behind a record that is to be written again waits for it. */
static void fail_rest(weir_context *ctx, uint32_t from, uint32_t count,
                      const struct for_now *for_now)
{
    for (uint32_t i = from; i < count; i++) {
        weir_fail_for_now(ctx, i, for_now->status, for_now->error_class, 0, for_now->message, NULL);
    }
}

static weir_status guard_write(void *self, weir_context *ctx, const weir_batch *in)
{
    struct guard *guard = self;
    struct for_now for_now = { .is_met = false };
    weir_status st = WEIR_OK;
    uint32_t from = 0;
    guard->has_written = true;
    while (from < in->count && st == WEIR_OK && !for_now.is_met) {
        uint32_t count = guard_piece(guard, in->count - from);
        st = write_piece(guard, ctx, in, from, count, &for_now);
        if (st < 0) {
            weir_delivered(ctx, 0, from); /* the pieces before */
        }
        from += count;
    }
    if (st == WEIR_OK && for_now.is_met) {
        fail_rest(ctx, from, in->count, &for_now);
    }
    return st;
}

/* ---- flush and publish --------------------------------------------------------------------------- */

static weir_status flush_once(struct guard *guard, weir_context *ctx, int64_t deadline_ns,
                              uint32_t flags, weir_buffer *ret_token)
{
    struct visit visit;
    struct lent_buffer lent;
    begin_unpublished(guard, &visit, "flush");
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0) && lent_buffer_init(&lent, &visit, ret_token)) {
        st = real_of(guard)->flush(guard->self, visit_context(&visit), deadline_ns, flags,
                                   &lent.buffer);
        visit_settle(&visit, st, 1u << WEIR_END);
        if (lent_buffer_judge(&lent) && st >= 0) {
            weir_status copied = lent_buffer_hand_on(&lent, ret_token);
            st = copied == WEIR_OK ? st : copied;
        }
        if (st >= 0 && guard->awaits_publish && ret_token->size == 0) {
            visit_breach(&visit, RULE_FLUSH_AGAIN,
                         "gave a token, and none when it was called again before the publish");
        }
        if (st >= 0 && ret_token->size > 0 && real_of(guard)->publish == NULL) {
            visit_breach(&visit, RULE_TOKEN, "gave a token and has no publish");
        }
        if (st >= 0 && ret_token->size > 0 && (guard->real->flags & WEIR_SINK_SHARED) != 0) {
            visit_breach(&visit, RULE_TOKEN,
                         "gave a token although its factory is WEIR_SINK_SHARED");
        }
        if (st >= 0) {
            guard->awaits_publish = ret_token->size > 0;
            guard->has_written = guard->has_written && ret_token->size > 0;
        }
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status guard_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                               weir_buffer *ret_token)
{
    weir_status st = flush_once(self, ctx, deadline_ns, flags, ret_token);
    if (st == WEIR_OK) {
        ret_token->size = 0;
        st = flush_once(self, ctx, deadline_ns, flags, ret_token);
    }
    return st;
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
        bool is_for_now = visit.page->call.whole.is_retriable || st == WEIR_E_BACKPRESSURE;
        if (is_again && st != WEIR_OK && !is_for_now) {
            visit_breach(&visit, RULE_PUBLISH_TWICE,
                         "returned status %d for a token that it had published already", st);
        }
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status guard_publish(void *self, weir_context *ctx, weir_slice token)
{
    struct guard *guard = self;
    guard->is_publishing = true;
    weir_status st = publish_once(guard, ctx, token, false);
    if (st == WEIR_OK) {
        st = publish_once(guard, ctx, token, true);
    }
    if (st == WEIR_OK) {
        guard->is_publishing = false;
        guard->awaits_publish = false;
        guard->has_written = false;
    }
    return st;
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
    begin_unpublished(guard, &visit, "tick");
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0)) {
        st = real_of(guard)->tick(guard->self, visit_context(&visit), now_ms, ret_next_ms);
        visit_settle(&visit, st, 1u << WEIR_AGAIN);
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status guard_assign(void *self, const weir_origin *origin)
{
    struct guard *guard = self;
    struct visit visit;
    begin(guard, &visit, "assign", GUARD_MADE);
    weir_status st = real_of(guard)->assign(guard->self, origin);
    visit_settle(&visit, st, 0);
    return visit_end(&visit, NULL, 0, st);
}

static bool has_assign(const weir_sink_vtable *real)
{
    return WEIR_HAS_FIELD(real, weir_sink_vtable, assign) && real->assign != NULL;
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
        .close = real->close != NULL || real->discard != NULL ? guard_close : NULL,
        .locate = real->locate != NULL ? guard_locate : NULL,
        .tick =
            WEIR_HAS_FIELD(real, weir_sink_vtable, tick) && real->tick != NULL ? guard_tick : NULL,
        .assign = has_assign(real) ? guard_assign : NULL,
    };
}
