/* SPDX-License-Identifier: MIT */
/*
 * Judges a tree before any record: names, counts of arguments, kinds that cannot fit. Fills in what
 * it finds out: kinds of every node, functions and forms of calls, the values of env().
 */
#ifndef EXPR_CHECKER_H
#define EXPR_CHECKER_H

#include "expr/expr.h"
#include "expr/fault_list.h"
#include "expr/tree.h"
#include "expr/type.h"

/*
 * arena         of the tree
 * text          of the expression
 * item_depth    how many map, filter, any, all stand around the node: 0 = no $it
 * room          where types are made; NULL: they are not looked at, every field may be anything
 * value         type of the record's value at this point of the expression
 * item          type of $it
 * is_forgiving  the next node is an operand whose missing is forgiven
 */
struct checker {
    const struct expr_env *env;
    struct faults *faults;
    struct arena *arena;
    const char *text;
    uint32_t item_depth;
    struct type_room *room;
    const weir_type *value;
    const weir_type *item;
    bool is_forgiving;
};

/* A node that was reported has is_bad and may be of any kind, so that nothing follows from it. */
void check_tree(struct checker *checker, struct tree *tree);
/* checker_call.c: the part for calls. */
void check_call(struct checker *checker, struct tree *call);
/* checker_path.c: the part for fields and $names. */
void check_path(struct checker *checker, struct tree *path);
void check_record_name(struct checker *checker, struct tree *tree);
/* check_tree of an operand of `??`, `is null` or has(): a path there may be missing. */
void check_forgiven(struct checker *checker, struct tree *operand);
/* Reports a node whose kinds are all others than `wanted`: "TAKER takes list AS, not text". */
void check_wanted(struct checker *checker, struct tree *tree, uint32_t wanted, const char *taker,
                  const char *as);
/* Marks a node as reported. */
void check_bad(struct tree *tree);

/* checker_type.c: what is known of a node's result. */
const weir_type *checker_type(const struct checker *checker, const struct tree *tree);
/* From here on the value is one for which the condition is truthy, or is not. */
void checker_assume(struct checker *checker, const struct tree *condition, bool is_truthy);
/* Of lists, maps, `if`, `and`, `or`, `??`, from their operands. */
void checker_combine(const struct checker *checker, struct tree *tree);
/* ": 'delay' is text in topic 'flights'", or "" where nobody has said so. In the tree's arena. */
const char *checker_origin(const struct checker *checker, const struct tree *tree);
/* The same of two: ": 'a' is ..., 'b' is ...". */
const char *checker_origins(const struct checker *checker, const struct tree *left,
                            const struct tree *right);

#endif
