/* SPDX-License-Identifier: MIT */
/* Right, and offers a name that another offers too. */
#define ID "com.acme.sample"
#include "sample.h"
