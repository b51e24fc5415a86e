/* SPDX-License-Identifier: MIT */
#include "plugin/debug/copy.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/judge.h"

_Static_assert(sizeof(weir_operator_vtable) == 32, "each slot has its guard");

enum { FIRST_ORDINAL = 1 << 24 };

/* A record that was passed stays the engine's own; one that was made is copied. */
static weir_status hand_on_entry(struct visit *visit, weir_context *ctx, uint32_t output,
                                 const weir_entry *made, const weir_entry *original)
{
    bool is_passed =
        made->record == visit->page->batch.entries[made->ordinal - visit->first_ordinal].record;
    const weir_record *record = is_passed ? original->record : copy_record_out(ctx, made->record);
    return record == NULL ? WEIR_E_NOMEM : weir_emit(ctx, output, original, record);
}

static weir_status hand_on_outputs(struct visit *visit, weir_context *ctx, const weir_entry *in)
{
    for (uint32_t k = 0; k < visit->page->call.output_count; k++) {
        const weir_output *output = &visit->page->outputs[k];
        for (uint32_t i = 0; i < output->count; i++) {
            const weir_entry *made = &output->entries[i];
            weir_status st =
                hand_on_entry(visit, ctx, k, made, &in[made->ordinal - visit->first_ordinal]);
            if (st != WEIR_OK) {
                return st;
            }
        }
    }
    return WEIR_OK;
}

static weir_status process_piece(struct guard *guard, weir_context *ctx, const weir_batch *in,
                                 uint32_t from, uint32_t count)
{
    const weir_operator_vtable *real = guard->real->vtable;
    struct visit visit;
    visit_begin(&visit, &guard->visitee, "process");
    const weir_batch *batch = copy_batch_in(&visit, in, from, count, FIRST_ORDINAL + from);
    weir_status st = WEIR_E_NOMEM;
    if (batch != NULL && visit_lend_context(&visit, ctx->output_count, batch, count)) {
        visit.page->batch = *batch;
        st = real->process(guard->self, visit_context(&visit), batch);
        visit_settle(&visit, st, 0);
        if (st == WEIR_OK && visit.breach.status == WEIR_OK && judge_outputs(&visit, batch)) {
            st = hand_on_outputs(&visit, ctx, in->entries + from);
        }
    }
    return visit_end(&visit, ctx, from, st);
}

static weir_status guard_process(void *self, weir_context *ctx, const weir_batch *in)
{
    struct guard *guard = self;
    weir_status st = WEIR_OK;
    for (uint32_t from = 0; from < in->count && st == WEIR_OK;) {
        uint32_t count = guard_piece(guard, in->count - from);
        st = process_piece(guard, ctx, in, from, count);
        from += count;
    }
    return st;
}

void guard_fill_operator(struct guard *guard)
{
    guard->vtable.operator=(weir_operator_vtable){ .struct_size = sizeof guard->vtable.operator,
                                                   .process = guard_process };
}
