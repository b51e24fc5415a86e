/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions that plugins bring. A function sees dense columns: the lanes that are left are
 * moved together, kinds are checked against its signature before, constants stand in ready columns.
 */
#include <string.h>

#include "expr/code.h"
#include "expr/fault_list.h"
#include "expr/kinds.h"
#include "expr/number_operand.h"

/* constants[i]: a column of FRAME_LANES equal values, or NULL where the argument is computed. */
struct function_code {
    struct code code;
    const char *name;
    const struct expr_function *function;
    void *state;
    const struct signature *signature;
    const struct code *const *operands;
    const weir_value **constants;
    uint32_t count;
};

/* One call at work. args: what the function sees. */
struct function_run {
    weir_call call; /* first: `fail` finds the rest by its address */
    struct frame *frame;
    const struct function_code *function;
    const weir_value **args;
    weir_value **columns; /* to be given back; NULL for constants */
};

/* ---- arguments --------------------------------------------------------------------------------- */

const char *argument_fit(uint32_t kinds, weir_value *value)
{
    weir_value number;
    if (value->tag == WEIR_NUMBER && value_number(value, &number)) {
        if (number.tag != WEIR_NUMBER) {
            *value = number;
        } else if (kinds != KIND_ANY) {
            return (value_kind(value) & kinds) != 0 ? number_beyond(value) : "";
        }
    }
    if ((value_kind(value) & kinds) == 0 && kinds != KIND_ANY) {
        return "";
    }
    return NULL;
}

static void fail_argument(const struct function_run *run, uint32_t arg, const char *fault,
                          weir_value *value)
{
    const struct function_code *function = run->function;
    const struct code *operand = function->operands[arg];
    char wanted[KINDS_ROOM];
    weir_value made;
    if (fault[0] != '\0') {
        number_fail_beyond(run->frame, &operand->source, value, &made);
    } else {
        frame_fail(run->frame, &operand->source, &made,
                   "function '%s' takes %s as argument %u, not %s", function->name,
                   kinds_text(signature_kinds(function->signature, arg), wanted), arg + 1,
                   value_kind_name(value));
        frame_hint_null(run->frame, &made, value, &operand->source, operand->is_postfix);
    }
    *value = made;
}

/* Brings every lane's argument to the form of the signature; returns how many do not fit. */
static uint32_t fit_column(const struct function_run *run, uint32_t arg, struct lanes lanes,
                           weir_value *column)
{
    uint32_t kinds = signature_kinds(run->function->signature, arg);
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *value = &column[lanes.at[i]];
        /* Tags below WEIR_NUMBER are numbered like the bits of the kinds. */
        if (value->tag < WEIR_NUMBER && (kinds >> value->tag & 1u) != 0) {
            continue;
        }
        const char *fault = argument_fit(kinds, value);
        if (fault != NULL) {
            fail_argument(run, arg, fault, value);
            failed++;
        }
    }
    return failed;
}

/* Failed arguments become the result. */
static bool drop_failed(struct frame *frame, struct selection *selection, const weir_value *column,
                        weir_value *out)
{
    for (uint32_t i = 0; i < selection->lanes.count; i++) {
        uint8_t lane = selection->lanes.at[i];
        if (column[lane].tag == WEIR_TAG_ERROR) {
            out[lane] = column[lane];
        }
    }
    return selection_drop_failed(frame, selection, column);
}

/* Computes the arguments, then compares them with the signature. False: no memory. */
static bool read_arguments(struct function_run *run, struct selection *selection, weir_value *out,
                           uint32_t *failed)
{
    const struct function_code *function = run->function;
    for (uint32_t i = 0; i < function->count; i++) {
        run->args[i] = function->constants[i];
        if (run->args[i] != NULL) {
            continue;
        }
        weir_value *column = frame_take_column(run->frame);
        if (column == NULL) {
            return false;
        }
        run->columns[i] = column;
        run->args[i] = column;
        uint32_t now = code_run_lanes(run->frame, function->operands[i], selection->lanes, column);
        *failed += now;
        if (now > 0 && !drop_failed(run->frame, selection, column, out)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < function->count; i++) {
        weir_value *column = run->columns[i];
        uint32_t now = column == NULL ? 0 : fit_column(run, i, selection->lanes, column);
        *failed += now;
        if (now > 0 && !drop_failed(run->frame, selection, column, out)) {
            return false;
        }
    }
    return true;
}

/* ---- the call ---------------------------------------------------------------------------------- */

static void fail_lane(weir_call *call, uint32_t lane, const char *message)
{
    struct function_run *run = (struct function_run *)(void *)call;
    if (lane < call->count) {
        frame_fail(run->frame, &run->function->code.source, &call->results[lane], "%s", message);
    }
}

/* Moves the lanes that are left together. */
static void make_dense(const struct function_run *run, struct lanes lanes)
{
    for (uint32_t arg = 0; arg < run->function->count; arg++) {
        weir_value *column = run->columns[arg];
        for (uint32_t i = 0; column != NULL && i < lanes.count; i++) {
            column[i] = column[lanes.at[i]];
        }
    }
}

static bool is_too_large(const weir_value *result)
{
    bool is_text = result->tag == WEIR_TEXT || result->tag == WEIR_BYTES;
    return (is_text && result->len > RESULT_MAX_BYTES) ||
           (result->tag == WEIR_LIST && result->len > RESULT_MAX_ITEMS);
}

/* Takes the results; returns how many lanes failed. */
static uint32_t take_results(const struct function_run *run, struct lanes lanes,
                             weir_value *results, weir_value *out)
{
    uint32_t failed = 0;
    const struct function_code *function = run->function;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *result = &results[i];
        if (result->tag == WEIR_TAG_MISSING) {
            frame_fail(run->frame, &function->code.source, result,
                       "function '%s' gave no result; its plugin has a defect", function->name);
        } else if (is_too_large(result)) {
            frame_fail(run->frame, &function->code.source, result,
                       "the result of function '%s' has more than 16 MiB", function->name);
        }
        failed += result->tag == WEIR_TAG_ERROR;
        out[lanes.at[i]] = *result;
    }
    return failed;
}

