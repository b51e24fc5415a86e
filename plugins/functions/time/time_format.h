/* SPDX-License-Identifier: MIT */
/*
 * The letters behind a '%' in formats of parse_time and format_time.
 */
#ifndef FUNCTIONS_TIME_FORMAT_H
#define FUNCTIONS_TIME_FORMAT_H

#include "support/lane.h"

/* Offset of the first '%' without a letter that is known, or `len`. */
size_t time_format_valid_prefix(const char *format, size_t len);
/* For prepare: judges a literal format in argument `arg`. */
weir_status time_format_prepare(const weir_host *host, const weir_value *const *literals,
                                uint32_t count, uint32_t arg, weir_error_info *fault);
/* Fails the lane if the format is wrong. */
weir_status time_format_check(weir_call *call, uint32_t lane, const char *function,
                              const weir_value *format);

#endif
