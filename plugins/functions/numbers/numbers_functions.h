/* SPDX-License-Identifier: MIT */
/* The factories of this plugin, for the table in plugin.c. */
#ifndef FUNCTIONS_NUMBERS_FUNCTIONS_H
#define FUNCTIONS_NUMBERS_FUNCTIONS_H

#include <weir/plugin.h>

extern const weir_factory abs_function;
extern const weir_factory sign_function;
extern const weir_factory is_nan_function;
extern const weir_factory is_finite_function;
extern const weir_factory min_function;
extern const weir_factory max_function;
extern const weir_factory clamp_function;
extern const weir_factory floor_function;
extern const weir_factory ceil_function;
extern const weir_factory trunc_function;
extern const weir_factory round_function;
extern const weir_factory fixed_function;
extern const weir_factory sqrt_function;
extern const weir_factory exp_function;
extern const weir_factory ln_function;
extern const weir_factory log10_function;
extern const weir_factory log2_function;
extern const weir_factory sin_function;
extern const weir_factory cos_function;
extern const weir_factory tan_function;
extern const weir_factory asin_function;
extern const weir_factory acos_function;
extern const weir_factory atan_function;
extern const weir_factory atan2_function;
extern const weir_factory radians_function;
extern const weir_factory degrees_function;

#endif
