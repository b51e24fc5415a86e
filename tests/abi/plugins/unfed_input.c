/* SPDX-License-Identifier: MIT */
/* A second input that no option of type stream feeds. */
#define INPUTS "left", "right"
#include "sample.h"
