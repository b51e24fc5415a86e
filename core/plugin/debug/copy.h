/* SPDX-License-Identifier: MIT */
/*
 * Deep copies of what goes into a plugin, to pages that are sealed, and of what comes out of it, to
 * the memory of the batch. Whatever a value promises of its bytes (flags) holds for the copy.
 */
#ifndef PLUGIN_DEBUG_COPY_H
#define PLUGIN_DEBUG_COPY_H

#include "plugin/debug/visit.h"

/*
 * Entries [from, from + count) of a batch, sealed, with ordinals of their own: ascending from
 * visit->first_ordinal, so that an entry from elsewhere is told apart. NULL: no memory.
 */
const weir_batch *copy_batch_in(struct visit *visit, const weir_batch *in, uint32_t from,
                                uint32_t count, uint32_t first_ordinal);
/* What a serializer is given. Sealed; NULL: no memory. */
const weir_slice *copy_payloads_in(struct visit *visit, const weir_slice *payloads, uint32_t count);
const weir_value *const *copy_values_in(struct visit *visit, const weir_value *const *values,
                                        uint32_t count);
/* arg_count columns of `count` values. Sealed; NULL: no memory. */
const weir_value *const *copy_columns_in(struct visit *visit, const weir_value *const *columns,
                                         uint32_t arg_count, uint32_t count);
/* Bytes alone: a token, a position. Sealed; false: no memory. */
bool copy_slice_in(struct visit *visit, weir_slice slice, weir_slice *ret);

/* The config at the beginning of a region, sealed, and behind it what it points to. NULL: no memory. */
struct region *copy_config_in(const struct visitee *who, const weir_factory *factory,
                              const void *config);

/* In memory of ctx. False: no memory. */
bool copy_value_out(weir_context *ctx, const weir_value *v, weir_value *ret);
const weir_record *copy_record_out(weir_context *ctx, const weir_record *record);

#endif
