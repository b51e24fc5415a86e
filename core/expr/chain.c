/* SPDX-License-Identifier: MIT */
/*
 * Columns of arithmetic. While all lanes are ints, or all floats, they stay unboxed from one operator
 * of the chain to the next. Otherwise each operator has a loop of its own for ints and floats of one
 * column; what it does not take (bools, numbers kept as text, texts, lists, faults) goes lane by lane
 * to chain_compute.
 */
#include <string.h>

#include "expr/chain.h"

/* ---- columns ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool compute_ints(enum operation op, int64_t i,
                                                               int64_t j, weir_value *out)
{
    int64_t result = 0;
    switch (op) {
    case OP_ADD:
        if (__builtin_add_overflow(i, j, &result)) {
            return false;
        }
        break;
    case OP_SUBTRACT:
        if (__builtin_sub_overflow(i, j, &result)) {
            return false;
        }
        break;
    case OP_MULTIPLY:
        if (__builtin_mul_overflow(i, j, &result)) {
            return false;
        }
        break;
    case OP_DIVIDE:
        if (j == 0) {
            return false;
        }
        *out = weir_float((double)i / (double)j);
        return true;
    default:
        if (j <= 0) {
            return false;
        }
        result = op == OP_FLOOR ? floor_divide(i, j) : floor_modulo(i, j);
        break;
    }
    *out = weir_int(result);
    return true;
}

/* False: the lane goes to chain_compute. */
static inline __attribute__((always_inline)) bool compute_fast(enum operation op,
                                                               const weir_value *a,
                                                               const weir_value *b, weir_value *out)
{
    if (a->tag == WEIR_INT && b->tag == WEIR_INT) {
        return compute_ints(op, a->as.i64, b->as.i64, out);
    }
    bool are_numbers = (a->tag == WEIR_INT || a->tag == WEIR_FLOAT) &&
                       (b->tag == WEIR_INT || b->tag == WEIR_FLOAT);
    if (!are_numbers || op == OP_FLOOR || op == OP_MODULO) {
        return false;
    }
    double x = a->tag == WEIR_FLOAT ? a->as.f64 : (double)a->as.i64;
    double y = b->tag == WEIR_FLOAT ? b->as.f64 : (double)b->as.i64;
    if (op == OP_DIVIDE && y == 0) {
        return false;
    }
    *out = weir_float(op == OP_ADD        ? x + y
                      : op == OP_SUBTRACT ? x - y
                      : op == OP_MULTIPLY ? x * y
                                          : x / y);
    return true;
}

static inline __attribute__((always_inline)) uint32_t compute_lanes(enum operation op,
                                                                    const struct link_run *run,
                                                                    struct lanes lanes,
                                                                    const struct operand *right,
                                                                    weir_value *left)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *a = &left[lanes.at[i]];
        const weir_value *b = operand_at(right, lanes.at[i]);
        weir_value made;
        if (compute_fast(op, a, b, &made)) {
            *a = made;
        } else {
            failed += chain_compute(run, a, b, a);
        }
    }
    return failed;
}

static uint32_t power_lanes(const struct link_run *run, struct lanes lanes,
                            const struct operand *right, weir_value *left)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *a = &left[lanes.at[i]];
        failed += chain_compute(run, a, operand_at(right, lanes.at[i]), a);
    }
    return failed;
}

static uint32_t compute_column(const struct link_run *run, struct lanes lanes,
                               const struct operand *right, weir_value *left)
{
    switch (run->op) {
    case OP_ADD:
        return compute_lanes(OP_ADD, run, lanes, right, left);
    case OP_SUBTRACT:
        return compute_lanes(OP_SUBTRACT, run, lanes, right, left);
    case OP_MULTIPLY:
        return compute_lanes(OP_MULTIPLY, run, lanes, right, left);
    case OP_DIVIDE:
        return compute_lanes(OP_DIVIDE, run, lanes, right, left);
    case OP_FLOOR:
        return compute_lanes(OP_FLOOR, run, lanes, right, left);
    case OP_MODULO:
        return compute_lanes(OP_MODULO, run, lanes, right, left);
    default:
        return power_lanes(run, lanes, right, left);
    }
}

