/* SPDX-License-Identifier: MIT */
/*
 * Inputs and outputs of a factory, and the options that feed its inputs.
 */
#ifndef PLUGIN_PLUGIN_PORTS_H
#define PLUGIN_PLUGIN_PORTS_H

#include <weir/plugin.h>

#include "base/error.h"

/* Do they fit the kind and the option table? Both have been judged by themselves. */
weir_status plugin_check_ports(const weir_factory *factory, struct error *error);

/* How many inputs it has; at least 1. */
uint32_t plugin_input_count(const weir_factory *factory);

#endif
