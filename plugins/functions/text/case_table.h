/* SPDX-License-Identifier: MIT */
/*
 * Case of letters, one code point to one. Runs are sorted and do not overlap; ASCII is not in them.
 */
#ifndef FUNCTIONS_CASE_TABLE_H
#define FUNCTIONS_CASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* first, first + step, ..., last: each moves by delta. */
struct case_run {
    uint32_t first;
    uint32_t last;
    uint32_t step;
    int32_t delta;
};

extern const struct case_run case_upper_runs[];
extern const size_t case_upper_runs_count;
extern const struct case_run case_lower_runs[];
extern const size_t case_lower_runs_count;

#endif
