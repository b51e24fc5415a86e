/* SPDX-License-Identifier: MIT */
/*
 * Computes constants ahead, with the same code that runs per record: one lane, no record. What would
 * take too much memory or too many items is left to the run.
 */
#include "expr/compile.h"

enum { FOLD_MAX_ITEMS = 1024 * 1024, FOLD_MAX_BYTES = 48 * 1024 * 1024 };

/* A context whose memory is that of the compiled expression. */
struct fold_context {
    weir_context context; /* first: alloc finds the rest by its address */
    struct arena *arena;
    uint64_t left;
};

static void *fold_alloc(weir_context *ctx, uint64_t size)
{
    struct fold_context *fold_context = (struct fold_context *)(void *)ctx;
    if (size > fold_context->left) {
        return NULL;
    }
    fold_context->left -= size;
    return arena_alloc(fold_context->arena, (size_t)size);
}

static const weir_call_api fold_api = { .struct_size = sizeof fold_api, .alloc = fold_alloc };

static const struct code *constant(struct compiler *compiler, const struct code *code,
                                   const weir_value *value)
{
    struct code *made = code_constant(compiler->env->arena, code->source, value);
    if (made == NULL) {
        faults_no_memory(compiler->faults);
        return NULL;
    }
    made->is_postfix = code->is_postfix;
    return made;
}

static const struct code *report(struct compiler *compiler, const struct code *code,
                                 const weir_value *failed)
{
    if (compiler->silenced > 0) {
        return code;
    }
    const struct expr_fault *fault = expr_fault(failed);
    faults_error(compiler->faults, fault->from, fault->to, "%s%s%s", fault->message,
                 fault->hint != NULL ? "; " : "", fault->hint != NULL ? fault->hint : "");
    return NULL;
}

static const struct code *fold_constant(struct compiler *compiler, struct code *code)
{
    struct fold_context fold_context = { .arena = compiler->env->arena, .left = FOLD_MAX_BYTES };
    fold_context.context = (weir_context){ .struct_size = sizeof(weir_context), .api = &fold_api };
    struct evaluation evaluation = { .ctx = &fold_context.context, .item_budget = FOLD_MAX_ITEMS };
    struct frame frame = { .evaluation = &evaluation, .width = 1 };
    weir_value value = weir_null();
    uint32_t failed = code_run_lanes(&frame, code, lanes_first(1), &value);
    if (evaluation.status == WEIR_E_LIMIT || evaluation.status == WEIR_E_NOMEM) {
        code->reads |= READS_TOO_MUCH;
        return code;
    }
    if (evaluation.status != WEIR_OK) {
        faults_error(compiler->faults, code->source.from, code->source.to,
                     "could not be computed (status %d); a plugin has a defect",
                     (int)evaluation.status);
        return NULL;
    }
    return failed > 0 ? report(compiler, code, &value) : constant(compiler, code, &value);
}

const struct code *fold(struct compiler *compiler, struct code *code)
{
    if (code == NULL || code->constant != NULL || code->reads != 0) {
        return code;
    }
    return fold_constant(compiler, code);
}
