/* SPDX-License-Identifier: MIT */
/* An entry that states more than it has. */
#define ENTRY_SIZE (sizeof(weir_plugin_entry) + 8)
#include "sample.h"
