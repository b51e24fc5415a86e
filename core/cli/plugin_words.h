/* SPDX-License-Identifier: MIT */
/*
 * Forms of texts that a plugin says about itself.
 */
#ifndef CLI_PLUGIN_WORDS_H
#define CLI_PLUGIN_WORDS_H

#include <stdbool.h>

/* Semantic Versioning 2.0.0: 1.2.3, 1.0.0-rc.1+build. */
bool word_is_version(const char *text);
/* The form of an SPDX licence expression: `MIT`, `GPL-2.0-or-later WITH x OR (MIT AND 0BSD)`. Whether the
 * licences are on SPDX's list is not looked up. */
bool word_is_spdx(const char *text);

#endif
