/* SPDX-License-Identifier: MIT */
/* The factories of this plugin, for the table in plugin.c. */
#ifndef FUNCTIONS_KINDS_FUNCTIONS_H
#define FUNCTIONS_KINDS_FUNCTIONS_H

#include <weir/plugin.h>

extern const weir_factory type_function;
extern const weir_factory bool_function;
extern const weir_factory int_function;
extern const weir_factory float_function;
extern const weir_factory text_function;
extern const weir_factory bytes_function;
extern const weir_factory to_json_function;
extern const weir_factory parse_json_function;
extern const weir_factory hex_function;
extern const weir_factory unhex_function;
extern const weir_factory base64_function;
extern const weir_factory unbase64_function;

#endif
