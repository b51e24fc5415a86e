/* SPDX-License-Identifier: MIT */
/*
 * Comparison of unboxed numbers of one kind: a loop for each operator and kind.
 */
#include "expr/relation.h"

/* Ints up to here are floats exactly: as constants they may be compared with floats. */
static const int64_t exact_max = INT64_C(1) << 53;

/* An array, or one constant for all (mask 0). */
struct side {
    uint32_t mask;
    const union number *numbers;
    union number constant;
};

/* False where it is not of the kind `tag`. */
static bool side_take(struct side *side, uint8_t tag, const struct operand *right)
{
    const weir_value *constant = right->values;
    if (right->mask != 0) {
        side->mask = UINT32_MAX;
        side->numbers = right->unboxed.numbers;
        return right->unboxed.tag == tag;
    }
    side->mask = 0;
    side->numbers = &side->constant;
    if (tag == WEIR_FLOAT && constant->tag == WEIR_INT) {
        side->constant.f64 = (double)constant->as.i64;
        return constant->as.i64 >= -exact_max && constant->as.i64 <= exact_max;
    }
    side->constant.i64 = constant->as.i64;
    return constant->tag == tag;
}

static inline __attribute__((always_inline)) void compare(enum operation op,
                                                          const struct unboxed *left,
                                                          const struct side *right,
                                                          struct lanes lanes, weir_value *out)
{
    const union number *a = left->numbers;
    const union number *b = right->numbers;
    uint32_t mask = right->mask;
    if (left->tag == WEIR_INT) {
        for (uint32_t i = 0; i < lanes.count; i++) {
            int64_t x = a[i].i64;
            int64_t y = b[i & mask].i64;
            out[lanes.at[i]] = weir_bool(relation_holds(op, x<y, x == y, x> y));
        }
    } else {
        for (uint32_t i = 0; i < lanes.count; i++) {
            double x = a[i].f64;
            double y = b[i & mask].f64;
            out[lanes.at[i]] = weir_bool(relation_holds(op, x<y, x == y, x> y));
        }
    }
}

bool relation_compute_unboxed(const struct unboxed *left, enum operation op, struct lanes lanes,
                              const struct operand *right, weir_value *out)
{
    struct side side;
    if (!side_take(&side, left->tag, right)) {
        return false;
    }
    switch (op) {
    case OP_EQUAL:
        compare(OP_EQUAL, left, &side, lanes, out);
        return true;
    case OP_UNEQUAL:
        compare(OP_UNEQUAL, left, &side, lanes, out);
        return true;
    case OP_LESS:
        compare(OP_LESS, left, &side, lanes, out);
        return true;
    case OP_LESS_EQUAL:
        compare(OP_LESS_EQUAL, left, &side, lanes, out);
        return true;
    case OP_GREATER:
        compare(OP_GREATER, left, &side, lanes, out);
        return true;
    case OP_GREATER_EQUAL:
        compare(OP_GREATER_EQUAL, left, &side, lanes, out);
        return true;
    default:
        return false;
    }
}
