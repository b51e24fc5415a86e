/* SPDX-License-Identifier: MIT */
/*
 * From a checked tree to code, with everything that is constant computed ahead.
 */
#ifndef EXPR_COMPILE_H
#define EXPR_COMPILE_H

#include "expr/code.h"
#include "expr/fault_list.h"

/*
 * scratch   of what only the compiler needs
 * text      of the expression, in env->arena
 * silenced  above 0: a constant that fails is no fault of the expression, since try() catches it
 */
struct compiler {
    const struct expr_env *env;
    struct faults *faults;
    struct arena *scratch;
    const char *text;
    uint32_t silenced;
};

/* NULL: something in it is bad, or failed and was reported. */
const struct code *compile_tree(struct compiler *compiler, const struct tree *tree);
/* compile_call.c: the part for calls. */
const struct code *compile_call(struct compiler *compiler, const struct tree *call);
/* As `??`, `is null` and has() read it: a path stays one, even where it is constant. */
const struct code *compile_forgiven(struct compiler *compiler, const struct tree *tree);
/* What a maker gave, folded; NULL, which means that there was no memory, is noted. */
const struct code *compile_made(struct compiler *compiler, struct code *code);
/* Room for `count` codes, for the time of compiling. NULL: no memory. */
const struct code **compile_room(struct compiler *compiler, uint32_t count);
/* All operands, so that each can report. False: one of them gave nothing. */
bool compile_operands(struct compiler *compiler, const struct tree *tree,
                      const struct code *(*compile)(struct compiler *, const struct tree *),
                      const struct code **ret_codes);
struct source compile_source(const struct compiler *compiler, const struct tree *tree);

/*
 * fold.c: the code, or a constant in its place where it depends on nothing. NULL for NULL, and after
 * the report of a constant that fails.
 */
const struct code *fold(struct compiler *compiler, struct code *code);

#endif
