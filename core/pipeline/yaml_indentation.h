/* SPDX-License-Identifier: MIT */
/*
 * Finds the line that was moved, or that lacks the line above it, where a parser has stopped later.
 */
#ifndef PIPELINE_YAML_INDENTATION_H
#define PIPELINE_YAML_INDENTATION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * at: where the content of the line begins that does not fit to those before it. True: *ret_wrong is the
 * content of an earlier line that is to blame, since this one fits to what stands around both.
 */
bool indentation_find_wrong_line(const char *bytes, size_t size, size_t at, size_t *ret_wrong);

#endif
