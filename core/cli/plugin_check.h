/* SPDX-License-Identifier: MIT */
#ifndef CLI_PLUGIN_CHECK_H
#define CLI_PLUGIN_CHECK_H

#include "cli/args.h"

/* `weir plugin check`. Returns the exit status. */
int plugin_check(const struct args *args);

#endif
