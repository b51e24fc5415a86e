/* SPDX-License-Identifier: MIT */
/* Functions of lists and maps. */
#include "lists_functions.h"

static const weir_factory *const factories[] = {
    &keys_function,    &values_function,
    &merge_function,   &without_function,
    &first_function,   &last_function,
    &sum_function,     &mean_function,
    &sort_function,    &distinct_function,
    &flatten_function, &range_function,
    &header_function,  NULL,
};

WEIR_PLUGIN(.id = "org.weir.function.lists", .name = "lists", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Functions of lists and maps: sum, sort, keys, merge, ...",
            .factories = factories);
