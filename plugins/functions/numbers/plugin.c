/* SPDX-License-Identifier: MIT */
/* Functions of numbers. */
#include "numbers_functions.h"

static const weir_factory *const factories[] = {
    &abs_function,       &sign_function,    &is_nan_function,
    &is_finite_function, &min_function,     &max_function,
    &clamp_function,     &floor_function,   &ceil_function,
    &trunc_function,     &round_function,   &fixed_function,
    &sqrt_function,      &exp_function,     &ln_function,
    &log10_function,     &log2_function,    &sin_function,
    &cos_function,       &tan_function,     &asin_function,
    &acos_function,      &atan_function,    &atan2_function,
    &radians_function,   &degrees_function, NULL,
};

WEIR_PLUGIN(.id = "org.weir.function.numbers", .name = "numbers", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Functions of numbers: round, min, max, sqrt, ...", .factories = factories);
