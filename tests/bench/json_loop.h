/* SPDX-License-Identifier: MIT */
#ifndef BENCH_JSON_LOOP_H
#define BENCH_JSON_LOOP_H

#include "records.h"

/*
 * What a careful programmer would write with yyjson alone: parse, drop where temperature is below
 * zero, add two computed members, write. out: room for all results, ends: one per result.
 * Returns the number of results.
 */
size_t json_loop(const struct records *in, char *out, size_t *ends);

#endif