static bool call_function(struct function_run *run, struct lanes lanes, weir_value *out,
                          uint32_t *failed)
{
    struct evaluation *evaluation = run->frame->evaluation;
    weir_value *results = frame_take_column(run->frame);
    if (results == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < lanes.count; i++) {
        results[i] = (weir_value){ .tag = WEIR_TAG_MISSING };
    }
    if (!lanes_are_dense(lanes)) {
        make_dense(run, lanes);
    }
    run->call = (weir_call){ .struct_size = sizeof run->call,
                             .count = lanes.count,
                             .arg_count = run->function->count,
                             .ctx = evaluation->ctx,
                             .state = run->function->state,
                             .args = run->args,
                             .results = results,
                             .fail = fail_lane };
    const struct expr_function *called = run->function->function;
    weir_status st = called->evaluate == NULL ? called->vtable->evaluate(&run->call)
                                              : called->evaluate(called, &run->call);
    if (st < 0 && evaluation->status == WEIR_OK) {
        evaluation->status = st;
    }
    if (evaluation->status == WEIR_OK) {
        *failed += take_results(run, lanes, results, out);
    }
    frame_give_column(run->frame, results);
    return evaluation->status == WEIR_OK;
}

static void give_columns(const struct function_run *run)
{
    for (uint32_t i = 0; i < run->function->count; i++) {
        if (run->columns[i] != NULL) {
            frame_give_column(run->frame, run->columns[i]);
        }
    }
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct function_code *function = CODE_OF(code, struct function_code);
    struct function_run call = { .frame = frame, .function = function };
    size_t size = (function->count + 1) * sizeof *call.args;
    call.args = frame_alloc(frame, size);
    call.columns = frame_alloc(frame, size);
    if (call.args == NULL || call.columns == NULL) {
        return frame_fail_all(lanes, out);
    }
    memset(call.columns, 0, size);
    struct selection selection = selection_of(lanes);
    uint32_t failed = 0;
    bool is_right = read_arguments(&call, &selection, out, &failed);
    if (is_right && selection.lanes.count > 0) {
        is_right = call_function(&call, selection.lanes, out, &failed);
    }
    give_columns(&call);
    selection_end(frame, &selection);
    return is_right ? failed : frame_fail_all(lanes, out);
}

/* ---- maker ------------------------------------------------------------------------------------- */

/* Beyond this many arguments, columns that stand ready would weigh more than they save. */
enum { READY_ARGUMENTS = 64 };

/* A column of the constant. NULL with *has_memory kept: it does not fit, and every lane says so. */
static const weir_value *ready_column(struct arena *arena, uint32_t kinds, const weir_value *value,
                                      bool *has_memory)
{
    weir_value fitted = *value;
    if (argument_fit(kinds, &fitted) != NULL) {
        return NULL;
    }
    weir_value *column = arena_alloc(arena, FRAME_LANES * sizeof *column);
    *has_memory &= column != NULL;
    for (uint32_t i = 0; column != NULL && i < FRAME_LANES; i++) {
        column[i] = fitted;
    }
    return column;
}

/* False: no memory. A call of constants alone is computed once: nothing is made ready for it. */
static bool make_ready(struct arena *arena, struct function_code *made)
{
    bool has_memory = true;
    made->constants = arena_zeroed(arena, (made->count + 1) * sizeof *made->constants);
    if (made->constants == NULL || made->code.reads == 0 || made->count > READY_ARGUMENTS) {
        return made->constants != NULL;
    }
    for (uint32_t i = 0; i < made->count; i++) {
        const weir_value *constant = made->operands[i]->constant;
        if (constant != NULL) {
            made->constants[i] =
                ready_column(arena, signature_kinds(made->signature, i), constant, &has_memory);
        }
    }
    return has_memory;
}

struct code *code_function(struct arena *arena, struct source source, const char *name,
                           const struct expr_function *function, const struct signature *signature,
                           void *state, const struct code *const *operands, uint32_t count)
{
    struct function_code *made = arena_zeroed(arena, sizeof *made);
    struct signature *kept = arena_alloc(arena, sizeof *kept);
    if (made == NULL || kept == NULL) {
        return NULL;
    }
    *kept = *signature;
    made->code = (struct code){
        .run = run, .source = source, .reads = code_reads(operands, count), .is_postfix = true
    };
    made->name = arena_copy(arena, name, strlen(name));
    made->operands = code_copy_operands(arena, operands, count);
    made->function = function;
    made->signature = kept;
    made->state = state;
    made->count = count;
    bool is_whole = made->name != NULL && made->operands != NULL && make_ready(arena, made);
    return is_whole ? &made->code : NULL;
}
