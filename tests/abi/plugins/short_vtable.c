/* SPDX-License-Identifier: MIT */
/* A vtable that ends before its last slot. */
#define VTABLE_SIZE 16
#include "sample.h"
