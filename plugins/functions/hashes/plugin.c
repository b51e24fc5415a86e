/* SPDX-License-Identifier: MIT */
/* Functions that make a short text out of any bytes. */
#include "hashes_functions.h"

static const weir_factory *const factories[] = { &sha256_function, NULL };

WEIR_PLUGIN(.id = "org.weir.function.hashes", .name = "hashes", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Functions that hash: sha256", .factories = factories);
