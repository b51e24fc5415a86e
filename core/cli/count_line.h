/* SPDX-License-Identifier: MIT */
#ifndef CLI_COUNT_LINE_H
#define CLI_COUNT_LINE_H

#include <stddef.h>

#include <weir/abi.h>

/* Appends the last line of a diagnosis: "2 errors, 1 warning in FILE", or "FILE: no errors". */
void count_line_write(weir_buffer *out, const char *file, size_t errors, size_t warnings);

#endif