/* ---- the chain --------------------------------------------------------------------------------- */

/*
 * Unboxes the left side where something else than a path or a chain has made numbers of one kind.
 * Without memory it stays as it is: the evaluation ends by itself.
 */
static void unbox_left(struct frame *frame, struct lanes lanes, const weir_value *values,
                       struct unboxed *ret)
{
    uint8_t tag = lanes.count > 0 ? values[lanes.at[0]].tag : WEIR_NULL;
    if (lanes.count < UNBOXED_MIN_LANES || (tag != WEIR_INT && tag != WEIR_FLOAT) ||
        !unboxed_open(frame, tag, ret)) {
        return;
    }
    for (uint32_t i = 0; i < lanes.count; i++) {
        const weir_value *value = &values[lanes.at[i]];
        if (value->tag != tag) {
            unboxed_drop(frame, ret);
            return;
        }
        ret->numbers[i].i64 = value->as.i64;
    }
}

/* One operator for the lanes that are left; false: no memory. *failed grows. */
static bool run_link(const struct link_run *run, struct selection *selection,
                     struct unboxed *unboxed, weir_value *out, uint32_t *failed)
{
    struct operand right;
    uint32_t right_failed = 0;
    struct lanes lanes = selection->lanes;
    const struct code *operand = run->chain->links[run->index].operand;
    bool has_memory = unboxed->tag != NOT_UNBOXED
                          ? operand_begin_unboxed(run->frame, operand, lanes, &right, &right_failed)
                          : operand_begin(run->frame, operand, lanes, &right, &right_failed);
    if (!has_memory) {
        return false;
    }
    if (unboxed->tag != NOT_UNBOXED && chain_compute_unboxed(unboxed, run->op, lanes, &right)) {
        operand_end(run->frame, &right);
        return true;
    }
    unboxed_box(run->frame, unboxed, lanes, out);
    operand_box(run->frame, &right, lanes);
    uint32_t now = compute_column(run, lanes, &right, out);
    operand_end(run->frame, &right);
    *failed += now;
    return now == 0 || selection_drop_failed(run->frame, selection, out);
}

static uint32_t run_unboxed(struct frame *frame, const struct code *code, struct lanes lanes,
                            weir_value *out, struct unboxed *ret)
{
    const struct chain_code *chain = CODE_OF(code, struct chain_code);
    struct selection selection = selection_of(lanes);
    uint32_t failed = code_run_unboxed(frame, chain->first, lanes, out, ret);
    bool has_memory = failed == 0 || selection_drop_failed(frame, &selection, out);
    if (failed == 0 && ret->tag == NOT_UNBOXED) {
        unbox_left(frame, lanes, out, ret);
    }
    for (uint32_t i = 0; has_memory && i < chain->count && selection.lanes.count > 0; i++) {
        struct link_run link = { frame, chain, i, chain->links[i].op };
        has_memory = run_link(&link, &selection, ret, out, &failed);
    }
    selection_end(frame, &selection);
    if (!has_memory) {
        unboxed_drop(frame, ret);
        return frame_fail_all(lanes, out);
    }
    return failed;
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    struct unboxed unboxed = { .tag = NOT_UNBOXED };
    uint32_t failed = run_unboxed(frame, code, lanes, out, &unboxed);
    unboxed_box(frame, &unboxed, lanes, out);
    return failed;
}

struct code *code_chain(struct arena *arena, struct source source, const struct code *first,
                        const struct code_link *links, uint32_t count)
{
    struct chain_code *made = arena_zeroed(arena, sizeof *made);
    struct code_link *copy = arena_alloc(arena, count * sizeof *copy);
    if (made == NULL || copy == NULL) {
        return NULL;
    }
    memcpy(copy, links, count * sizeof *copy);
    made->code = (struct code){
        .run = run, .run_unboxed = run_unboxed, .source = source, .reads = first->reads
    };
    made->first = first;
    made->links = copy;
    made->count = count;
    for (uint32_t i = 0; i < count; i++) {
        made->code.reads |= links[i].operand->reads;
    }
    return &made->code;
}
