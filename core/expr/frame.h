/* SPDX-License-Identifier: MIT */
/*
 * How compiled expressions run: a tree of `struct code`, each of which computes a column of values for
 * the lanes (records) that are asked for. A lane that fails holds WEIR_TAG_ERROR and leaves the lanes
 * that are worked on further, so that its first fault stays.
 *
 * At most FRAME_LANES lanes are under way at once: columns stay in the processor's cache and scratch
 * memory does not grow with the batch.
 */
#ifndef EXPR_FRAME_H
#define EXPR_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/host.h>

#include "base/arena.h"
#include "expr/expr.h"
#include "value/value.h"

enum { FRAME_LANES = 256 };
/* Bytes of a text or bytes, items of a list, that an expression may make. */
enum { RESULT_MAX_BYTES = 16 * 1024 * 1024, RESULT_MAX_ITEMS = RESULT_MAX_BYTES / 16 };

/* The lanes to be computed: ascending numbers. */
struct lanes {
    const uint8_t *at;
    uint32_t count;
};

/* A stretch of the text that an expression was compiled from. */
struct source {
    const char *text;
    uint32_t from;
    uint32_t to;
};

struct frame;
struct code;

/*
 * Computes out[lane] for every lane of `lanes`; returns how many of them failed. Other lanes of out
 * are left alone.
 */
typedef uint32_t code_run(struct frame *frame, const struct code *code, struct lanes lanes,
                          weir_value *out);

struct unboxed;

/* As code_run, but where all lanes are ints or all are floats, they may be left in *ret instead. */
typedef uint32_t code_run_numbers(struct frame *frame, const struct code *code, struct lanes lanes,
                                  weir_value *out, struct unboxed *ret);

/* What the result depends on. */
enum {
    READS_RECORD = 1u,
    READS_ITEM = 2u,    /* $it or $index of the form around */
    READS_TOO_MUCH = 4u /* constant, but too large to be computed ahead */
};

/*
 * Compiled, immutable. Every kind of code embeds this as `code`.
 *
 * run_forgiving  as run, but a missing path gives WEIR_TAG_MISSING instead of a fault; NULL: this
 *                code reads no path itself
 * run_unboxed    NULL: run is all there is
 * constant       the value; NULL: it depends on something
 * is_postfix     `??` may follow without parentheses, for hints
 */
struct code {
    code_run *run;
    code_run *run_forgiving;
    code_run_numbers *run_unboxed;
    const weir_value *constant;
    struct source source;
    uint32_t reads;
    bool is_postfix;
};

#define CODE_OF(pointer, type)                                                                     \
 ((const type *)(const void *)((const char *)(pointer)-offsetof(type, code)))

/* One call of expr_evaluate, or one constant that is computed ahead. */
struct evaluation {
    weir_context *ctx;
    weir_status status;   /* negative: the call as a whole failed */
    uint64_t item_budget; /* how many more items forms may visit */
};

struct column_block;

/*
 * entries         by lane; NULL where a constant is computed
 * items, indexes  $it and $index by lane; NULL outside of forms
 * width           lanes of this frame
 * free_columns    columns of `width` values to be used again
 */
struct frame {
    struct evaluation *evaluation;
    const weir_entry *entries;
    const weir_value *items;
    const weir_value *indexes;
    uint32_t width;
    struct column_block *free_columns;
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* Memory of the batch. NULL: none; then the evaluation has failed. */
void *frame_alloc(struct frame *frame, uint64_t size);
/* A column of frame->width values, uninitialised, for use inside one run. NULL: as above. */
weir_value *frame_take_column(struct frame *frame);
void frame_give_column(struct frame *frame, weir_value *column);

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Lanes 0 .. count. */
struct lanes lanes_first(uint32_t count);

/* True where the lanes are 0, 1, 2, ... */
static inline bool lanes_are_dense(struct lanes lanes)
{
    return lanes.count == 0 || lanes.at[lanes.count - 1] == lanes.count - 1;
}

/*
 * A selection that shrinks: `lanes`, and once something has left, `room` behind it. room is a column
 * that is taken only then; give it back with selection_end.
 */
struct selection {
    struct lanes lanes;
    weir_value *room;
};

static inline struct selection selection_of(struct lanes lanes)
{
    struct selection selection = { lanes, NULL };
    return selection;
}

/* Where a filtered list of lanes may be written: also while `lanes` itself is read. NULL: no memory. */
uint8_t *selection_room(struct frame *frame, struct selection *selection);
void selection_end(struct frame *frame, struct selection *selection);

/* Keeps the lanes whose value in `column` passes. False: no memory. */
static inline __attribute__((always_inline)) bool selection_keep(struct frame *frame,
                                                                 struct selection *selection,
                                                                 const weir_value *column,
                                                                 bool (*passes)(const weir_value *))
{
    uint8_t *kept = selection_room(frame, selection);
    if (kept == NULL) {
        return false;
    }
    struct lanes lanes = selection->lanes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        kept[count] = lane;
        count += passes(&column[lane]);
    }
    selection->lanes = (struct lanes){ kept, count };
    return true;
}

