/* SPDX-License-Identifier: MIT */
/* The factories of this plugin, for the table in plugin.c. */
#ifndef FUNCTIONS_HASHES_FUNCTIONS_H
#define FUNCTIONS_HASHES_FUNCTIONS_H

#include <weir/plugin.h>

extern const weir_factory hash_function;
extern const weir_factory sha256_function;

#endif
