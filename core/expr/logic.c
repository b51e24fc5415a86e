/* SPDX-License-Identifier: MIT */
/*
 * and, or, not, if: lazy, so that each operand runs for those lanes alone whose result depends on it.
 */
#include <string.h>

#include "expr/code.h"

struct logic_code {
    struct code code;
    const struct code *const *operands;
    uint32_t count;
    bool goes_on_with; /* the truth at which the next operand decides: and true, or false */
};

static inline bool is_truthy(const weir_value *value)
{
    return value->tag == WEIR_BOOL ? value->as.i64 != 0 : value_is_truthy(value);
}

static bool goes_true(const weir_value *value)
{
    return value->tag == WEIR_BOOL ? value->as.i64 != 0
                                   : value->tag != WEIR_TAG_ERROR && value_is_truthy(value);
}

static bool goes_false(const weir_value *value)
{
    return value->tag == WEIR_BOOL ? value->as.i64 == 0
                                   : value->tag != WEIR_TAG_ERROR && !value_is_truthy(value);
}

/* Keeps the lanes whose value has this truth; failed ones leave. False: no memory. */
static bool keep_where(struct frame *frame, struct selection *selection, const weir_value *column,
                       bool truth)
{
    return truth ? selection_keep(frame, selection, column, goes_true)
                 : selection_keep(frame, selection, column, goes_false);
}

/* ---- and, or ----------------------------------------------------------------------------------- */

static uint32_t run_logic(struct frame *frame, const struct code *code, struct lanes lanes,
                          weir_value *out)
{
    const struct logic_code *logic = CODE_OF(code, struct logic_code);
    struct selection selection = selection_of(lanes);
    uint32_t failed = code_run_lanes(frame, logic->operands[0], lanes, out);
    bool has_memory = true;
    for (uint32_t i = 1; has_memory && i < logic->count; i++) {
        has_memory = keep_where(frame, &selection, out, logic->goes_on_with);
        if (!has_memory || selection.lanes.count == 0) {
            break;
        }
        failed += code_run_lanes(frame, logic->operands[i], selection.lanes, out);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

static struct code *logic_code(struct arena *arena, struct source source,
                               const struct code *const *operands, uint32_t count,
                               bool goes_on_with)
{
    struct logic_code *made = arena_zeroed(arena, sizeof *made);
    const struct code *const *copy = code_copy_operands(arena, operands, count);
    if (made == NULL || copy == NULL) {
        return NULL;
    }
    made->code =
        (struct code){ .run = run_logic, .source = source, .reads = code_reads(operands, count) };
    made->operands = copy;
    made->count = count;
    made->goes_on_with = goes_on_with;
    return &made->code;
}

struct code *code_and(struct arena *arena, struct source source, const struct code *const *operands,
                      uint32_t count)
{
    return logic_code(arena, source, operands, count, true);
}

struct code *code_or(struct arena *arena, struct source source, const struct code *const *operands,
                     uint32_t count)
{
    return logic_code(arena, source, operands, count, false);
}

/* ---- not --------------------------------------------------------------------------------------- */

static uint32_t run_not(struct frame *frame, const struct code *code, struct lanes lanes,
                        weir_value *out)
{
    const struct logic_code *logic = CODE_OF(code, struct logic_code);
    uint32_t failed = code_run_lanes(frame, logic->operands[0], lanes, out);
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *value = &out[lanes.at[i]];
        if (value->tag != WEIR_TAG_ERROR) {
            *value = weir_bool(!is_truthy(value));
        }
    }
    return failed;
}

struct code *code_not(struct arena *arena, struct source source, const struct code *operand)
{
    struct code *made = logic_code(arena, source, &operand, 1, true);
    if (made != NULL) {
        made->run = run_not;
    }
    return made;
}

/* ---- if ---------------------------------------------------------------------------------------- */

/* One branch for the lanes whose condition has this truth; false: no memory. */
static bool run_branch(struct frame *frame, const struct code *branch, struct lanes lanes,
                       const weir_value *conditions, bool truth, weir_value *out, uint32_t *failed)
{
    struct selection selection = selection_of(lanes);
    bool has_memory = keep_where(frame, &selection, conditions, truth);
    if (has_memory) {
        *failed += code_run_lanes(frame, branch, selection.lanes, out);
    }
    selection_end(frame, &selection);
    return has_memory;
}

static uint32_t run_if(struct frame *frame, const struct code *code, struct lanes lanes,
                       weir_value *out)
{
    const struct logic_code *logic = CODE_OF(code, struct logic_code);
    weir_value *conditions = frame_take_column(frame);
    if (conditions == NULL) {
        return frame_fail_all(lanes, out);
    }
    uint32_t failed = code_run_lanes(frame, logic->operands[0], lanes, conditions);
    for (uint32_t i = 0; failed > 0 && i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        if (conditions[lane].tag == WEIR_TAG_ERROR) {
            out[lane] = conditions[lane];
        }
    }
    bool has_memory =
        run_branch(frame, logic->operands[1], lanes, conditions, true, out, &failed) &&
        run_branch(frame, logic->operands[2], lanes, conditions, false, out, &failed);
    frame_give_column(frame, conditions);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

struct code *code_if(struct arena *arena, struct source source,
                     const struct code *const operands[3])
{
    struct code *made = logic_code(arena, source, operands, 3, true);
    if (made != NULL) {
        made->run = run_if;
    }
    return made;
}
