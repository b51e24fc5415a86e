/* SPDX-License-Identifier: MIT */
/* Built for another major of the ABI. */
#define MAJOR (WEIR_ABI_MAJOR + 1)
#include "sample.h"
