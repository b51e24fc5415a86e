/* SPDX-License-Identifier: MIT */
/*
 * Relations: relation.c compares values of all kinds, relation_unboxed.c unboxed numbers.
 */
#ifndef EXPR_RELATION_H
#define EXPR_RELATION_H

#include "expr/frame.h"
#include "expr/tree.h"

/* For OP_EQUAL to OP_GREATER_EQUAL; a NaN is none of the three. */
static inline __attribute__((always_inline)) bool relation_holds(enum operation op, bool is_less,
                                                                 bool is_equal, bool is_greater)
{
    switch (op) {
    case OP_LESS:
        return is_less;
    case OP_LESS_EQUAL:
        return is_less || is_equal;
    case OP_GREATER:
        return is_greater;
    case OP_GREATER_EQUAL:
        return is_greater || is_equal;
    case OP_EQUAL:
        return is_equal;
    default:
        return !is_equal;
    }
}

/* out[lane] = left op right. False, with nothing done, where it is not for unboxed numbers. */
bool relation_compute_unboxed(const struct unboxed *left, enum operation op, struct lanes lanes,
                              const struct operand *right, weir_value *out);

#endif
