/* SPDX-License-Identifier: MIT */
/* Right, but of the id of another. */
#define NAME "other"
#include "sample.h"
