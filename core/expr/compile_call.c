/* SPDX-License-Identifier: MIT */
/*
 * Calls: forms become code of their own; functions are prepared with what is constant of their
 * arguments.
 */
#include <string.h>

#include "expr/compile.h"
#include "expr/kinds.h"

/* ---- forms ------------------------------------------------------------------------------------- */

static const struct code *compile_has(struct compiler *compiler, const struct tree *call)
{
    const struct code **codes = compile_room(compiler, call->count);
    if (codes == NULL || !compile_operands(compiler, call, compile_forgiven, codes)) {
        return NULL;
    }
    return compile_made(compiler, code_has(compiler->env->arena, compile_source(compiler, call),
                                           codes, call->count));
}

static const struct code *compile_try(struct compiler *compiler, const struct tree *call)
{
    compiler->silenced++;
    const struct code *attempt = compile_tree(compiler, call->operands[0]);
    compiler->silenced--;
    if (attempt != NULL && attempt->constant != NULL) {
        return attempt;
    }
    const struct code *otherwise = compile_tree(compiler, call->operands[1]);
    if (attempt == NULL || otherwise == NULL) {
        return NULL;
    }
    struct code *code =
        code_try(compiler->env->arena, compile_source(compiler, call), attempt, otherwise);
    if (code != NULL) {
        code->is_postfix = true;
    }
    return compile_made(compiler, code);
}

static const struct code *compile_items(struct compiler *compiler, const struct tree *call)
{
    const struct code *list = compile_tree(compiler, call->operands[0]);
    const struct code *body = compile_tree(compiler, call->operands[1]);
    if (list == NULL || body == NULL) {
        return NULL;
    }
    return compile_made(compiler, code_items(compiler->env->arena, compile_source(compiler, call),
                                             call->form, list, body));
}

/* ---- functions --------------------------------------------------------------------------------- */

/* The constant as the function will see it; NULL after a report, or where there is none. */
static const weir_value *fit_literal(struct compiler *compiler, const struct tree *call, uint32_t i,
                                     const struct code *operand, bool *is_right)
{
    uint32_t kinds = signature_kinds(call->signature, i);
    weir_value *value = arena_alloc(compiler->env->arena, sizeof *value);
    if (value == NULL) {
        faults_no_memory(compiler->faults);
        *is_right = false;
        return NULL;
    }
    *value = *operand->constant;
    const char *fault = argument_fit(kinds, value);
    if (fault == NULL) {
        return value;
    }
    if (compiler->silenced == 0) {
        char room[KINDS_ROOM];
        const struct tree *arg = call->operands[i];
        *is_right = false;
        if (fault[0] != '\0') {
            faults_error(compiler->faults, arg->from, arg->to, "the number %s", fault);
        } else {
            faults_error(compiler->faults, arg->from, arg->to,
                         "function '%s' takes %s as argument %u, not %s", call->name,
                         kinds_text(kinds, room), i + 1, value_kind_name(value));
        }
    }
    return NULL;
}

/* Place of the argument that prepare found wrong: the one it names, the only constant, or the call. */
static void report_prepare(struct compiler *compiler, const struct tree *call,
                           const weir_value *const *literals, const weir_error_info *fault)
{
    const struct tree *place = call;
    uint32_t constants = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        if (literals[i] != NULL) {
            place = constants++ == 0 ? call->operands[i] : call;
        }
    }
    if (fault->record_index >= 0 && fault->record_index < (int64_t)call->count) {
        place = call->operands[fault->record_index];
    }
    bool has_hint = fault->hint != NULL && fault->hint[0] != '\0';
    faults_error(compiler->faults, place->from, place->to, "%s%s%s",
                 fault->message != NULL ? fault->message : "the argument is not accepted",
                 has_hint ? "; " : "", has_hint ? fault->hint : "");
}

/* Keeps the state for the day when the expressions go. False: no memory. */
static bool keep_state(struct compiler *compiler, const weir_function_vtable *vtable, void *state)
{
    if (vtable->release == NULL || state == NULL || compiler->env->prepared == NULL) {
        return true;
    }
    struct expr_prepared *prepared = arena_alloc(compiler->env->arena, sizeof *prepared);
    if (prepared == NULL) {
        vtable->release(state);
        faults_no_memory(compiler->faults);
        return false;
    }
    *prepared = (struct expr_prepared){ *compiler->env->prepared, vtable->release, state };
    *compiler->env->prepared = prepared;
    return true;
}

static bool prepare(struct compiler *compiler, const struct tree *call,
                    const weir_value *const *literals, void **ret_state)
{
    const struct expr_function *function = call->function;
    *ret_state = NULL;
    if (function->vtable->prepare == NULL) {
        return true;
    }
    weir_error_info fault = { .struct_size = sizeof fault, .record_index = -1 };
    weir_status st =
        function->vtable->prepare(function->host, literals, call->count, ret_state, &fault);
    if (st < 0) {
        report_prepare(compiler, call, literals, &fault);
        return false;
    }
    return keep_state(compiler, function->vtable, *ret_state);
}

static const struct code *compile_function(struct compiler *compiler, const struct tree *call)
{
    const struct code **codes = compile_room(compiler, call->count);
    const weir_value **literals =
        arena_zeroed(compiler->env->arena, (call->count + 1) * sizeof *literals);
    if (codes == NULL || literals == NULL) {
        faults_no_memory(compiler->faults);
        return NULL;
    }
    bool is_right = compile_operands(compiler, call, compile_tree, codes);
    for (uint32_t i = 0; i < call->count; i++) {
        if (codes[i] != NULL && codes[i]->constant != NULL) {
            literals[i] = fit_literal(compiler, call, i, codes[i], &is_right);
        }
    }
    void *state = NULL;
    if (!is_right || !prepare(compiler, call, literals, &state)) {
        return NULL;
    }
    return compile_made(
        compiler, code_function(compiler->env->arena, compile_source(compiler, call), call->name,
                                call->function, call->signature, state, codes, call->count));
}

const struct code *compile_call(struct compiler *compiler, const struct tree *call)
{
    switch (call->form) {
    case FORM_HAS:
        return compile_has(compiler, call);
    case FORM_TRY:
        return compile_try(compiler, call);
    case FORM_MAP:
    case FORM_FILTER:
    case FORM_ANY:
    case FORM_ALL:
        return compile_items(compiler, call);
    default:
        return compile_function(compiler, call);
    }
}
