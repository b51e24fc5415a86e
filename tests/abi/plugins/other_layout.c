/* SPDX-License-Identifier: MIT */
/* Built for another layout of values. */
#define LAYOUT (WEIR_VALUE_LAYOUT + 1)
#include "sample.h"
