/* SPDX-License-Identifier: MIT */
/* Built for the next minor of the ABI. */
#define MINOR (WEIR_ABI_MINOR + 1)
#include "sample.h"
