/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic on unboxed numbers: for each operator a loop over ints and one over floats. All are left
 * as they were where a lane would be a fault, or of another kind than the others.
 */
#include "expr/chain.h"

/* ---- the right side ---------------------------------------------------------------------------- */

/* An array, or one constant for all (mask 0). */
struct side {
    uint8_t tag;
    uint32_t mask;
    union number *numbers;
    union number constant;
};

static bool is_number(const weir_value *value)
{
    return value->tag == WEIR_INT || value->tag == WEIR_FLOAT;
}

/* Ints and floats, mixed, as floats. */
static bool take_floats(const weir_value *values, struct lanes lanes, union number *ret)
{
    bool are_numbers = true;
    for (uint32_t i = 0; i < lanes.count; i++) {
        const weir_value *value = &values[lanes.at[i]];
        are_numbers &= is_number(value);
        ret[i].f64 = value->tag == WEIR_FLOAT ? value->as.f64 : (double)value->as.i64;
    }
    return are_numbers;
}

/* False where it is no numbers of one kind. Beside floats, ints among floats are floats, too. */
static bool side_take(struct side *side, const struct unboxed *left, struct lanes lanes,
                      const struct operand *right)
{
    side->mask = UINT32_MAX;
    if (right->unboxed.tag != NOT_UNBOXED) {
        side->tag = right->unboxed.tag;
        side->numbers = right->unboxed.numbers;
        return true;
    }
    if (right->mask == 0) {
        side->tag = right->values->tag;
        side->mask = 0;
        side->constant.i64 = right->values->as.i64;
        side->numbers = &side->constant;
        return is_number(right->values);
    }
    side->tag = WEIR_FLOAT;
    side->numbers = left->room;
    return left->tag == WEIR_FLOAT && take_floats(right->values, lanes, side->numbers);
}

static uint32_t side_count(const struct side *side, uint32_t count)
{
    return side->mask == 0 ? 1 : count;
}

static void make_floats(union number *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        numbers[i].f64 = (double)numbers[i].i64;
    }
}

static bool has_zero(const struct side *side, uint32_t count)
{
    bool is_float = side->tag == WEIR_FLOAT;
    bool found = false;
    for (uint32_t i = 0; i < side_count(side, count); i++) {
        found |= is_float ? side->numbers[i].f64 == 0 : side->numbers[i].i64 == 0;
    }
    return found;
}

/* ---- ints -------------------------------------------------------------------------------------- */

/* False: the result is no int, or a fault. */
static inline __attribute__((always_inline)) bool compute_int(enum operation op, int64_t a,
                                                              int64_t b, int64_t *ret)
{
    switch (op) {
    case OP_ADD:
        return !__builtin_add_overflow(a, b, ret);
    case OP_SUBTRACT:
        return !__builtin_sub_overflow(a, b, ret);
    case OP_MULTIPLY:
        return !__builtin_mul_overflow(a, b, ret);
    default:
        if (b <= 0) {
            return false;
        }
        *ret = op == OP_FLOOR ? floor_divide(a, b) : floor_modulo(a, b);
        return true;
    }
}

static inline __attribute__((always_inline)) bool ints_loop(enum operation op,
                                                            const union number *a,
                                                            const union number *b, bool is_constant,
                                                            uint32_t count, union number *out)
{
    int64_t constant = b[0].i64;
    for (uint32_t i = 0; i < count; i++) {
        int64_t result = 0;
        if (!compute_int(op, a[i].i64, is_constant ? constant : b[i].i64, &result)) {
            return false;
        }
        out[i].i64 = result;
    }
    return true;
}

static inline __attribute__((always_inline)) bool ints_column(enum operation op,
                                                              const union number *a,
                                                              const struct side *right,
                                                              uint32_t count, union number *out)
{
    return right->mask == 0 ? ints_loop(op, a, right->numbers, true, count, out)
                            : ints_loop(op, a, right->numbers, false, count, out);
}

static bool compute_ints(struct unboxed *left, enum operation op, const struct side *right,
                         uint32_t count)
{
    const union number *a = left->numbers;
    union number *out = left->room;
    bool has_results = false;
    switch (op) {
    case OP_ADD:
        has_results = ints_column(OP_ADD, a, right, count, out);
        break;
    case OP_SUBTRACT:
        has_results = ints_column(OP_SUBTRACT, a, right, count, out);
        break;
    case OP_MULTIPLY:
        has_results = ints_column(OP_MULTIPLY, a, right, count, out);
        break;
    case OP_FLOOR:
        has_results = ints_column(OP_FLOOR, a, right, count, out);
        break;
    default:
        has_results = ints_column(OP_MODULO, a, right, count, out);
        break;
    }
    if (has_results) {
        left->room = left->numbers;
        left->numbers = out;
    }
    return has_results;
}

/* ---- floats ------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) double compute_float(enum operation op, double a,
                                                                  double b)
{
    return op == OP_ADD ? a + b : op == OP_SUBTRACT ? a - b : op == OP_MULTIPLY ? a * b : a / b;
}

static inline __attribute__((always_inline)) void floats_loop(enum operation op,
                                                              union number *restrict a,
                                                              const struct side *right,
                                                              uint32_t count)
{
    const union number *restrict b = right->numbers;
    double constant = b[0].f64;
    if (right->mask == 0) {
        for (uint32_t i = 0; i < count; i++) {
            a[i].f64 = compute_float(op, a[i].f64, constant);
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            a[i].f64 = compute_float(op, a[i].f64, b[i].f64);
        }
    }
}

static void compute_floats(union number *left, enum operation op, const struct side *right,
                           uint32_t count)
{
    switch (op) {
    case OP_ADD:
        floats_loop(OP_ADD, left, right, count);
        break;
    case OP_SUBTRACT:
        floats_loop(OP_SUBTRACT, left, right, count);
        break;
    case OP_MULTIPLY:
        floats_loop(OP_MULTIPLY, left, right, count);
        break;
    default:
        floats_loop(OP_DIVIDE, left, right, count);
        break;
    }
}

/* ---- arithmetic -------------------------------------------------------------------------------- */

bool chain_compute_unboxed(struct unboxed *left, enum operation op, struct lanes lanes,
                           struct operand *right)
{
    struct side side;
    if (op == OP_POWER || !side_take(&side, left, lanes, right)) {
        return false;
    }
    bool are_ints = left->tag == WEIR_INT && side.tag == WEIR_INT;
    if (are_ints && op != OP_DIVIDE) {
        return compute_ints(left, op, &side, lanes.count);
    }
    if (op > OP_DIVIDE || (op == OP_DIVIDE && has_zero(&side, lanes.count))) {
        return false;
    }
    if (left->tag == WEIR_INT) {
        make_floats(left->numbers, lanes.count);
        left->tag = WEIR_FLOAT;
    }
    if (side.tag == WEIR_INT) {
        make_floats(side.numbers, side_count(&side, lanes.count));
    }
    compute_floats(left->numbers, op, &side, lanes.count);
    return true;
}
