/* SPDX-License-Identifier: MIT */
/* An option table with a type that does not exist. */
#define OPTION_TYPE 99
#include "sample.h"
