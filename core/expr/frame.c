/* SPDX-License-Identifier: MIT */
/*
 * Columns, lanes and faults of a running expression. All memory is the batch's; columns are used
 * again within the frame.
 */
#include "expr/frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/fault_list.h"

/* ---- memory ---------------------------------------------------------------------------------- */

struct column_block {
    struct column_block *next;
};

void *frame_alloc(struct frame *frame, uint64_t size)
{
    struct evaluation *evaluation = frame->evaluation;
    /* Of an empty arena, no bytes would stand at NULL. */
    void *memory = weir_alloc(evaluation->ctx, size > 0 ? size : 1);
    if (memory == NULL && evaluation->status == WEIR_OK) {
        evaluation->status = WEIR_E_NOMEM;
    }
    return memory;
}

weir_value *frame_take_column(struct frame *frame)
{
    struct column_block *block = frame->free_columns;
    if (block != NULL) {
        frame->free_columns = block->next;
        return (weir_value *)(void *)block;
    }
    return frame_alloc(frame, frame->width * sizeof(weir_value));
}

void frame_give_column(struct frame *frame, weir_value *column)
{
    struct column_block *block = (struct column_block *)(void *)column;
    block->next = frame->free_columns;
    frame->free_columns = block;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

#define FOUR(n)    (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY(n)   SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)

static const uint8_t first_lanes[FRAME_LANES] = { SIXTY(0), SIXTY(64), SIXTY(128), SIXTY(192) };

struct lanes lanes_first(uint32_t count)
{
    return (struct lanes){ first_lanes, count };
}

uint8_t *selection_room(struct frame *frame, struct selection *selection)
{
    if (selection->room == NULL) {
        selection->room = frame_take_column(frame);
    }
    return (uint8_t *)selection->room;
}

static bool has_value(const weir_value *value)
{
    return value->tag != WEIR_TAG_ERROR;
}

bool selection_drop_failed(struct frame *frame, struct selection *selection,
                           const weir_value *column)
{
    return selection_keep(frame, selection, column, has_value);
}

void selection_end(struct frame *frame, struct selection *selection)
{
    if (selection->room != NULL) {
        frame_give_column(frame, selection->room);
        selection->room = NULL;
    }
}

/* ---- unboxed numbers ------------------------------------------------------------------------- */

bool unboxed_open(struct frame *frame, uint8_t tag, struct unboxed *ret)
{
    weir_value *column = frame_take_column(frame);
    if (column == NULL) {
        return false;
    }
    union number *numbers = (union number *)(void *)column;
    *ret = (struct unboxed){ tag, numbers, numbers + frame->width, column };
    return true;
}

void unboxed_drop(struct frame *frame, struct unboxed *unboxed)
{
    if (unboxed->tag != NOT_UNBOXED) {
        frame_give_column(frame, unboxed->column);
        unboxed->tag = NOT_UNBOXED;
    }
}

void unboxed_box(struct frame *frame, struct unboxed *unboxed, struct lanes lanes, weir_value *out)
{
    if (unboxed->tag == WEIR_INT) {
        for (uint32_t i = 0; i < lanes.count; i++) {
            out[lanes.at[i]] = weir_int(unboxed->numbers[i].i64);
        }
    } else if (unboxed->tag == WEIR_FLOAT) {
        for (uint32_t i = 0; i < lanes.count; i++) {
            out[lanes.at[i]] = weir_float(unboxed->numbers[i].f64);
        }
    }
    unboxed_drop(frame, unboxed);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The place of an operand; false: no memory. A constant stands already. */
static bool operand_place(struct frame *frame, const struct code *code, struct operand *ret)
{
    if (code->constant != NULL) {
        *ret = (struct operand){ .values = code->constant, .mask = 0 };
        return true;
    }
    weir_value *column = frame_take_column(frame);
    *ret = (struct operand){ .values = column, .mask = UINT32_MAX, .column = column };
    return column != NULL;
}

bool operand_begin(struct frame *frame, const struct code *code, struct lanes lanes,
                   struct operand *ret_operand, uint32_t *ret_failed)
{
    *ret_failed = 0;
    if (!operand_place(frame, code, ret_operand)) {
        return false;
    }
    if (ret_operand->column != NULL) {
        *ret_failed = code_run_lanes(frame, code, lanes, ret_operand->column);
    }
    return true;
}

bool operand_begin_unboxed(struct frame *frame, const struct code *code, struct lanes lanes,
                           struct operand *ret_operand, uint32_t *ret_failed)
{
    *ret_failed = 0;
    if (!operand_place(frame, code, ret_operand)) {
        return false;
    }
    if (ret_operand->column != NULL) {
        *ret_failed =
            code_run_unboxed(frame, code, lanes, ret_operand->column, &ret_operand->unboxed);
    }
    return true;
}

/* ---- faults ---------------------------------------------------------------------------------- */

enum { FAULT_ROOM = 640 };

static const struct expr_fault no_memory_fault = { "out of memory", NULL, 0, 0 };

uint32_t frame_fail_all(struct lanes lanes, weir_value *out)
{
    for (uint32_t i = 0; i < lanes.count; i++) {
        value_set_fault(&out[lanes.at[i]], &no_memory_fault);
    }
    return lanes.count;
}

/* The formatted text in the batch's memory, or NULL. */
__attribute__((format(printf, 2, 0))) static const char *copy_text(struct frame *frame,
                                                                   const char *format, va_list args)
{
    char text[FAULT_ROOM];
    vsnprintf(text, sizeof text, format, args);
    size_t size = strlen(text) + 1;
    char *copy = frame_alloc(frame, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void frame_fail(struct frame *frame, const struct source *source, weir_value *out,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = copy_text(frame, format, args);
    va_end(args);
    struct expr_fault *fault = message == NULL ? NULL : frame_alloc(frame, sizeof *fault);
    if (fault == NULL) {
        value_set_fault(out, &no_memory_fault);
        return;
    }
    *fault = (struct expr_fault){ message, NULL, source->from, source->to };
    value_set_fault(out, fault);
}

void frame_hint(struct frame *frame, weir_value *out, const char *format, ...)
{
    struct expr_fault *fault = (struct expr_fault *)(uintptr_t)out->as.bits;
    if (fault == &no_memory_fault) {
        return;
    }
    va_list args;
    va_start(args, format);
    fault->hint = copy_text(frame, format, args);
    va_end(args);
}

void frame_hint_null(struct frame *frame, weir_value *out, const weir_value *value,
                     const struct source *source, bool is_postfix)
{
    char room[EXCERPT_ROOM];
    if (value->tag == WEIR_NULL && is_postfix) {
        frame_hint(frame, out, "write '%s ?? ...' for a value in the place of null",
                   excerpt(source->text, source->from, source->to, room));
    }
}
