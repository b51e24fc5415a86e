/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "plugin/debug/copy.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/judge.h"
#include "plugin/debug/lent_buffer.h"

_Static_assert(sizeof(weir_source_vtable) == 64, "each slot has its guard");

static const weir_source_vtable *real_of(const struct guard *guard)
{
    return guard->real->vtable;
}

/* The engine itself keeps the order; that it does is checked where the plugin is. */
static void judge_state(struct visit *visit, bool is_right)
{
    if (!is_right) {
        visit_breach(visit, RULE_SOURCE_ORDER, "was called by weir where it may not be");
    }
}

static weir_status guard_open(void *self, weir_context *ctx, weir_slice position, uint32_t flags)
{
    struct guard *guard = self;
    struct visit visit;
    weir_slice lent;
    visit_begin(&visit, &guard->visitee, "open");
    judge_state(&visit, guard->state == GUARD_MADE);
    weir_status st = WEIR_E_NOMEM;
    if (copy_slice_in(&visit, position, &lent) && visit_lend_context(&visit, 0, NULL, 0)) {
        st = real_of(guard)->open(guard->self, visit_context(&visit), lent, flags);
        visit_settle(&visit, st, 0);
        guard->state = st == WEIR_OK ? GUARD_OPEN : GUARD_CLOSED;
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status hand_on_records(struct visit *visit, weir_context *ctx)
{
    const weir_output *output = &visit->page->outputs[0];
    for (uint32_t i = 0; i < output->count; i++) {
        const weir_record *record = copy_record_out(ctx, output->entries[i].record);
        weir_status st = record == NULL ? WEIR_E_NOMEM : weir_produce(ctx, record);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static void judge_count(struct visit *visit, uint32_t max_records)
{
    uint64_t count = (uint64_t)visit->page->outputs[0].count + visit->page->call.failure_count;
    if (count > max_records) {
        visit_breach(visit, RULE_POLL_COUNT,
                     "gave %" PRIu64 " records where %" PRIu32 " were asked", count, max_records);
    }
}

/* *ret_count: what it gave, rejected ones included. */
static weir_status poll_piece(struct guard *guard, weir_context *ctx, uint32_t from, uint32_t most,
                              int64_t timeout_ms, uint32_t *ret_count)
{
    struct visit visit;
    *ret_count = 0;
    visit_begin(&visit, &guard->visitee, "poll");
    judge_state(&visit, guard->state == GUARD_OPEN);
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 1, NULL, UINT32_MAX)) {
        st = real_of(guard)->poll(guard->self, visit_context(&visit), most, timeout_ms);
        visit_settle(&visit, st, 1u << WEIR_AGAIN | 1u << WEIR_END);
        judge_count(&visit, most);
        *ret_count = visit.page->outputs[0].count + visit.page->call.failure_count;
        if (st >= 0 && visit.breach.status == WEIR_OK && judge_outputs(&visit, NULL)) {
            weir_status copied = hand_on_records(&visit, ctx);
            st = copied == WEIR_OK ? st : copied;
        }
    }
    return visit_end(&visit, ctx, from, st);
}

static weir_status guard_poll(void *self, weir_context *ctx, uint32_t max_records,
                              int64_t timeout_ms)
{
    weir_status st = WEIR_OK;
    uint32_t from = 0;
    bool is_full = true; /* a source that gave less than it was asked for has its reasons */
    while (from < max_records && st == WEIR_OK && is_full) {
        uint32_t count = 0;
        uint32_t most = guard_piece(self, max_records - from);
        st = poll_piece(self, ctx, from, most, timeout_ms, &count);
        from += count;
        is_full = count == most;
    }
    return st;
}

/* position and describe: a context and a buffer. */
static weir_status append(struct guard *guard, weir_context *ctx, weir_buffer *out,
                          const char *what,
                          weir_status (*slot)(void *self, weir_context *ctx, weir_buffer *out))
{
    struct visit visit;
    struct lent_buffer lent;
    visit_begin(&visit, &guard->visitee, what);
    judge_state(&visit, guard->state == GUARD_OPEN);
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0) && lent_buffer_init(&lent, &visit, out)) {
        st = slot(guard->self, visit_context(&visit), &lent.buffer);
        visit_settle(&visit, st, 0);
        if (lent_buffer_judge(&lent) && st == WEIR_OK) {
            st = lent_buffer_hand_on(&lent, out);
        }
    }
    return visit_end(&visit, ctx, 0, st);
}

static weir_status guard_position(void *self, weir_context *ctx, weir_buffer *out)
{
    return append(self, ctx, out, "position", real_of(self)->position);
}

static weir_status guard_describe(void *self, weir_context *ctx, weir_buffer *out)
{
    return append(self, ctx, out, "describe", real_of(self)->describe);
}

static weir_status guard_close(void *self, weir_context *ctx)
{
    struct guard *guard = self;
    struct visit visit;
    visit_begin(&visit, &guard->visitee, "close");
    judge_state(&visit, guard->state == GUARD_OPEN);
    weir_status st = WEIR_E_NOMEM;
    if (visit_lend_context(&visit, 0, NULL, 0)) {
        st = real_of(guard)->close(guard->self, visit_context(&visit));
        visit_settle(&visit, st, 0);
        guard->state = GUARD_CLOSED;
    }
    return visit_end(&visit, ctx, 0, st);
}

void guard_fill_source(struct guard *guard)
{
    const weir_source_vtable *real = real_of(guard);
    guard->vtable.source = (weir_source_vtable){
        .struct_size = sizeof guard->vtable.source,
        .open = guard_open,
        .poll = guard_poll,
        .position = guard_position,
        .close = real->close != NULL ? guard_close : NULL,
        .describe = real->describe != NULL ? guard_describe : NULL,
    };
}
