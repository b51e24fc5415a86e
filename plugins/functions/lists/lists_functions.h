/* SPDX-License-Identifier: MIT */
/* The factories of this plugin, for the table in plugin.c. */
#ifndef FUNCTIONS_LISTS_FUNCTIONS_H
#define FUNCTIONS_LISTS_FUNCTIONS_H

#include <weir/plugin.h>

extern const weir_factory keys_function;
extern const weir_factory values_function;
extern const weir_factory merge_function;
extern const weir_factory without_function;
extern const weir_factory first_function;
extern const weir_factory last_function;
extern const weir_factory sum_function;
extern const weir_factory mean_function;
extern const weir_factory sort_function;
extern const weir_factory distinct_function;
extern const weir_factory flatten_function;
extern const weir_factory range_function;
extern const weir_factory header_function;

#endif
