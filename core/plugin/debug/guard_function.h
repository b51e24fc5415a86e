/* SPDX-License-Identifier: MIT */
/*
 * A function under the debug host: arguments sealed, results judged against the signature.
 */
#ifndef PLUGIN_DEBUG_GUARD_FUNCTION_H
#define PLUGIN_DEBUG_GUARD_FUNCTION_H

#include "expr/expr.h"

/* In the place of the vtable's own; see struct expr_function. */
weir_status guard_evaluate(const struct expr_function *function, weir_call *call);

#endif
