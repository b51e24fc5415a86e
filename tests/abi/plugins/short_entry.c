/* SPDX-License-Identifier: MIT */
/* An entry that states less than every version has. */
#define ENTRY_SIZE 32
#include "sample.h"
