/* SPDX-License-Identifier: MIT */
/* Needs a function that nobody has: the loader must say so at once, not at the first call. */
#include <weir/host.h>

extern weir_status function_that_nobody_has(void *self, weir_context *ctx, const weir_batch *in);
#define PROCESS function_that_nobody_has
#include "sample.h"
