/* SPDX-License-Identifier: MIT */
#include "support/step.h"

weir_status step_create(const weir_host *host, uint64_t size, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    if (memory == NULL || expressions == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct step *step = memory->alloc(host, size);
    if (step == NULL) {
        return WEIR_E_NOMEM;
    }
    step->host = host;
    step->expressions = expressions;
    *ret_self = step;
    return WEIR_OK;
}

void *step_alloc(const struct step *step, uint64_t count, uint64_t size)
{
    const weir_memory_api *memory = step->host->get_extension(step->host, WEIR_MEMORY);
    return memory == NULL ? NULL : memory->alloc(step->host, (count + 1) * size);
}

weir_status step_column(const struct step *step, weir_context *ctx,
                        const weir_expression *expression, const weir_entry *entries,
                        uint32_t count, weir_value **ret_column)
{
    weir_value *column = weir_alloc(ctx, ((uint64_t)count + 1) * sizeof *column);
    if (column == NULL) {
        return WEIR_E_NOMEM;
    }
    int64_t failed = step->expressions->evaluate(ctx, expression, entries, count, column);
    *ret_column = column;
    return failed < 0 ? (weir_status)failed : WEIR_OK;
}
