/* SPDX-License-Identifier: MIT */
/* Functions that make a number or a short text out of anything. */
#include "hashes_functions.h"

static const weir_factory *const factories[] = { &hash_function, &sha256_function, NULL };

WEIR_PLUGIN(.id = "org.weir.function.hashes", .name = "hashes", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Functions that hash: hash, sha256", .factories = factories);
