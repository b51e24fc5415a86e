/* SPDX-License-Identifier: MIT */
/* The factories of this plugin, for the table in plugin.c. */
#ifndef FUNCTIONS_TEXT_FUNCTIONS_H
#define FUNCTIONS_TEXT_FUNCTIONS_H

#include <weir/plugin.h>

extern const weir_factory length_function;
extern const weir_factory upper_function;
extern const weir_factory lower_function;
extern const weir_factory trim_function;
extern const weir_factory trim_start_function;
extern const weir_factory trim_end_function;
extern const weir_factory starts_with_function;
extern const weir_factory ends_with_function;
extern const weir_factory contains_function;
extern const weir_factory find_function;
extern const weir_factory replace_function;
extern const weir_factory split_function;
extern const weir_factory join_function;
extern const weir_factory pad_start_function;
extern const weir_factory pad_end_function;
extern const weir_factory reverse_function;
extern const weir_factory chars_function;
extern const weir_factory format_function;
extern const weir_factory matches_function;
extern const weir_factory extract_function;
extern const weir_factory capture_function;
extern const weir_factory replace_all_function;

#endif
