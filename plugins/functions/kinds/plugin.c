/* SPDX-License-Identifier: MIT */
/* Functions that tell kinds of values apart and turn one kind into another. */
#include "kinds_functions.h"

static const weir_factory *const factories[] = {
    &type_function, &bool_function,  &int_function,     &float_function,
    &text_function, &bytes_function, &to_json_function, &parse_json_function,
    &hex_function,  &unhex_function, &base64_function,  &unbase64_function,
    NULL,
};

WEIR_PLUGIN(.id = "org.weir.function.kinds", .name = "kinds", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Functions between kinds of values: type, text, int, to_json, hex, ...",
            .factories = factories);
