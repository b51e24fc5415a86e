/* SPDX-License-Identifier: MIT */
/* A mandatory slot that is NULL. */
#define PROCESS NULL
#include "sample.h"
