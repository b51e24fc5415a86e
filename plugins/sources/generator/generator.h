/* SPDX-License-Identifier: MIT */
/* What the files of the source `generator` share: its options and its state. */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <weir/source.h>

#include "support/edit.h"

enum { RANDOM_COUNT = 4, MEMBER_COUNT = 2 + RANDOM_COUNT };

/* Of the map that expressions see: number, time, random numbers. */
extern const char *const generator_member_names[MEMBER_COUNT];

struct config {
    double rate;
    int64_t count;
    int64_t seed;
    const weir_option_value *start_ms; /* NULL: not given */
    weir_option_map fields;
    const weir_expression *value;
};

/*
 * columns    expressions: one per field, or that of the value, or none
 * places     one per field
 * made       numbers used up since the beginning; first: at open
 * opened_ns  when record number `first` is due, on the monotonic clock
 * input      what expressions see, as JSON, of a record that fails
 */
struct generator {
    const weir_host *host;
    const struct config *config;
    const weir_clock_api *clock;
    const weir_expressions_api *expressions;
    const weir_values_api *values;
    struct edit_place *places;
    uint32_t column_count;
    uint32_t symbols[MEMBER_COUNT];
    uint64_t made;
    uint64_t first;
    uint64_t given;
    int64_t start_ms;
    int64_t opened_ns;
    weir_buffer input;
};

/* When record n is planned. Without a rate the records are a millisecond apart. */
int64_t generator_planned_ms(const struct generator *self, uint64_t n);
/* Makes and emits the next records, as many as are due. */
weir_status generator_emit(struct generator *self, weir_context *ctx, uint32_t count);

#endif
