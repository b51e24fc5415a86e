/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plugin/debug/copy.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/judge.h"
#include "plugin/debug/lent_buffer.h"

_Static_assert(sizeof(weir_serializer_vtable) == 40, "each slot has its guard");

/* No value: what a lane holds that nobody has filled. An end that nobody has set. */
enum { TAG_UNSET = 253, PLACE_ROOM = 32 };
#define END_UNSET (UINT64_MAX - 1)

static const weir_serializer_vtable *real_of(const struct guard *guard)
{
    return guard->real->vtable;
}

/* ---- decode ------------------------------------------------------------------------------------ */

static bool judge_lane(struct visit *visit, uint32_t lane, const weir_value *v)
{
    char text[PLACE_ROOM];
    snprintf(text, sizeof text, "lane %" PRIu32, lane);
    struct judge_place place = { text, NULL };
    if (v->tag == TAG_UNSET) {
        visit_breach(visit, RULE_DECODE_LANE, "left lane %" PRIu32 " unset without failing it",
                     lane);
        return false;
    }
    return judge_value(visit, &place, v);
}

static weir_status take_values(struct visit *visit, weir_context *ctx, const weir_value *made,
                               uint32_t count, weir_value *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (visit_has_failed(visit, i)) {
            out[i] = weir_null();
        } else if (!judge_lane(visit, i, &made[i])) {
            return WEIR_E_INTERNAL;
        } else if (!copy_value_out(ctx, &made[i], &out[i])) {
            return WEIR_E_NOMEM;
        }
    }
    return WEIR_OK;
}

static weir_status decode_piece(struct guard *guard, weir_context *ctx, const weir_slice *payloads,
                                uint32_t from, uint32_t count, weir_value *out)
{
    struct visit visit;
    visit_begin(&visit, &guard->visitee, "decode");
    const weir_slice *lent = copy_payloads_in(&visit, payloads + from, count);
    weir_value *made = lent_memory_alloc(&visit.memory, count * sizeof *made, 0);
    weir_status st = WEIR_E_NOMEM;
    if (lent != NULL && made != NULL && visit_lend_context(&visit, 0, NULL, count)) {
        for (uint32_t i = 0; i < count; i++) {
            made[i].tag = TAG_UNSET;
        }
        st = real_of(guard)->decode(guard->self, visit_context(&visit), lent, count, made);
        visit_settle(&visit, st, 0);
        if (st == WEIR_OK && visit.breach.status == WEIR_OK) {
            st = take_values(&visit, ctx, made, count, out + from);
        }
    }
    return visit_end(&visit, ctx, from, st);
}

static weir_status guard_decode(void *self, weir_context *ctx, const weir_slice *payloads,
                                uint32_t count, weir_value *out)
{
    struct guard *guard = self;
    weir_status st = WEIR_OK;
    for (uint32_t from = 0; from < count && st == WEIR_OK;) {
        uint32_t part = guard_piece(guard, count - from);
        st = decode_piece(guard, ctx, payloads, from, part, out);
        from += part;
    }
    return st;
}

/* ---- encode ------------------------------------------------------------------------------------ */

/* Ends counted from the beginning of the piece; `last` is where the bytes end that are accounted for. */
static bool judge_ends(struct visit *visit, const uint64_t *ends, uint32_t count, uint64_t size)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool has_failed = visit_has_failed(visit, i);
        if (has_failed || ends[i] == WEIR_ABSENT) {
            continue;
        }
        if (ends[i] == END_UNSET) {
            visit_breach(visit, RULE_ENCODE_ENDS, "left the end of lane %" PRIu32 " unset", i);
            return false;
        }
        if (ends[i] < last || ends[i] > size) {
            visit_breach(visit, RULE_ENCODE_ENDS,
                         "ended lane %" PRIu32 " at %" PRIu64 ", outside of [%" PRIu64 ", %" PRIu64
                         "]",
                         i, ends[i], last, size);
            return false;
        }
        last = ends[i];
    }
    if (last != size) {
        visit_breach(visit, RULE_ENCODE_FAILED, "left %" PRIu64 " bytes that belong to no lane",
                     size - last);
        return false;
    }
    return true;
}

static weir_status encode_piece(struct guard *guard, weir_context *ctx,
                                const weir_value *const *values, uint32_t count, weir_buffer *out,
                                uint64_t *ends, uint32_t from)
{
    struct visit visit;
    struct lent_buffer lent;
    weir_buffer empty = { .limit = out->limit - out->size };
    visit_begin(&visit, &guard->visitee, "encode");
    const weir_value *const *lent_values = copy_values_in(&visit, values, count);
    uint64_t *made = lent_memory_alloc(&visit.memory, count * sizeof *made, 0);
    weir_status st = WEIR_E_NOMEM;
    if (lent_values != NULL && made != NULL && visit_lend_context(&visit, 0, NULL, count) &&
        lent_buffer_init(&lent, &visit, &empty)) {
        for (uint32_t i = 0; i < count; i++) {
            made[i] = END_UNSET;
        }
        st = real_of(guard)->encode(guard->self, visit_context(&visit), lent_values, count,
                                    &lent.buffer, made);
        visit_settle(&visit, st, 0);
        if (lent_buffer_judge(&lent) && st == WEIR_OK && visit.breach.status == WEIR_OK &&
            judge_ends(&visit, made, count, lent.buffer.size)) {
            for (uint32_t i = 0; i < count; i++) {
                bool is_absent = made[i] == WEIR_ABSENT || visit_has_failed(&visit, i);
                ends[i] = is_absent ? WEIR_ABSENT : out->size + made[i];
            }
            st = weir_buffer_append(out, lent.buffer.data, lent.buffer.size);
        }
    }
    return visit_end(&visit, ctx, from, st);
}

static weir_status guard_encode(void *self, weir_context *ctx, const weir_value *const *values,
                                uint32_t count, weir_buffer *out, uint64_t *ends)
{
    struct guard *guard = self;
    weir_status st = WEIR_OK;
    for (uint32_t from = 0; from < count && st == WEIR_OK;) {
        uint32_t part = guard_piece(guard, count - from);
        st = encode_piece(guard, ctx, values + from, part, out, ends + from, from);
        from += part;
    }
    return st;
}

void guard_fill_serializer(struct guard *guard)
{
    const weir_serializer_vtable *real = real_of(guard);
    guard->vtable.serializer =
        (weir_serializer_vtable){ .struct_size = sizeof guard->vtable.serializer,
                                  .decode = real->decode != NULL ? guard_decode : NULL,
                                  .encode = real->encode != NULL ? guard_encode : NULL };
}
