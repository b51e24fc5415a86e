/* SPDX-License-Identifier: MIT */
/*
 * Makers of code, a file each. All take the arena of the compiled expression, borrow the operands
 * (which live there too) and return NULL where there is no memory.
 */
#ifndef EXPR_CODE_H
#define EXPR_CODE_H

#include "expr/frame.h"
#include "expr/signature.h"
#include "expr/tree.h"
#include "value/symbols.h"

/* constant.c: the value is copied, what it points to is borrowed. */
struct code *code_constant(struct arena *arena, struct source source, const weir_value *value);

/* arithmetic.c: first op operand op operand ...; ops of one precedence, or a single OP_POWER. */
struct code_link {
    enum operation op;
    const struct code *operand;
};
struct code *code_chain(struct arena *arena, struct source source, const struct code *first,
                        const struct code_link *links, uint32_t count);
/* sign.c: OP_NEGATE, OP_PLUS. */
struct code *code_sign(struct arena *arena, struct source source, enum operation op,
                       const struct code *operand);

/* relation.c: OP_EQUAL to OP_IS_NOT. */
struct code *code_relation(struct arena *arena, struct source source, enum operation op,
                           const struct code *left, const struct code *right);

/* logic.c: lazy forms over conditions. Operands in the order of the text. */
struct code *code_and(struct arena *arena, struct source source, const struct code *const *operands,
                      uint32_t count);
struct code *code_or(struct arena *arena, struct source source, const struct code *const *operands,
                     uint32_t count);
struct code *code_not(struct arena *arena, struct source source, const struct code *operand);
struct code *code_if(struct arena *arena, struct source source,
                     const struct code *const operands[3]);

/* missing.c: what accepts a missing path, and try(). */
struct code *code_fallback(struct arena *arena, struct source source,
                           const struct code *const *operands, uint32_t count);
struct code *code_is_null(struct arena *arena, struct source source, const struct code *operand,
                          bool is_negated);
struct code *code_has(struct arena *arena, struct source source, const struct code *const *operands,
                      uint32_t count);
struct code *code_try(struct arena *arena, struct source source, const struct code *attempt,
                      const struct code *otherwise);

/* record_name.c. symbols: for the members of $headers. */
struct code *code_record_name(struct arena *arena, struct source source, enum record_name name,
                              struct symbols *symbols);

/*
 * field_path.c: steps from a base (NULL: the record's value).
 *
 * source     from the beginning of the path to the end of this step
 * name       member; outlives the code
 * low, high  index and slice
 */
struct code_step {
    enum step_kind kind;
    struct source source;
    const char *name;
    uint32_t name_len;
    const struct code *low;
    const struct code *high;
};
struct code *code_path(struct arena *arena, struct symbols *symbols, struct source source,
                       const struct code *base, const struct code_step *steps, uint32_t count);

/* construct.c. keys: bytes that outlive the code; of equal ones the last value stands. */
struct code *code_list(struct arena *arena, struct source source,
                       const struct code *const *operands, uint32_t count);
struct code_key {
    const char *name;
    uint32_t len;
};
struct code *code_map(struct arena *arena, struct symbols *symbols, struct source source,
                      const struct code_key *keys, const struct code *const *operands,
                      uint32_t count);

/* items.c: map, filter, any, all. */
struct code *code_items(struct arena *arena, struct source source, enum form form,
                        const struct code *list, const struct code *body);

/* function_call.c: state is what prepare made. */
struct code *code_function(struct arena *arena, struct source source, const char *name,
                           const struct expr_function *function, const struct signature *signature,
                           void *state, const struct code *const *operands, uint32_t count);
/* Brings a number to the form that a parameter of these kinds is handed; NULL, or why it cannot. */
const char *argument_fit(uint32_t kinds, weir_value *value);

/* ---- for the makers ---------------------------------------------------------------------------- */

/* The operands, copied into the arena. */
const struct code *const *code_copy_operands(struct arena *arena,
                                             const struct code *const *operands, uint32_t count);
/* What they read, together. */
uint32_t code_reads(const struct code *const *operands, uint32_t count);

#endif
