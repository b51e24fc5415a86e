/* SPDX-License-Identifier: MIT */
/*
 * Columns of arithmetic. Each operator has a loop of its own for ints and floats; what it does not
 * take (bools, numbers kept as text, texts, lists, faults) goes lane by lane to chain_compute.
 *
 * While the whole left side is floats, it stays unpacked as an array of doubles from one operator of
 * the chain to the next.
 */
#include <string.h>

#include "expr/chain.h"
#include "expr/number_operand.h"

/* ---- columns ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool compute_fast(enum operation op,
                                                               const weir_value *a,
                                                               const weir_value *b, weir_value *out)
{
    if (a->tag == WEIR_INT && b->tag == WEIR_INT) {
        int64_t i = a->as.i64;
        int64_t j = b->as.i64;
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

/* ---- columns of floats ------------------------------------------------------------------------- */

/* The left side, unpacked in the order of the lanes; left NULL: it stands packed in `out`. */
struct floats {
    weir_value *column; /* the memory of both arrays */
    double *left;
    double *right;
};

enum { FEW_LANES = 8 };

static void floats_open(struct frame *frame, struct floats *floats, struct lanes lanes,
                        const weir_value *values)
{
    if (lanes.count < FEW_LANES || values[lanes.at[0]].tag != WEIR_FLOAT) {
        return;
    }
    weir_value *column = frame_take_column(frame);
    if (column == NULL) {
        return;
    }
    double *left = (double *)(void *)column;
    bool are_floats = true;
    for (uint32_t i = 0; i < lanes.count; i++) {
        const weir_value *value = &values[lanes.at[i]];
        are_floats &= value->tag == WEIR_FLOAT;
        left[i] = value->as.f64;
    }
    if (are_floats) {
        *floats = (struct floats){ column, left, left + frame->width };
    } else {
        frame_give_column(frame, column);
    }
}

static void floats_close(struct frame *frame, struct floats *floats, struct lanes lanes,
                         weir_value *out)
{
    if (floats->left == NULL) {
        return;
    }
    for (uint32_t i = 0; i < lanes.count; i++) {
        out[lanes.at[i]] = weir_float(floats->left[i]);
    }
    frame_give_column(frame, floats->column);
    floats->left = NULL;
}

/* The right side as doubles, once for a constant; false where it is no ints and floats. */
static bool take_right(const struct operand *right, struct lanes lanes, double *ret)
{
    bool are_numbers = true;
    uint32_t count = right->mask == 0 ? 1 : lanes.count;
    for (uint32_t i = 0; i < count; i++) {
        const weir_value *value = operand_at(right, lanes.at[i]);
        bool is_float = value->tag == WEIR_FLOAT;
        are_numbers &= is_float || value->tag == WEIR_INT;
        ret[i] = is_float ? value->as.f64 : (double)value->as.i64;
    }
    return are_numbers;
}

static bool has_zero(const double *numbers, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found |= numbers[i] == 0;
    }
    return found;
}

static inline __attribute__((always_inline)) double compute_float(enum operation op, double a,
                                                                  double b)
{
    return op == OP_ADD ? a + b : op == OP_SUBTRACT ? a - b : op == OP_MULTIPLY ? a * b : a / b;
}

static inline __attribute__((always_inline)) void compute_array(enum operation op,
                                                                double *restrict a,
                                                                const double *restrict b,
                                                                bool is_constant, uint32_t count)
{
    double constant = b[0];
    if (is_constant) {
        for (uint32_t i = 0; i < count; i++) {
            a[i] = compute_float(op, a[i], constant);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            a[i] = compute_float(op, a[i], b[i]);
        }
    }
}

/* One operator over both arrays; false, with nothing changed, where it is not for them. */
static bool floats_compute(const struct floats *floats, enum operation op, struct lanes lanes,
                           const struct operand *right)
{
    bool is_constant = right->mask == 0;
    double *a = floats->left;
    const double *b = floats->right;
    if (op > OP_DIVIDE || !take_right(right, lanes, floats->right) ||
        (op == OP_DIVIDE && has_zero(b, is_constant ? 1 : lanes.count))) {
        return false;
    }
    switch (op) {
    case OP_ADD:
        compute_array(OP_ADD, a, b, is_constant, lanes.count);
        break;
    case OP_SUBTRACT:
        compute_array(OP_SUBTRACT, a, b, is_constant, lanes.count);
        break;
    case OP_MULTIPLY:
        compute_array(OP_MULTIPLY, a, b, is_constant, lanes.count);
        break;
    default:
        compute_array(OP_DIVIDE, a, b, is_constant, lanes.count);
        break;
    }
    return true;
}

/* ---- the chain --------------------------------------------------------------------------------- */

/* One operator for the lanes that are left; false: no memory. *failed grows. */
static bool run_link(const struct link_run *run, struct selection *selection, struct floats *floats,
                     weir_value *out, uint32_t *failed)
{
    struct operand right;
    uint32_t right_failed = 0;
    const struct code *operand = run->chain->links[run->index].operand;
    if (!operand_begin(run->frame, operand, selection->lanes, &right, &right_failed)) {
        return false;
    }
    if (floats->left != NULL && floats_compute(floats, run->op, selection->lanes, &right)) {
        operand_end(run->frame, &right);
        return true;
    }
    floats_close(run->frame, floats, selection->lanes, out);
    uint32_t now = compute_column(run, selection->lanes, &right, out);
    operand_end(run->frame, &right);
    *failed += now;
    return now == 0 || selection_drop_failed(run->frame, selection, out);
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct chain_code *chain = CODE_OF(code, struct chain_code);
    struct selection selection = selection_of(lanes);
    struct floats floats = { NULL, NULL, NULL };
    uint32_t failed = code_run_lanes(frame, chain->first, lanes, out);
    bool has_memory = failed == 0 || selection_drop_failed(frame, &selection, out);
    if (has_memory) {
        floats_open(frame, &floats, selection.lanes, out);
    }
    for (uint32_t i = 0; has_memory && i < chain->count && selection.lanes.count > 0; i++) {
        struct link_run link = { frame, chain, i, chain->links[i].op };
        has_memory = run_link(&link, &selection, &floats, out, &failed);
    }
    floats_close(frame, &floats, selection.lanes, out);
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
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
    made->code = (struct code){ .run = run, .source = source, .reads = first->reads };
    made->first = first;
    made->links = copy;
    made->count = count;
    for (uint32_t i = 0; i < count; i++) {
        made->code.reads |= links[i].operand->reads;
    }
    return &made->code;
}
