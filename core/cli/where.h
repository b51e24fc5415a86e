/* SPDX-License-Identifier: MIT */
/*
 * `--where EXPR` of the commands that read topics: which records are meant.
 */
#ifndef CLI_WHERE_H
#define CLI_WHERE_H

#include "cli/codec.h"
#include "cli/topic_use.h"

/* After topic_use_serializers. *ret_where NULL: the flag is not given. False: said, a fault of use. */
bool where_compile(const struct topic_use *use, const weir_expression **ret_where);
/*
 * The expression's value for each record, in the arena; a fault is one too (expr_fault). Truthy: it is
 * meant.
 *
 * codec  whose instance the functions of the expression see
 */
weir_status where_compute(const struct topic_use *use, const weir_expression *where,
                          struct codec *codec, uint32_t partition, weir_record *records,
                          uint32_t count, struct arena *arena, weir_value **ret_values,
                          struct error *error);

#endif