/* Drops the lanes whose value in `column` failed. False: no memory. */
bool selection_drop_failed(struct frame *frame, struct selection *selection,
                           const weir_value *column);

/* ---- unboxed numbers ------------------------------------------------------------------------- */

union number {
    int64_t i64;
    double f64;
};

/*
 * All lanes' results, where all are ints or all are floats: an array of bare numbers in the order of
 * the lanes, instead of values by lane. Loops over it need not look at kinds.
 *
 * tag     WEIR_INT or WEIR_FLOAT; NOT_UNBOXED: the results stand as values in the column `out`
 * room    for as many numbers, behind them: where the next result may be written
 * column  the memory of both
 */
enum { NOT_UNBOXED = 0 };
struct unboxed {
    uint8_t tag;
    union number *numbers;
    union number *room;
    weir_value *column;
};

/* Fewer lanes are not worth it. */
enum { UNBOXED_MIN_LANES = 4 };

/* Memory for frame->width numbers of this kind. False: no memory. */
bool unboxed_open(struct frame *frame, uint8_t tag, struct unboxed *ret);
/* Ends it without a result. */
void unboxed_drop(struct frame *frame, struct unboxed *unboxed);
/* Makes values of it: out[lane] for the lanes, the first of those that it holds. */
void unboxed_box(struct frame *frame, struct unboxed *unboxed, struct lanes lanes, weir_value *out);

/* ---- operands -------------------------------------------------------------------------------- */

/* Values by lane: a column, or one constant for all lanes (mask 0). */
struct operand {
    const weir_value *values;
    uint32_t mask;
    weir_value *column; /* to be given back */
    struct unboxed unboxed;
};

static inline const weir_value *operand_at(const struct operand *operand, uint32_t lane)
{
    return &operand->values[lane & operand->mask];
}

/*
 * Computes the code for the lanes, without a copy where the values stand ready. False: no memory; else
 * end with operand_end. *ret_failed: how many lanes failed.
 */
bool operand_begin(struct frame *frame, const struct code *code, struct lanes lanes,
                   struct operand *ret_operand, uint32_t *ret_failed);
/* As operand_begin, but the results may be unboxed. */
bool operand_begin_unboxed(struct frame *frame, const struct code *code, struct lanes lanes,
                           struct operand *ret_operand, uint32_t *ret_failed);
/* Makes values of an unboxed operand. */
static inline void operand_box(struct frame *frame, struct operand *operand, struct lanes lanes)
{
    unboxed_box(frame, &operand->unboxed, lanes, operand->column);
}

static inline void operand_end(struct frame *frame, struct operand *operand)
{
    unboxed_drop(frame, &operand->unboxed);
    if (operand->column != NULL) {
        frame_give_column(frame, operand->column);
    }
}

static inline uint32_t code_run_lanes(struct frame *frame, const struct code *code,
                                      struct lanes lanes, weir_value *out)
{
    return lanes.count == 0 ? 0 : code->run(frame, code, lanes, out);
}

static inline uint32_t code_run_unboxed(struct frame *frame, const struct code *code,
                                        struct lanes lanes, weir_value *out, struct unboxed *ret)
{
    *ret = (struct unboxed){ .tag = NOT_UNBOXED };
    return code->run_unboxed != NULL && lanes.count >= UNBOXED_MIN_LANES
               ? code->run_unboxed(frame, code, lanes, out, ret)
               : code_run_lanes(frame, code, lanes, out);
}

/* As `??`, `is null` and has() read it. */
static inline uint32_t code_run_forgiving(struct frame *frame, const struct code *code,
                                          struct lanes lanes, weir_value *out)
{
    code_run *run = code->run_forgiving != NULL ? code->run_forgiving : code->run;
    return lanes.count == 0 ? 0 : run(frame, code, lanes, out);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Fails one lane: *out becomes an error with a message in the manner of printf. */
void frame_fail(struct frame *frame, const struct source *source, weir_value *out,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds a hint to the fault that frame_fail has just made. */
void frame_hint(struct frame *frame, weir_value *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Where `value` is null: the hint `write 'SOURCE ?? ...'`, if a `??` may stand there. */
void frame_hint_null(struct frame *frame, weir_value *out, const weir_value *value,
                     const struct source *source, bool is_postfix);
/* Fails all lanes: the evaluation as a whole has failed. Returns their number. */
uint32_t frame_fail_all(struct lanes lanes, weir_value *out);

/* Makes the lane hold a fault that was made before. */
static inline void value_set_fault(weir_value *out, const struct expr_fault *fault)
{
    *out = (weir_value){ .tag = WEIR_TAG_ERROR };
    out->as.bits = (uint64_t)(uintptr_t)fault;
}

#endif
