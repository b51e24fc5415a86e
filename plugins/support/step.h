/* SPDX-License-Identifier: MIT */
/*
 * What operators share: the services that they begin with, a column of results for a batch, records
 * that differ from the incoming one in a part.
 */
#ifndef SUPPORT_STEP_H
#define SUPPORT_STEP_H

#include <weir/host.h>

/* Stands first in the struct of an operator. */
struct step {
    const weir_host *host;
    const weir_expressions_api *expressions;
};

/* Memory of the instance for an operator, its `struct step` filled. */
weir_status step_create(const weir_host *host, uint64_t size, void **ret_self);

/* A list or map from the instance's memory, or NULL. */
void *step_alloc(const struct step *step, uint64_t count, uint64_t size);

/* Computes an expression for the entries; *ret_column has one value for each. */
weir_status step_column(const struct step *step, weir_context *ctx,
                        const weir_expression *expression, const weir_entry *entries,
                        uint32_t count, weir_value **ret_column);

/* A copy of the entry's record to change, in the memory of the batch. NULL: no memory. */
static inline weir_record *step_record(weir_context *ctx, const weir_entry *entry)
{
    return weir_record_with(ctx, entry->record, entry->record->value);
}

#endif
