/* SPDX-License-Identifier: MIT */
#ifndef EXPR_PARSER_H
#define EXPR_PARSER_H

#include "expr/fault_list.h"
#include "expr/tree.h"

enum { EXPRESSION_MAX_DEPTH = 200 };

/*
 * Text to tree, by the grammar of docs/expressions.md. NULL after a report. A tree with faults that
 * were reported on the way (is_bad) is complete and may be checked further.
 *
 * trees     of the nodes: may be thrown away after compiling
 * literals  of the bytes of text literals and names: that of the compiled expression
 */
struct tree *parse_expression(struct arena *trees, struct arena *literals, struct faults *faults,
                              const char *text, uint32_t len);

#endif
