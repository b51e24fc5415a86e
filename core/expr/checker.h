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

/*
 * arena       of the tree
 * text        of the expression
 * item_depth  how many map, filter, any, all stand around the node: 0 = no $it
 */
struct checker {
    const struct expr_env *env;
    struct faults *faults;
    struct arena *arena;
    const char *text;
    uint32_t item_depth;
};

/* A node that was reported has is_bad and may be of any kind, so that nothing follows from it. */
void check_tree(struct checker *checker, struct tree *tree);
/* checker_call.c: the part for calls. */
void check_call(struct checker *checker, struct tree *call);
/* Marks a node as reported. */
void check_bad(struct tree *tree);

#endif
