/* SPDX-License-Identifier: MIT */
/* Functions of text. Lengths and positions count code points. */
#include "text_functions.h"

static const weir_factory *const factories[] = {
    &length_function,
    &upper_function,
    &lower_function,
    &trim_function,
    &trim_start_function,
    &trim_end_function,
    &starts_with_function,
    &ends_with_function,
    &contains_function,
    &find_function,
    &replace_function,
    &split_function,
    &join_function,
    &pad_start_function,
    &pad_end_function,
    &reverse_function,
    &chars_function,
    &format_function,
    &matches_function,
    &extract_function,
    &capture_function,
    &replace_all_function,
    NULL,
};

WEIR_PLUGIN(.id = "org.weir.function.text", .name = "text", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Functions of text: upper, split, replace, matches, ...",
            .factories = factories);
