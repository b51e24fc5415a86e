/* SPDX-License-Identifier: MIT */
/*
 * What accepts a missing path: ??, is null, has(); and try(), which accepts every fault. Operands that
 * are paths are read forgivingly: WEIR_TAG_MISSING then stands in the column and ends here.
 */
#include "expr/code.h"

struct missing_code {
    struct code code;
    const struct code *const *operands;
    uint32_t count;
    bool is_negated;
};

static struct missing_code *missing_code(struct arena *arena, struct source source, code_run *run,
                                         const struct code *const *operands, uint32_t count)
{
    struct missing_code *made = arena_zeroed(arena, sizeof *made);
    const struct code *const *copy = code_copy_operands(arena, operands, count);
    if (made == NULL || copy == NULL) {
        return NULL;
    }
    made->code =
        (struct code){ .run = run, .source = source, .reads = code_reads(operands, count) };
    made->operands = copy;
    made->count = count;
    return made;
}

static bool is_absent(const weir_value *value)
{
    return value->tag == WEIR_NULL || value->tag == WEIR_TAG_MISSING;
}

static bool has_failed(const weir_value *value)
{
    return value->tag == WEIR_TAG_ERROR;
}

static bool is_true(const weir_value *value)
{
    return value->tag == WEIR_BOOL && value->as.i64 != 0;
}

/* ---- ?? ---------------------------------------------------------------------------------------- */

static uint32_t run_fallback(struct frame *frame, const struct code *code, struct lanes lanes,
                             weir_value *out)
{
    const struct missing_code *missing = CODE_OF(code, struct missing_code);
    struct selection selection = selection_of(lanes);
    uint32_t failed = code_run_forgiving(frame, missing->operands[0], lanes, out);
    bool has_memory = true;
    for (uint32_t i = 1; i < missing->count; i++) {
        has_memory = selection_keep(frame, &selection, out, is_absent);
        if (!has_memory || selection.lanes.count == 0) {
            break;
        }
        /* The last one has nothing behind it that would repair a missing path. */
        bool is_last = i + 1 == missing->count;
        failed += is_last ? code_run_lanes(frame, missing->operands[i], selection.lanes, out)
                          : code_run_forgiving(frame, missing->operands[i], selection.lanes, out);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

struct code *code_fallback(struct arena *arena, struct source source,
                           const struct code *const *operands, uint32_t count)
{
    struct missing_code *made = missing_code(arena, source, run_fallback, operands, count);
    return made == NULL ? NULL : &made->code;
}

/* ---- is null ----------------------------------------------------------------------------------- */

static uint32_t run_is_null(struct frame *frame, const struct code *code, struct lanes lanes,
                            weir_value *out)
{
    const struct missing_code *missing = CODE_OF(code, struct missing_code);
    uint32_t failed = code_run_forgiving(frame, missing->operands[0], lanes, out);
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *value = &out[lanes.at[i]];
        if (value->tag != WEIR_TAG_ERROR) {
            *value = weir_bool(is_absent(value) != missing->is_negated);
        }
    }
    return failed;
}

struct code *code_is_null(struct arena *arena, struct source source, const struct code *operand,
                          bool is_negated)
{
    struct missing_code *made = missing_code(arena, source, run_is_null, &operand, 1);
    if (made == NULL) {
        return NULL;
    }
    made->is_negated = is_negated;
    return &made->code;
}

/* ---- has() ------------------------------------------------------------------------------------- */

static uint32_t run_has(struct frame *frame, const struct code *code, struct lanes lanes,
                        weir_value *out)
{
    const struct missing_code *missing = CODE_OF(code, struct missing_code);
    struct selection selection = selection_of(lanes);
    uint32_t failed = 0;
    bool has_memory = true;
    for (uint32_t i = 0; has_memory && i < missing->count && selection.lanes.count > 0; i++) {
        failed += code_run_forgiving(frame, missing->operands[i], selection.lanes, out);
        for (uint32_t k = 0; k < selection.lanes.count; k++) {
            weir_value *value = &out[selection.lanes.at[k]];
            if (value->tag != WEIR_TAG_ERROR) {
                *value = weir_bool(value->tag != WEIR_TAG_MISSING);
            }
        }
        has_memory = selection_keep(frame, &selection, out, is_true);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

struct code *code_has(struct arena *arena, struct source source, const struct code *const *operands,
                      uint32_t count)
{
    struct missing_code *made = missing_code(arena, source, run_has, operands, count);
    return made == NULL ? NULL : &made->code;
}

/* ---- try() ------------------------------------------------------------------------------------- */

static uint32_t run_try(struct frame *frame, const struct code *code, struct lanes lanes,
                        weir_value *out)
{
    const struct missing_code *missing = CODE_OF(code, struct missing_code);
    uint32_t failed = code_run_lanes(frame, missing->operands[0], lanes, out);
    /* A fault of the whole call is none of the record. */
    if (failed == 0 || frame->evaluation->status != WEIR_OK) {
        return failed;
    }
    struct selection selection = selection_of(lanes);
    bool has_memory = selection_keep(frame, &selection, out, has_failed);
    if (has_memory) {
        failed = code_run_lanes(frame, missing->operands[1], selection.lanes, out);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

struct code *code_try(struct arena *arena, struct source source, const struct code *attempt,
                      const struct code *otherwise)
{
    const struct code *const operands[] = { attempt, otherwise };
    struct missing_code *made = missing_code(arena, source, run_try, operands, 2);
    return made == NULL ? NULL : &made->code;
}
