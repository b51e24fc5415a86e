/* SPDX-License-Identifier: MIT */
/*
 * The order in which records would have run through the graph one by one, depth first, kept by
 * numbers: a numbering branch point gives every record a number of its own per branch and remembers
 * the number that the record had before. So each entry's ordinal stands for the path that it took,
 * and two entries that have met again compare by the branch point at which their paths parted.
 */
#ifndef ENGINE_ORDER_H
#define ENGINE_ORDER_H

#include <stdbool.h>

#include <weir/record.h>

#include "base/arena.h"

/*
 * The numbers that one branch point gave to one batch: first, first + 1, ... A record's numbers in
 * its branches are neighbours, in the order of the branches.
 *
 * outer  number before, by (number - first) / width; NULL at the input
 * depth  branch points passed; 0 at the input
 */
struct order_scope {
    uint32_t first;
    uint32_t width;
    uint32_t depth;
    const uint32_t *outer;
};

struct order {
    struct order_scope *scopes; /* by `first`, ascending */
    uint32_t scope_count;
    uint32_t scope_capacity;
    uint32_t next;
};

/* Several records of one stream, in order. */
struct run {
    const weir_entry *entries;
    uint32_t count;
};

/* capacity: numbering branch points of the graph. In the arena, for one batch. False: no memory. */
bool order_start(struct order *order, struct arena *arena, uint32_t capacity, uint32_t input_count);

/*
 * Numbers the records that a step with `width` outputs takes in. What it emits inherits the number of
 * the record it works on; order_output then tells the outputs apart. False: no memory.
 */
bool order_number(struct order *order, struct arena *arena, struct run in, uint32_t width,
                  struct run *ret_run);

/* Moves numbers from order_number on to those of an output. */
void order_output(weir_entry *entries, uint32_t count, uint32_t output);

/*
 * Numbers the records of a branch point anew: ret_runs[0 .. width) get entries of their own.
 * False: no memory.
 */
bool order_branch(struct order *order, struct arena *arena, struct run in, uint32_t width,
                  struct run *ret_runs);

/* True where the record with number a comes before the one with number b. */
bool order_is_before(const struct order *order, uint32_t a, uint32_t b);

/*
 * Merges runs, each in order, into one. On each entry is put as `input` what `ports` has for its run;
 * NULL: 0. False: no memory.
 */
bool order_merge(const struct order *order, struct arena *arena, const struct run *runs,
                 uint32_t run_count, const uint16_t *ports, struct run *ret_run);

#endif
