/* SPDX-License-Identifier: MIT */
/* Right in everything. */
#include "sample.h"
