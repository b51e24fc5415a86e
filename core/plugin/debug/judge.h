/* SPDX-License-Identifier: MIT */
/*
 * Judges what a plugin has given: values against weir/value.h, records and entries against
 * weir/record.h. The first breach is told with its place ("output 0, record 2, value.a[1]").
 */
#ifndef PLUGIN_DEBUG_JUDGE_H
#define PLUGIN_DEBUG_JUDGE_H

#include "plugin/debug/visit.h"

/* Where a value was found. */
struct judge_place {
    const char *what; /* "output 0, record 2" */
    const char *part; /* "key", "value"; NULL: the value itself is the place */
};

/* False: a rule is broken and was told. */
bool judge_value(struct visit *visit, const struct judge_place *place, const weir_value *v);
/* Everything at the outputs. batch: as it was lent; NULL: a source's. */
bool judge_outputs(struct visit *visit, const weir_batch *batch);

#endif
