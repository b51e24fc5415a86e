/* SPDX-License-Identifier: MIT */
/*
 * A chain of arithmetic: `first op operand op operand ...` from left to right. chain.c runs columns,
 * arithmetic.c computes one lane of any kinds, concatenation.c makes texts and lists longer.
 */
#ifndef EXPR_CHAIN_H
#define EXPR_CHAIN_H

#include "expr/code.h"

struct chain_code {
    struct code code;
    const struct code *first;
    const struct code_link *links;
    uint32_t count;
};

/* One operator of the chain at work. */
struct link_run {
    struct frame *frame;
    const struct chain_code *chain;
    uint32_t index;
    enum operation op;
};

/* arithmetic.c: `a op b` of one lane. out may be a or b. Returns 1 where it failed, else 0. */
uint32_t chain_compute(const struct link_run *run, const weir_value *a, const weir_value *b,
                       weir_value *out);
/* Fails the lane over both operands; returns 1. */
uint32_t chain_fail(const struct link_run *run, weir_value *out, const char *message);

/* concatenation.c: values of one kind, text, bytes or list, behind each other; one of them, `times`. */
uint32_t chain_concatenate(const struct link_run *run, const weir_value *a, const weir_value *b,
                           weir_value *out);
uint32_t chain_repeat(const struct link_run *run, const weir_value *v, int64_t times,
                      weir_value *out);

/*
 * arithmetic_unboxed.c: left = left op right, where that is for unboxed numbers; else false, and left
 * is as it was. The right side may be unboxed, a constant, or values; it is used up.
 */
bool chain_compute_unboxed(struct unboxed *left, enum operation op, struct lanes lanes,
                           struct operand *right);

static inline bool chain_is_sized(const weir_value *v)
{
    return v->tag == WEIR_TEXT || v->tag == WEIR_BYTES || v->tag == WEIR_LIST;
}

/* b is neither 0 nor -1: the first has no result, the second may overflow. */
static inline int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static inline int64_t floor_modulo(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#endif
