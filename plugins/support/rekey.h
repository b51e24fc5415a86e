/* SPDX-License-Identifier: MIT */
/*
 * Operators that give records another key: an instance with nothing but the expression of it.
 */
#ifndef SUPPORT_REKEY_H
#define SUPPORT_REKEY_H

#include <weir/host.h>

weir_status rekey_create(const weir_host *host, const weir_expression *key, void **ret_self);
/* Emits each record with the key that the expression gives; fails those for which it gives none. */
weir_status rekey_process(void *self, weir_context *ctx, const weir_batch *in);

#endif
