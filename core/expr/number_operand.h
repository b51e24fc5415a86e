/* SPDX-License-Identifier: MIT */
/*
 * Numbers as operands: what value_number has read.
 */
#ifndef EXPR_NUMBER_OPERAND_H
#define EXPR_NUMBER_OPERAND_H

#include "expr/frame.h"

/* An int or float as the nearest float64. */
static inline double number_as_float(const weir_value *number)
{
    return number->tag == WEIR_FLOAT ? number->as.f64 : (double)number->as.i64;
}

/* What stands behind "the number 123... ": for one that neither int64 nor float64 holds. */
static inline const char *number_beyond(const weir_value *number)
{
    return value_kind(number) == KIND_INT ? "does not fit in 64 bits"
                                          : "is beyond the range of a float";
}

/* Fails the lane for such a number. */
void number_fail_beyond(struct frame *frame, const struct source *source, const weir_value *number,
                        weir_value *out);

#endif
